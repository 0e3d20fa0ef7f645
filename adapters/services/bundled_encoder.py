"""The bundled embedding model at work: texts to tokens, tokens in windows through the network, a vector a text."""

import importlib
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

import numpy as np

from adapters.services.bundled_graph import INPUT, OUTPUT, graph
from adapters.services.bundled_tokens import Tokenizer
from adapters.services.bundled_weights import BLOCK, Floats, Weights, unpacked
from adapters.services.token_matching import FILE, Codes, fitted
from agent.ports import Vectors

_ASKED = 4
"""Windows that are kept: a question is embedded, and then matched, and so is its thread."""
_LEADING = 3
"""Tokens before a text: its begin, and two for what kind it is."""


class Encoder:
    """One model in memory. A text longer than a window is the mean of its windows, each weighed by its tokens.

    `maps`: of its tokens, as `benchmarks.fit_matching` fits them.
    """

    def __init__(self, weights: Weights, *, threads: int, maps: Path = FILE) -> None:
        self._begin, self._end, self._longest = weights.begin, weights.end, weights.longest
        self._tokenizer = Tokenizer(weights)
        self._words = weights.blocks("emb.word").reshape(-1, weights.width // BLOCK)
        places = weights.floats("emb.pos").reshape(-1, weights.width)
        self._places: Floats = places + weights.floats("emb.type")[: weights.width]
        self._session = _session(graph(weights), threads)
        self._matcher, self._book = fitted(maps)
        self._hidden = lru_cache(maxsize=_ASKED)(self._computed)

    def encode(self, texts: Sequence[str], *, question: bool) -> tuple[Vectors, int]:
        """Return a row a text, (texts, 384), not of length 1, and how many tokens all had."""
        kind = "query" if question else "passage"  # what e5 was taught to see before each (arXiv 2402.05672)
        read = [self._tokenizer.tokens(f"{kind}: {text}") for text in texts]
        rows = np.stack([self._row(tokens) for tokens in read])
        return rows, sum(len(tokens) + 2 for tokens in read)

    def codes(self, texts: Sequence[str]) -> list[Codes]:
        """Return the tokens of each text, as they are matched with questions."""
        return [self._book.codes(self._matcher.text.of(self.states("passage", text))) for text in texts]

    def match(self, questions: Sequence[str], texts: Sequence[Codes]) -> Vectors:
        """Return (questions, texts), of which there are some: how well they match token by token."""
        states = self._book.states(np.concatenate(texts))
        begins = np.cumsum([0, *map(len, texts[:-1])])
        asked = [self.states("query", question) for question in questions]
        return np.stack([self._matcher.matches(each, states, begins) for each in asked])

    def states(self, kind: Literal["query", "passage"], text: str) -> Floats:
        """Return a row of length 1 for each token of a text in its context; long ones are cut to a window.

        The empty text has one, too: the space before it.
        """
        tokens = self._tokenizer.tokens(f"{kind}: {text}")[: self._longest - 2]
        states = self._hidden(tuple(tokens))[_LEADING:-1]
        unit: Floats = states / np.linalg.norm(states, axis=1, keepdims=True)
        return unit

    def _row(self, tokens: Sequence[int]) -> Floats:
        room = self._longest - 2
        windows = [tokens[begin : begin + room] for begin in range(0, len(tokens), room)]
        means = np.stack([self._window(window) for window in windows])
        row: Floats = np.average(means, axis=0, weights=[len(window) for window in windows]).astype(np.float32)
        return row

    def _window(self, tokens: Sequence[int]) -> Floats:
        mean: Floats = self._hidden(tuple(tokens)).mean(axis=0)
        return mean

    def _computed(self, tokens: tuple[int, ...]) -> Floats:
        whole = [self._begin, *tokens, self._end]
        words = unpacked(self._words[whole]).reshape(len(whole), -1)
        embedded = (words + self._places[: len(whole)])[None]
        (hidden,) = self._session.run([OUTPUT], {INPUT: embedded})
        states: Floats = hidden[0]
        return states


def _session(built: bytes, threads: int) -> Any:
    runtime: Any = importlib.import_module("onnxruntime")
    options = runtime.SessionOptions()
    options.log_severity_level = 4  # it would write to standard error by itself
    options.intra_op_num_threads = threads
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # who waits leaves its core to others
    return runtime.InferenceSession(built, options, providers=["CPUExecutionProvider"])
