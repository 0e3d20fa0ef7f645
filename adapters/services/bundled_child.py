"""The process that the bundled embedding model runs in: `python -m adapters.services.bundled_child THREADS NICE`.

What it is asked comes over standard input and what it answers goes to standard output, in frames (`framed`). A request
is `{"texts": [...], "question": bool}`, or `{"texts": [...], "asked": [...]}` to match them with questions. Its answer
is `{"rows": n, "dimensions": d, "tokens": t}` and then n times d numbers of 4 bytes, or `{"error": "..."}`. It ends
with its input.
"""

import json
import os
import struct
import sys
from collections.abc import Sequence
from typing import IO, Any

from adapters.services.bundled_encoder import Encoder
from adapters.services.bundled_weights import Weights

LENGTH = struct.Struct("<I")


def main(arguments: Sequence[str]) -> int:
    """Answer until the input ends."""
    threads, nice = (int(each) for each in arguments)
    os.nice(nice)
    asked, answer = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints is no answer
    model = Encoder(Weights.read(), threads=threads)
    while (request := read(asked)) is not None:
        try:
            if "asked" in request:
                rows, tokens = model.match(request["asked"], request["texts"]), 0
            else:
                rows, tokens = model.encode(request["texts"], question=request["question"])
        except Exception as error:  # whatever it is, the next texts may do
            write(answer, {"error": type(error).__name__})
            continue
        write(answer, {"rows": len(rows), "dimensions": int(rows.shape[1]), "tokens": tokens}, rows.tobytes())
    return 0


def read(stream: IO[bytes]) -> dict[str, Any] | None:
    """Return the next frame; None at the end of the stream."""
    header = stream.read(LENGTH.size)
    if len(header) < LENGTH.size:
        return None
    frame: dict[str, Any] = json.loads(stream.read(LENGTH.unpack(header)[0]))
    return frame


def framed(frame: dict[str, Any]) -> bytes:
    """Return a frame: the length of its JSON in 4 bytes, little end first, and the JSON."""
    body = json.dumps(frame).encode()
    return LENGTH.pack(len(body)) + body


def write(stream: IO[bytes], frame: dict[str, Any], more: bytes = b"") -> None:
    """Write a frame with what follows it."""
    stream.write(framed(frame) + more)
    stream.flush()


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
