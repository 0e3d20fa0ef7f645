"""What the best passages of a first search have in common and others lack: words for a second one.

Pseudo-relevance feedback in the manner of RM3 (Abdul-Jaleel et al., TREC 2004): the question's own words stay, a few
terms of the top passages join at a low weight. Without the index's statistics, rare is what few of the found passages
hold, and what is no general word.
"""

from collections import Counter
from collections.abc import Sequence
from math import log

from agent.reasoning.rules.reading import lexicon
from agent.text import ENGLISH_STOP_WORDS, strip_particle, tokens, words
from agent.types import Hit, WeightedTerm

TOP = 4
"""Passages that are taken for relevant."""
FOUND = 12
"""Passages among which a term is rare or not."""
MOST = 6
"""Terms that join."""
WEIGHT = 0.25
_READ = 1_200
"""Characters of a passage that are read."""


def related(hits: Sequence[Hit], known: str, *, top: int = TOP, most: int = MOST) -> tuple[WeightedTerm, ...]:
    """Return terms of the best passages at low weights, best first; none that `known`, the question, holds."""
    asked = set(tokens(known))
    held = [_words(hit) for hit in hits[:FOUND]]
    spread = Counter(word for each in held for word in each)
    scores: Counter[str] = Counter()
    for rank, each in enumerate(held[:top]):
        total = sum(each.values()) or 1
        for word, count in each.items():
            rarity = log((len(held) + 1) / spread[word])
            scores[word] += count / total * rarity / (1 + rank)  # type: ignore[assignment]
    shared = {word for word in scores if sum(word in each for each in held[:top]) > 1}
    likely = shared | (held[0].keys() if held else set())
    out: list[WeightedTerm] = []
    for word, _ in sorted(scores.items(), key=lambda item: (item[0] not in shared, -item[1], item[0])):
        mine = set(tokens(word))
        if word not in likely or not mine or mine <= asked:
            continue
        asked |= mine
        out.append(WeightedTerm(text=word, weight=round(WEIGHT * 0.9 ** len(out), 3)))
        if len(out) == most:
            break
    return tuple(out)


def _words(hit: Hit) -> Counter[str]:
    """Return how often a passage holds each word that says something; those of its headings count twice."""
    passage = hit.passage
    out: Counter[str] = Counter()
    for text, weight in ((passage.text[:_READ], 1), (f"{passage.title} {passage.section}", 2)):
        for word, _, _ in words(text):
            if "가" <= word[0] <= "힣":
                word = strip_particle(word)
                if (
                    len(word) < 2
                    or word in lexicon.FAINT_KOREAN
                    or word in lexicon.COMMON_KOREAN
                    or word.endswith("니다")
                ):
                    continue
            elif len(word) < 3 or word in ENGLISH_STOP_WORDS or word in _GENERAL or not word.isalpha():
                continue
            out[word] += weight
    return out


_GENERAL = lexicon.FAINT_ENGLISH | lexicon.COMMON_ENGLISH
