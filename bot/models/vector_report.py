"""What came of bringing the vectors up to date, and what it cost."""

from dataclasses import dataclass, field

from adapters.services.embedding_texts import Usage


@dataclass(frozen=True, kw_only=True, slots=True)
class Followed:
    """What came of bringing the vectors up to date."""

    made: int = 0
    """Passages that have a new vector."""
    missing: int = 0
    """Passages that should have one and do not."""
    usage: Usage = field(default_factory=Usage)
    price: float = 0.0
    """Of a million tokens; 0: not known."""
    problem: str = ""
    """Why there are missing ones."""

    @property
    def summary(self) -> str:
        """One line for the person who started it; empty where there was nothing to do."""
        parts = []
        if self.made:
            parts.append(f"{self.made:,} passages have a new vector: {self.cost}")
        if self.problem:
            parts.append(f"{self.missing:,} passages have no vector yet and are found by their words: {self.problem}")
        return "; ".join(parts)

    @property
    def cost(self) -> str:
        """What was asked of the model, and what that costs."""
        usage = self.usage
        told = f"{usage.texts:,} texts embedded, about {usage.tokens:,} tokens"
        told += f", cost {usage.tokens * self.price / 1e6:.4f}" if self.price else ""
        return f"{told}; {usage.cached:,} from the cache"
