"""How the platforms of this process are: for `/health`, `/metrics` and the log."""

from collections import Counter
from collections.abc import Mapping
from typing import Literal

from agent.errors import ClosedError, DeliveryError, SettingsError, TokenError

State = Literal["connected", "away", "refused"]
"""`refused`: the platform does not take the token, until somebody sets another."""


class Standing:
    """What was seen last of each platform."""

    def __init__(self) -> None:
        self._states: dict[str, State] = {}
        self._closed: Counter[str] = Counter()

    def well(self, platform: str) -> None:
        """Note that it takes what Weft has to say."""
        self._states[platform] = "connected"

    def troubled(self, platform: str, error: DeliveryError | SettingsError) -> None:
        """Note that it does not, or that it does not let an answer into its place."""
        if isinstance(error, ClosedError):
            self._closed[platform] += 1
        else:
            self._states[platform] = "refused" if isinstance(error, SettingsError | TokenError) else "away"

    @property
    def states(self) -> Mapping[str, State]:
        """The platforms by name."""
        return dict(self._states)

    def told(self) -> dict[str, object]:
        """Return what `/health` says."""
        good = all(state == "connected" for state in self._states.values())
        return {"status": "ok" if good else "degraded", "platforms": self.states, "answers_closed": dict(self._closed)}

    def figures(self) -> dict[str, float]:
        """Return what `/metrics` says."""
        up = {f"platform_up_{name}": float(state == "connected") for name, state in self._states.items()}
        return {**up, **{f"answers_closed_{name}": float(count) for name, count in self._closed.items()}}
