"""A reader process: files come in on standard input, batches go out on standard output.

Parsers of PDF, DOCX and HTML meet files from anywhere. Here a file that eats memory, never ends
or kills its parser costs that one file; and nothing of the settings is within its reach.
"""

import contextlib
import logging
import math
import os
import pickle
import struct
import sys
import time
from functools import partial
from pathlib import Path
from typing import BinaryIO, Literal

from agent.errors import RefusedFileError
from agent.language.registry import ROOTS
from storage.ingest.parsed import Batch, Limits
from storage.ingest.sources import WorkItem

LENGTH = struct.Struct(">Q")
_SLACK = 10.0

Job = tuple[WorkItem, Limits]
Answer = tuple[Literal["batch"], Batch] | tuple[Literal["refused"], str] | tuple[Literal["ready", "done"], None]


def main() -> None:
    """Read files until there are no more. The arguments are folders of more languages."""
    ROOTS.extend(map(Path, sys.argv[1:]))
    from storage.ingest.parse import parse, too_much  # reads the languages, so they must all be known

    # What a library prints must not get between the batches.
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    logging.disable(logging.CRITICAL)
    with contextlib.suppress(BrokenPipeError, KeyboardInterrupt):
        _give(out, ("ready", None))
        while job := _take(sys.stdin.buffer):
            item, limits = job
            _bound(limits)
            try:
                for batch in parse(item, limits, partial(_bound, limits)):
                    _give(out, ("batch", batch))
                    _bound(limits)
            except RefusedFileError as error:
                _give(out, ("refused", str(error)))
            except MemoryError:
                _give(out, ("refused", too_much(limits)))
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


def _bound(limits: Limits, seconds: float | None = None) -> None:
    """Limit address space and processor time, to `seconds` more, where the system can.

    The time of a whole file is watched by the process that started this one; without `seconds` the limit is for when
    that one is no more.
    """
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (limits.memory_bytes, limits.memory_bytes))
        _, most = resource.getrlimit(resource.RLIMIT_CPU)
        used = time.process_time() + (limits.seconds + _SLACK if seconds is None else seconds)
        resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(used), most))


if __name__ == "__main__":
    main()
