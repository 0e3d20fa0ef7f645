"""Recording golden files anew: a person does it, and reads the difference; where CI runs, nothing is recorded."""

import os
from collections.abc import Mapping

import pytest


def recording(environment: Mapping[str, str] = os.environ) -> bool:
    """Say whether golden files are to be written anew (`WEFT_RECORD`). Raises UsageError where `CI` is set."""
    wanted = bool(environment.get("WEFT_RECORD"))
    if wanted and environment.get("CI"):
        raise pytest.UsageError(
            "WEFT_RECORD writes golden files anew, so that no test of them can fail: it is refused where CI is set. "
            "Unset one of the two."
        )
    return wanted
