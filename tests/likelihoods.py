"""Likelihoods that hold still: what is told and how surely, whatever the weights are fitted to be."""

from dataclasses import replace

from agent.reasoning.rules.answering.likelihood import Likelihood
from agent.reasoning.rules.fitted.logistic_regression import Regression

_QUOTE = Regression(-4.0, {"together": 4.0, "sentence_headed": 3.0, "rank": -0.1, "place": -0.1})


ALONE = Regression(0.0, {"alone": 1.0, "resumed": 0.0})
"""In a thread everything is as likely as by itself."""
THREAD = Regression(0.0, {"alone": 1.0, "resumed": 1.0})
"""In a thread what goes on with what it rests on is likelier, and nothing else is."""


def _told(answer: Regression) -> Likelihood:
    return Likelihood(quote=_QUOTE, thread=THREAD, answer=answer, sure=0.5, near=0.2)


BY_WORDS = _told(Regression(-4.0, {"together": 4.0, "sentence": 3.0}))
"""Sure of what holds most words of the question in one sentence; nothing is near that holds few of them."""
SURE = _told(Regression(30.0, {}))
UNSURE = _told(Regression(-1.1, {}))
PROBABLE = replace(_told(Regression(0.5, {})), sure=0.8)
"""Not sure of anything, and likelier to be right than not."""
NOTHING = _told(Regression(-30.0, {}))


def by_rank(weight: float) -> Likelihood:
    """Return a likelihood that is sure of everything, by which quotes differ in the rank of their passage alone."""
    return Likelihood(
        quote=Regression(0.0, {"rank": weight}), thread=ALONE, answer=Regression(30.0, {}), sure=0.5, near=0.2
    )


def by_number(weight: float) -> Likelihood:
    """Return a likelihood that is sure of everything, by which quotes differ in whether they hold a number."""
    return Likelihood(
        quote=Regression(-2.0, {"number": weight}), thread=ALONE, answer=Regression(30.0, {}), sure=0.5, near=0.2
    )
