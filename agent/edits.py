"""Words one slip of the keyboard away from another."""

from collections.abc import Iterator
from string import ascii_lowercase


def edits(word: str) -> Iterator[str]:
    """Yield what a word of a to z becomes with a letter left out, changed, added, or in its neighbour's place."""
    for i in range(len(word) + 1):
        head, tail = word[:i], word[i:]
        if tail:
            yield head + tail[1:]
            yield from (head + letter + tail[1:] for letter in ascii_lowercase if letter != tail[0])
        if len(tail) > 1 and tail[0] != tail[1]:
            yield head + tail[1] + tail[0] + tail[2:]
        yield from (head + letter + tail for letter in ascii_lowercase)
