"""Fit which Latin word a Korean one is written for: `python -m benchmarks.fit_loanwords DOCS... [--write]`.

DOCS are folders of documents, whose words a Korean word may be taken for. The pairs are those of the glossary
(`bilingual.yaml`): what sounds alike there was taken over, and a word of which no translation does was not. How likely
a sound stands for letters is fitted by expectation maximisation over all ways to part a word; then a logistic
regression tells words that were taken over, each with its own word among those of the documents, from others, each with
what sounds most like it. Told are the figures of words that were left out, a fifth at a time. With --write the weights
replace those in the package.
"""

import argparse
import json
import math
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from itertools import pairwise
from pathlib import Path

from agent.language.ko import loanwords
from agent.language.ko.glossary import glossary
from agent.language.ko.loanwords import (
    ALIKE,
    CHUNK,
    EDGE,
    Weights,
    alike,
    figures,
    forward,
    heard_in,
    sound_of,
    sounds_of,
)
from agent.text import indexed_words, terms_of
from benchmarks.fit_leaning import fit
from benchmarks.report import Report

ROUNDS = 8
SELDOM = 1e-3
"""How likely letters must be for a sound, to be kept."""
FOLDS = 5
_LETTERS: Mapping[str, str] = {
    **dict.fromkeys("ㄱㄲㅋ", "cgkqx"),
    **dict.fromkeys("ㄷㄸㅌ", "dt"),
    **dict.fromkeys("ㅂㅃㅍ", "bpfv"),
    **dict.fromkeys("ㅅㅆ", "sctx"),
    **dict.fromkeys("ㅈㅉ", "jzsgd"),
    "ㄴ": "n", "ㄹ": "lr", "ㅁ": "m", "ㅊ": "ct", "ㅎ": "h", "-ㅇ": "n", "-ㅅ": "tsd",
}  # fmt: skip
"""Of which letters one must be among those that a consonant stands for."""
_MUTE = frozenset("ㄹㅅㅎ")
"""First sounds that may stand for no letter: ㄹ behind another, ㅅ behind the ㄱ of x."""
Pair = tuple[str, str]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("docs", type=Path, nargs="+")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    taken, own = pairs_of_glossary()
    known = by_sound(words_of(given.docs))
    report = Report("Korean words that were taken over by their sound")
    report.add("pairs of the glossary that sound alike", float(len(taken)), "")
    report.add("words of the glossary that do not", float(len(own)), "")
    right = 0
    for fold in range(FOLDS):
        model = fitted([p for n, p in enumerate(taken) if n % FOLDS != fold], own[fold::2], known)
        for pair in taken[fold::FOLDS]:
            best = nearest(pair[0], known | {sound_of(stem_of(pair[1])): {stem_of(pair[1])}}, model)
            if best is not None:
                found = best[0] == stem_of(pair[1]) and best[1] > 0.5
                right += found
        others = [word for n, word in enumerate(own) if n % 2 != fold % 2]
        wrong = sum(1 for word in others if (best := nearest(word, known, model)) and best[1] > 0.5)
        report.add(f"left out {fold + 1}: words taken for another by mistake", float(wrong), f"of {len(others)}")
    report.add("left out: found", float(right), f"of {len(taken)}")
    model = fitted(taken, own, known)
    report.show(given.json)
    if given.write:
        text = json.dumps(asdict(model), ensure_ascii=False, indent=0)
        Path(loanwords.__file__).with_suffix(".json").write_text(text + "\n", encoding="utf-8")


def pairs_of_glossary() -> tuple[list[Pair], list[str]]:
    """Return words that were taken over, each with its Latin one, and words of which no translation sounds alike."""
    some: list[Pair] = []
    for word, others in glossary().items():
        some += [(word, each.lower()) for each in others if _shares_consonants(word, each.lower())]
    for _ in range(2):  # some share their consonants by chance, and make no good model of letters
        letters, usual = letters_of(some)
        model = Weights(letters, usual, {}, {})
        some = [(word, each) for word, each in some if alike(heard_in(word), each, model) / len(heard_in(word)) > ALIKE]
    sounding = {word for word, _ in some}
    rng = random.Random(1)
    rng.shuffle(some)
    own = [word for word in glossary() if word not in sounding and sounds_of(word)]
    rng.shuffle(own)
    return some, own


def _shares_consonants(korean: str, latin: str) -> bool:
    return bool(sound_of(latin)) and sound_of(latin) in sounds_of(korean)


def letters_of(pairs: Sequence[Pair]) -> tuple[dict[str, dict[str, float]], dict[str, float]]:
    """Return how likely each sound stands for letters (Dempster, Laird, Rubin 1977), and how usual each letter is."""
    data = [(heard_in(korean), latin) for korean, latin in pairs]
    given: dict[str, dict[str, float]] = defaultdict(dict)
    for heard, latin in data:
        for sound in heard:
            given[sound].update((each, 1.0) for each in chunks(latin) if _may_stand(sound, each))
    given = {sound: _shares(counts) for sound, counts in given.items()}
    for _ in range(ROUNDS):
        counts: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
        for heard, latin in data:
            ahead = forward(heard, latin, given)
            behind = [row[::-1] for row in forward(heard[::-1], latin[::-1], _reversed(given))][::-1]
            if not ahead[-1][-1]:
                continue
            for n, sound in enumerate(heard):
                for start, reached in enumerate(ahead[n]):
                    for end in range(start, min(start + CHUNK, len(latin)) + 1) if reached else ():
                        share = reached * given[sound].get(latin[start:end], 0.0) * behind[n + 1][end]
                        if share:
                            counts[sound][latin[start:end]] += share / ahead[-1][-1]
        given = {sound: _shares(each) for sound, each in counts.items()}
    usual = Counter(letter for _, latin in pairs for letter in latin)
    kept = {s: {k: round(p, 4) for k, p in sorted(each.items()) if p > SELDOM} for s, each in sorted(given.items())}
    return kept, {letter: round(count / usual.total(), 4) for letter, count in sorted(usual.items())}


