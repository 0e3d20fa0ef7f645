"""Where the bars of answers are set, by the answers of questions whose facts are known."""

import numpy as np
import pytest

from benchmarks import likelihood


def test_an_answer_is_told_as_one_from_where_on_enough_of_them_are_right():
    chances = np.array([0.9, 0.8, 0.7, 0.6, 0.5, 0.4])
    shares = np.array([1.0, 0.5, 1.0, 1.0, 0.0, 0.0])
    assert likelihood._sure(chances, shares) == 0.5  # four of five, whole or in part
    assert likelihood._sure(chances, 0 * shares) == 1.0


def test_of_answers_that_are_whole_few_are_held_back():
    chances = np.linspace(0.001, 1.0, 1000)
    whole = (chances > 0.2).astype(float)
    near = likelihood._near(chances, whole, 0.9)
    assert near == pytest.approx(0.2 + likelihood.LOST * 0.8, abs=0.002)
    assert likelihood._near(chances, whole, 0.1) == 0.1  # what is told as an answer is told
    assert likelihood._near(chances, 0 * whole, 0.9) == 0.0
