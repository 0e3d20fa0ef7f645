"""A reader process: files come in on standard input, batches go out on standard output.

Parsers of PDF, DOCX and HTML meet files from anywhere. Here a file that eats memory, never ends
or kills its parser costs that one file; and nothing of the settings is within its reach.
"""

import contextlib
import logging
import os
import pickle
import struct
import sys
from typing import BinaryIO, Literal

from agent.errors import RefusedFileError
from storage.ingest.parse import parse
from storage.ingest.parsed import Batch, Limits
from storage.ingest.sources import WorkItem

LENGTH = struct.Struct(">Q")

Job = tuple[WorkItem, Limits]
Answer = tuple[Literal["batch"], Batch] | tuple[Literal["refused"], str] | tuple[Literal["ready", "done"], None]


def main() -> None:
    """Read files until there are no more."""
    # What a library prints must not get between the batches.
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    logging.disable(logging.CRITICAL)
    with contextlib.suppress(BrokenPipeError, KeyboardInterrupt):
        _give(out, ("ready", None))
        while job := _take(sys.stdin.buffer):
            item, limits = job
            _bound(limits.memory_bytes)
            try:
                for batch in parse(item, limits):
                    _give(out, ("batch", batch))
            except RefusedFileError as error:
                _give(out, ("refused", str(error)))
            except MemoryError:
                _give(out, ("refused", "what is in it takes more memory than is allowed"))
            else:
                _give(out, ("done", None))


def _take(source: BinaryIO) -> Job | None:
    head = source.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    job: Job = pickle.loads(source.read(*LENGTH.unpack(head)))  # noqa: S301 - from the process that started this one
    return job


def _give(out: BinaryIO, answer: Answer) -> None:
    data = pickle.dumps(answer, protocol=pickle.HIGHEST_PROTOCOL)
    out.write(LENGTH.pack(len(data)))
    out.write(data)
    out.flush()


def _bound(memory: int) -> None:
    """Limit the address space, where the system can."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))


if __name__ == "__main__":
    main()