def chunks(latin: str) -> set[str]:
    """Return what one sound may stand for in a word."""
    return {latin[start : start + size] for start in range(len(latin) + 1) for size in range(CHUNK + 1)}


def _may_stand(sound: str, letters: str) -> bool:
    if "ㅏ" <= sound <= "ㅣ":
        return all(letter in "aeiouywhrg" for letter in letters)
    if not letters:
        return sound in _MUTE
    own = _LETTERS.get(sound) or _LETTERS.get(sound.removeprefix("-"), "")
    return any(letter in own for letter in letters) and not any(letter in "aiouy" for letter in letters)


def _reversed(given: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
    return {sound: {letters[::-1]: p for letters, p in each.items()} for sound, each in given.items()}


def _shares(counts: Mapping[str, float]) -> dict[str, float]:
    total = sum(counts.values())
    return {each: count / total for each, count in counts.items() if count / total > 1e-4}


def fitted(taken: Sequence[Pair], own: Sequence[str], known: Mapping[str, set[str]]) -> Weights:
    """Return all weights; what is rated of a word was fitted without it."""
    rows: list[tuple[Mapping[str, float], bool]] = []
    parts = range(FOLDS)
    for part in parts:
        some = [pair for n, pair in enumerate(taken) if n % FOLDS != part]
        others = [word for n, word in enumerate(own) if n % FOLDS != part]
        model = sounds_fitted(some, others)
        rows += [(row, True) for pair in taken[part::FOLDS] if (row := _row(pair[0], stem_of(pair[1]), known, model))]
        rows += [(row, False) for word in own[part::FOLDS] if (row := _row(word, "", known, model))]
        rows += [(row, False) for pair in taken[part::FOLDS] if (row := _row(pair[0], "", without(pair, known), model))]
    weights = {name: round(weight, 4) for name, weight in fit([({**row, "bias": 1.0}, y) for row, y in rows]).items()}
    return replace(sounds_fitted(taken, own), figures=weights)


def sounds_fitted(taken: Sequence[Pair], own: Sequence[str]) -> Weights:
    letters, usual = letters_of(taken)
    ours, theirs = _in_a_row({word for word, _ in taken}), _in_a_row(own)
    kinds = len(ours | theirs)
    share = (ours.total() + kinds) / (theirs.total() + kinds)
    ratios = {both: math.log((ours[both] + 1) / (theirs[both] + 1) / share) for both in sorted(ours | theirs)}
    return Weights(letters, usual, {both: round(ratio, 2) for both, ratio in ratios.items()}, {})


def _in_a_row(words: Iterable[str]) -> Counter[str]:
    return Counter("".join(both) for word in words for both in pairwise((EDGE, *heard_in(word), EDGE)))


def _row(korean: str, stem: str, known: Mapping[str, set[str]], model: Weights) -> Mapping[str, float] | None:
    """Return the figures of a word with its stem, or with the one that sounds most like it."""
    rivals = candidates(korean, known) | ({stem} if stem else set())
    if not rivals:
        return None
    best = stem or max(sorted(rivals), key=lambda each: figures(korean, each, 0, model)["alike"])
    return figures(korean, best, len(rivals), model)


def without(pair: Pair, known: Mapping[str, set[str]]) -> Mapping[str, set[str]]:
    """Return the terms of documents that lack the one a word was taken over from, and what begins like it."""
    stem = stem_of(pair[1])
    return {**known, **{sound: {t for t in known.get(sound, ()) if t[:3] != stem[:3]} for sound in sounds_of(pair[0])}}


def candidates(korean: str, known: Mapping[str, set[str]]) -> set[str]:
    return {stem for sound in sounds_of(korean) for stem in known.get(sound, ())}


def nearest(korean: str, known: Mapping[str, set[str]], model: Weights) -> tuple[str, float] | None:
    """Return the stem that a word is most likely written for, and how likely."""
    rivals = candidates(korean, known)
    if not rivals:
        return None
    return max(
        ((stem, loanwords.likely(korean, stem, len(rivals), model)) for stem in sorted(rivals)),
        key=lambda each: each[1],
    )


def stem_of(latin: str) -> str:
    """Return the term of the index for a word."""
    return next(iter(terms_of(latin)), latin)


def words_of(folders: Sequence[Path]) -> Iterator[str]:
    """Yield the Latin words of documents."""
    for folder in folders:
        for file in sorted(folder.rglob("*")):
            if file.suffix in (".md", ".mdx", ".txt", ".html", ".rst"):
                yield from set(indexed_words(file.read_text(encoding="utf-8", errors="replace")))


def by_sound(words: Iterable[str]) -> dict[str, set[str]]:
    """Return the terms of words by how these sound."""
    out: dict[str, set[str]] = defaultdict(set)
    for word in words:
        if re.fullmatch("[A-Za-z]+", word):
            for term in terms_of(word):
                if sound := sound_of(term):
                    out[sound].add(term)
    return dict(out)


if __name__ == "__main__":
    main()
