"""The process that the bundled embedding model runs in: `python -m adapters.services.bundled_child THREADS NICE`.

What it is asked comes over standard input and what it answers goes to standard output, in frames (`framed`). It ends
with its input. A request is one of these; an answer may also be `{"error": "..."}`.

| request | answer |
|---|---|
| `{"texts": [...], "question": bool}` | `{"rows": n, "dimensions": d, "tokens": t}` and n times d numbers of 4 bytes |
| `{"coded": [...]}`: texts | `{"lengths": [...]}`, tokens of each, and their codes |
| `{"asked": [...], "lengths": [...]}` and codes: questions, texts | rows, one a question, as of texts |
"""

import json
import os
import struct
import sys
from collections.abc import Sequence
from typing import IO, Any

import numpy as np

from adapters.services.bundled_encoder import Encoder
from adapters.services.bundled_weights import Weights
from adapters.services.token_matching import PARTS, Codes

HEADER = struct.Struct("<II")


def main(arguments: Sequence[str]) -> int:
    """Answer until the input ends."""
    threads, nice = (int(each) for each in arguments)
    os.nice(nice)
    asked, answer = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints is no answer
    model = Encoder(Weights.read(), threads=threads)
    while (request := read(asked)) is not None:
        try:
            frame, more = _answered(model, *request)
        except Exception as error:  # whatever it is, the next texts may do
            frame, more = {"error": type(error).__name__}, b""
        answer.write(framed(frame, more))
        answer.flush()
    return 0


def _answered(model: Encoder, request: dict[str, Any], more: bytes) -> tuple[dict[str, Any], bytes]:
    if "coded" in request:
        codes = model.codes(request["coded"])
        return {"lengths": [len(each) for each in codes]}, b"".join(each.tobytes() for each in codes)
    if "asked" in request:
        rows, tokens = model.match(request["asked"], parted(more, request["lengths"])), 0
    else:
        rows, tokens = model.encode(request["texts"], question=request["question"])
    return {"rows": len(rows), "dimensions": int(rows.shape[1]), "tokens": tokens}, rows.tobytes()


def parted(codes: bytes, lengths: Sequence[int]) -> list[Codes]:
    """Return the codes of texts that have so many tokens each. Raises ValueError where that does not come out."""
    whole = np.frombuffer(codes, dtype=np.uint8).reshape(sum(lengths), PARTS)
    return np.split(whole, np.cumsum(lengths)[:-1])


def read(stream: IO[bytes]) -> tuple[dict[str, Any], bytes] | None:
    """Return the next frame with what follows it; None at the end of the stream."""
    header = stream.read(HEADER.size)
    if len(header) < HEADER.size:
        return None
    size, more = HEADER.unpack(header)
    return json.loads(stream.read(size)), stream.read(more)


def framed(frame: dict[str, Any], more: bytes = b"") -> bytes:
    """Return a frame: the lengths of its JSON and of what follows in 4 bytes each, little end first, and both."""
    body = json.dumps(frame).encode()
    return HEADER.pack(len(body), len(more)) + body + more


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
