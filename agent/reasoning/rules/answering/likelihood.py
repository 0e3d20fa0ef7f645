"""How likely something holds the answer: regressions of a quote, alone and in a thread, and of quotes together.

The weights are data, `likelihood.json`; `python -m benchmarks.likelihood` fits them and tells how well they do.
"""

import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

from agent.reasoning.rules.fitted.logistic_regression import Regression, expit, logit

Evidence = Literal["words", "meaning", "tokens"]
FILE = Path(__file__).with_name("likelihood.json")


@dataclass(frozen=True, slots=True)
class Likelihood:
    """What was fitted."""

    quote: Regression
    """How likely a quote tells a part of the answer; quotes are put in order by it."""
    thread: Regression
    """The same in a thread, by that likelihood and by the place in what the turns before rest on."""
    answer: Regression
    """How likely the quotes together tell the whole answer."""
    sure: float
    """From which likelihood of an answer it is told as one."""
    near: float
    """From which it is told as what comes closest; below nothing was found."""
    wider: float = 0.0
    """Log odds that an unlikely answer gains by the further quotes that are told with it."""

    def of_wider(self, likely: float) -> float:
        """Return how likely an answer is that tells more than what was found this likely."""
        return expit(logit(likely) + self.wider)


@lru_cache(maxsize=3)
def fitted(evidence: Evidence) -> Likelihood:
    """Return the weights as they were fitted on what was found by words alone, by meaning as well, or by tokens."""
    data = json.loads(FILE.read_text(encoding="utf-8"))[evidence]
    return Likelihood(
        quote=Regression(data["quote"]["bias"], data["quote"]["weights"]),
        thread=Regression(data["thread"]["bias"], data["thread"]["weights"]),
        answer=Regression(data["answer"]["bias"], data["answer"]["weights"]),
        sure=data["sure"],
        near=data["near"],
        wider=data["wider"],
    )
