"""What keeps the calls of the model does (`storage.usage`). A subclass gives `usage`."""

import random
from typing import get_args

import pytest

from storage.usage import By, UsageRow

TODAY, YESTERDAY = "2026-03-31", "2026-03-30"
NOON = 1_774_958_400.0


def call(**given: object) -> UsageRow:
    usual = {
        "at": NOON, "day": TODAY, "turn_id": "t", "user": "u", "channel": "c", "model": "m", "role": "large",
        "outcome": "ok", "tokens_in": 10, "tokens_out": 5, "tokens_cached": 0, "estimated": False, "cost": 0.5,
    }  # fmt: skip
    return UsageRow(**{**usual, **given})  # type: ignore[arg-type]


def drawn(chance: random.Random) -> UsageRow:
    return call(
        day=chance.choice([YESTERDAY, TODAY]),
        user=chance.choice(["a", "b", ""]),
        channel=chance.choice(["x", "y"]),
        model=chance.choice(["모델", "m"]),
        outcome=chance.choice(["ok", "failed", "not_asked"]),
        tokens_in=chance.randrange(10**9),
        tokens_out=chance.choice([0, 10**9]),
        estimated=chance.random() < 0.5,
        cost=chance.random() * 1e6,
    )


class UsageContract:
    async def test_the_calls_of_a_turn_come_back_as_they_were_in_their_order(self, usage):
        kept = [call(tokens_in=10**12, estimated=True), call(model="모델", outcome="failed", cost=0.1)]
        await usage.add([kept[0], call(turn_id="other")])
        await usage.add([kept[1]])
        assert list(await usage.of_turn("t")) == kept and list(await usage.of_turn("none")) == []

    @pytest.mark.parametrize("seed", range(8))
    async def test_sums_are_the_sums_of_their_calls(self, usage, seed):
        chance = random.Random(seed)
        rows = [drawn(chance) for _ in range(seed * 3)]
        await usage.add(rows)
        today = [each for each in rows if each.day == TODAY]
        for whose in ({}, {"user": "a"}, {"channel": "x"}):
            held = [each for each in today if each.user]  # what is nobody's counts against no limit
            held = [each for each in held if all(getattr(each, name) == value for name, value in whose.items())]
            tokens, cost = await usage.spent(TODAY, **whose)
            assert tokens == sum(each.tokens_in + each.tokens_out for each in held)
            assert cost == pytest.approx(sum(each.cost for each in held))
        for by in get_args(By):
            sums = await usage.sums(YESTERDAY, by)
            assert {each.name for each in sums} == {getattr(each, by) for each in rows}
            assert len({each.name for each in sums}) == len(sums)
            for each in sums:
                of = [row for row in rows if getattr(row, by) == each.name]
                assert each.calls == sum(row.outcome != "not_asked" for row in of)
                assert each.failures == sum(row.outcome == "failed" for row in of)
                assert each.fallbacks == sum(row.outcome != "ok" for row in of)
                assert each.estimated == sum(row.estimated for row in of)
                assert (each.tokens_in, each.tokens_out) == (
                    sum(row.tokens_in for row in of), sum(row.tokens_out for row in of)
                )  # fmt: skip
                assert each.cost == pytest.approx(sum(row.cost for row in of))

    async def test_days_come_in_order_and_all_else_with_the_most_expensive_first(self, usage):
        await usage.add([call(day=TODAY, user="cheap", cost=0.1), call(day=YESTERDAY, user="dear", cost=9.0)])
        assert [each.name for each in await usage.sums(YESTERDAY, "day")] == [YESTERDAY, TODAY]
        assert [each.name for each in await usage.sums(YESTERDAY, "user")] == ["dear", "cheap"]
        assert [each.name for each in await usage.sums(TODAY, "user")] == ["cheap"]

    async def test_calls_are_summed_by_nothing_else(self, usage):
        with pytest.raises(ValueError, match="turn_id"):
            await usage.sums(TODAY, "turn_id")

    async def test_days_that_are_over_are_forgotten(self, usage):
        await usage.add([call(day=YESTERDAY), call(day=TODAY)])
        assert await usage.prune(TODAY) == 1 and await usage.prune(TODAY) == 0
        assert [each.name for each in await usage.sums("2020-01-01", "day")] == [TODAY]
