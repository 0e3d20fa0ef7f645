"""How usual terms are where people ask: `python -m benchmarks.usual DATA` writes `agent/word_frequency.tsv`.

Korean: the share of the utterances of 3i4K (CC BY-SA 4.0, warnikchow/3i4k) that hold a term, everyday talk and
commands alike. English: the share of CLINC150's queries (CC BY 3.0, clinc/oos-eval), times the share of its intents
that the term spreads over, so that what one intent is about, `card` or `flight`, stays what it is.

What a term counts falls smoothly with that. The two constants of each language were chosen on KorQuAD, MTRAG and
two sets of questions on real documents, and changed little from a third to three times themselves.
"""

import argparse
import gzip
import json
import math
from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path

from agent.retrieval import general_words
from agent.text import tokens
from agent.word_frequency import FILE

LEAST = 5
"""Utterances that must hold a term before anything is said of it."""
SHOWN = 0.95
"""Terms that count nearly all of their weight are left out."""
KOREAN = (0.003, 0.5)
ENGLISH = (0.003, 1.0)
"""From which share on a term counts less, and how steeply."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    data = parser.parse_args().data
    weights = {**factors(korean(data), *KOREAN), **factors(english(data), *ENGLISH)}
    known = sorted(english_terms(data))
    general_words.FILE.write_text("".join(f"{term}\n" for term in known), encoding="utf-8")
    lines = [f"{term}\t{weight:.2f}\n" for term, weight in sorted(weights.items())]
    FILE.write_text("".join(lines), encoding="utf-8")
    print(f"{len(lines)} terms, {len(known)} known to be English")


def english_terms(data: Path) -> set[str]:
    """Return the terms that a few of MTRAG's passages hold (Apache-2.0, IBM/mt-rag-benchmark)."""
    held: Counter[str] = Counter()
    for name in ("clapnq", "cloud"):
        with gzip.open(data / "mtrag" / name / "corpus.jsonl.gz", "rt", encoding="utf-8") as file:
            for line in file:
                held.update(set(tokens(json.loads(line)["text"])))
    return {term for term, count in held.items() if count >= LEAST and term.isascii() and term.isalpha()}


def factors(shares: Mapping[str, float], usual: float, steepness: float) -> dict[str, float]:
    found = {term: (1 + share / usual) ** -steepness for term, share in shares.items() if not term[0].isdigit()}
    return {term: weight for term, weight in found.items() if weight < SHOWN}


def korean(data: Path) -> Mapping[str, float]:
    lines = (data / "3i4k" / "fci_train_val.txt").read_text(encoding="utf-8").splitlines()
    utterances = [line.partition("\t")[2] for line in lines]
    held = Counter(term for utterance in utterances for term in set(tokens(utterance)) if "가" <= term[0] <= "힣")
    return {term: count / len(utterances) for term, count in held.items() if count >= LEAST}


def english(data: Path) -> Mapping[str, float]:
    content = json.loads((data / "clinc" / "train_val.json").read_text(encoding="utf-8"))
    queries = [query for part in ("train", "val") for query in content[part]]
    sizes = Counter(intent for _, intent in queries)
    held: dict[str, Counter[str]] = defaultdict(Counter)
    for text, intent in queries:
        for term in set(tokens(text)):
            held[term][intent] += 1
    return {term: _spread(found, sizes) for term, found in held.items() if found.total() >= LEAST and term.isascii()}


def _spread(found: Mapping[str, int], sizes: Mapping[str, int]) -> float:
    """Return the mean share over all intents, times the share of intents that it is as if spread over evenly."""
    shares = [count / sizes[intent] for intent, count in found.items()]
    total = sum(shares)
    evenly = math.exp(-sum(share / total * math.log(share / total) for share in shares))
    return total / len(sizes) * evenly / len(sizes)


if __name__ == "__main__":
    main()
