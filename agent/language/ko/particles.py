"""Korean nouns without the particles behind them."""

from functools import lru_cache

from agent.language import lexicon
from agent.language.ko.letters import has_final

PARTICLES = tuple(sorted(lexicon.ordered("text.particles", "ko"), key=len, reverse=True))
"""The longest first."""
_AFTER_CONSONANT = dict.fromkeys(lexicon.words("text.particles_after_consonant", "ko"), True) | dict.fromkeys(
    lexicon.words("text.particles_after_vowel", "ko"), False
)
_NOUNS = lexicon.words("text.nouns_like_particles", "ko")


def noun_at_end(word: str) -> str:
    """Return the noun whose last syllable `strip_particle` takes for a particle: 회의 of 주간회의; empty for none."""
    return word[-2:] if word[-2:] in _NOUNS and len(strip_particle(word)) == len(word) - 1 else ""


@lru_cache(maxsize=8_192)
def strip_particle(word: str) -> str:
    """Return a Korean word without the particle at its end; at least two syllables stay.

    A particle that asks for a final consonant, or for none, comes off only where it could stand: 국가 stays whole.
    """
    for particle in PARTICLES:
        if word.endswith(particle) and len(word) - len(particle) >= 2:
            needs = _AFTER_CONSONANT.get(particle)
            if needs is None or needs == has_final(word[-len(particle) - 1]):
                return word[: -len(particle)]
    return word
