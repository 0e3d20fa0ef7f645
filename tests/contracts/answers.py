"""What everything that keeps the responses of turns does (`agent.ports.Answers`).

A subclass gives `answers`, and `keep(response)`, which stores what came of a turn.
"""

from dataclasses import replace


class AnswersContract:
    async def test_what_came_of_a_turn_is_found_as_it_was(self, answers, keep, response):
        await keep(response)
        assert await answers.response(response.turn_id) == response

    async def test_of_two_turns_each_has_its_own(self, answers, keep, response):
        await keep(response)
        await keep(replace(response, turn_id="t-other", answer="Another answer."))
        assert (await answers.response("t-other")).answer == "Another answer."
        assert (await answers.response(response.turn_id)).answer == response.answer

    async def test_of_a_turn_that_is_not_kept_there_is_nothing(self, answers, keep, response):
        await keep(response)
        assert await answers.response("t-never") is None
