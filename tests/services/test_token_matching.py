"""How tokens are matched, and how that is fitted."""

import numpy as np
import pytest

from adapters.services.token_matching import PARTS, Codebook, TokenMatcher, Turn, fitted
from benchmarks import fit_matching
from benchmarks.fit_matching import as_case, fit, matches, measured

WIDTH = 12


def rows(*vectors):
    unit = np.array(vectors, dtype=np.float32)
    return unit / np.linalg.norm(unit, axis=1, keepdims=True)


def matcher(weight=None):
    nothing = Turn(np.zeros((WIDTH, 1), dtype=np.float32), np.zeros((1, WIDTH), dtype=np.float32))
    return TokenMatcher(nothing, nothing, np.zeros(WIDTH, dtype=np.float32) if weight is None else weight)


def case(chance, *, right=True):
    """Return a question of which one token says what is meant, and three texts that are as near but for that."""
    meant, usual = np.zeros(WIDTH), np.zeros(WIDTH)
    meant[chance.integers(2, 6)], usual[0] = 1.0, 1.0
    said = np.roll(meant, 4)  # what answers says it in other words
    noise = [0.3 * chance.standard_normal(WIDTH) for _ in range(6)]
    question = rows(meant + noise[0], usual + noise[1])
    other = np.zeros(WIDTH)
    other[10] = 1.0
    texts = [rows(other + noise[2], usual), rows((said if right else other) + noise[3]), rows(usual + noise[4])]
    return as_case("a", question, texts, [0.0, 1.0 if right else 0.0, 0.0])


def test_nothing_turns_tokens_that_have_no_map_and_all_count_the_same():
    tokens = rows(*np.eye(WIDTH)[:4])
    assert np.allclose(matcher().text.of(tokens), tokens)
    assert np.allclose(matcher().counts(tokens), 0.25)


def test_a_token_counts_by_its_weight_and_all_together_one():
    weight = np.zeros(WIDTH, dtype=np.float32)
    weight[1] = 50.0
    counts = matcher(weight).counts(rows(*np.eye(WIDTH)[:3]))
    assert counts.sum() == pytest.approx(1.0) and counts[1] > 0.99
    assert matcher().counts(np.zeros((0, WIDTH), dtype=np.float32)).shape == (0,)


def test_a_map_turns_tokens_to_others_of_length_one():
    down, up = np.zeros((WIDTH, 1), dtype=np.float32), np.zeros((1, WIDTH), dtype=np.float32)
    down[0, 0], up[0, 1] = 1.0, 100.0
    (turned,) = Turn(down, up).of(rows(np.eye(WIDTH)[0]))
    assert np.linalg.norm(turned) == pytest.approx(1.0) and turned[1] > 0.99


def test_what_is_in_the_package_is_for_the_bundled_model():
    model, book = fitted()
    for turn in (model.question, model.text):
        assert turn.down.shape[0] == turn.up.shape[1] == model.weight.shape[0] == 384
        assert turn.down.shape[1] == turn.up.shape[0] == fit_matching.RANK
        assert np.isfinite(turn.down).all() and turn.up.any()
    assert model.weight.any()
    assert book.centres.shape == (PARTS, 256, 384 // PARTS) and np.isfinite(book.centres).all()


def test_codes_stand_for_what_is_nearest_to_their_tokens():
    chance = np.random.default_rng(3)
    book = Codebook(chance.standard_normal((3, 5, WIDTH // 3)).astype(np.float32))
    codes = chance.integers(0, 5, (20, 3)).astype(np.uint8)
    tokens = np.stack([np.concatenate([book.centres[part, code] for part, code in enumerate(row)]) for row in codes])
    noise = 0.01 * chance.standard_normal(tokens.shape).astype(np.float32)
    assert (book.codes(tokens + noise) == codes).all()
    assert np.allclose(book.states(codes), rows(*tokens), atol=1e-6)
    assert book.states(codes[:0]).shape == (0, WIDTH)


def test_the_centres_are_where_the_tokens_of_texts_are():
    chance = np.random.default_rng(4)
    width = 2 * PARTS
    few = rows(*chance.standard_normal((6, width)))
    nothing = Turn(np.zeros((width, 1), dtype=np.float32), np.zeros((1, width), dtype=np.float32))
    plain = TokenMatcher(nothing, nothing, np.zeros(width, dtype=np.float32))
    book = fit_matching.codebook(plain, [as_case("a", few[:1], [few[chance.integers(0, 6, 60)]], [1.0])] * 6)
    assert book.centres.shape == (PARTS, 256, 2)
    assert np.allclose(book.states(book.codes(few)), few, atol=1e-3)


def test_what_answers_in_other_words_is_learnt(monkeypatch):
    monkeypatch.setattr(fit_matching, "STEP", 0.02)
    monkeypatch.setattr(fit_matching, "ROUNDS", 10)
    chance = np.random.default_rng(1)
    model = fit([case(chance, right=n % 4 > 0) for n in range(200)])
    others = [case(chance, right=n % 4 > 0) for n in range(100)]
    before, after = measured(matcher(), others), measured(model, others)
    assert after[0] > before[0] + 20 and after[0] >= 70
    assert after[1] > before[1]


def test_a_step_goes_where_the_loss_falls():
    chance = np.random.default_rng(2)
    some = case(chance)
    parts = {
        "question_down": (WIDTH, 3), "question_up": (3, WIDTH), "text_down": (WIDTH, 3), "text_up": (3, WIDTH),
        "weight": (WIDTH,),
    }  # fmt: skip
    at = {name: 0.2 * chance.standard_normal(shape) for name, shape in parts.items()}
    at |= {"steep": np.array(1.0), "bar": np.array(-1.0)}
    counted = _likely(at, some)
    for name, slope in fit_matching._slopes(at, some).items():
        way = 1e-3 * chance.standard_normal(at[name].shape)
        up, down = ({**at, name: at[name] + sign * way} for sign in (1, -1))
        risen = (_loss(up, some, counted) - _loss(down, some, counted)) / 2
        assert risen == pytest.approx(float((slope * way).sum()), rel=0.05, abs=2e-6), name


def _scores(at, some):
    return np.exp(at["steep"]) * matches(fit_matching._matcher(at), some).astype(float)


def _likely(at, some):
    likely = np.exp(_scores(at, some))
    return likely / likely.sum()


def _loss(at, some, counted):
    tells = 1 / (1 + np.exp(-_scores(at, some) - at["bar"]))
    first = -(some.shares * np.log(_likely(at, some))).sum()
    return first - (counted * (some.shares * np.log(tells) + (1 - some.shares) * np.log(1 - tells))).sum()
