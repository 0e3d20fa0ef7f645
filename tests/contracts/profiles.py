"""What every memory of people does (`agent.ports.Profiles`). A subclass gives a fixture `profiles`."""

from agent.types import MOST_VALUES, Memory, Preferences, Profile

ANN, BOB = "slack:T1:ann", "slack:T1:bob"


def memory(number: int, question: str, answer: str = "") -> Memory:
    return Memory(turn_id=f"t{number}", question=question, answer=answer, at=float(number), evidence=(f"d{number}#0",))


class ProfilesContract:
    async def test_somebody_new_has_an_empty_profile(self, profiles):
        assert await profiles.load(ANN, "medical") == Profile()
        assert list(await profiles.memories(ANN, "medical", "", k=5)) == []
        assert await profiles.forget(ANN) == 0

    async def test_slots_add_up_and_none_takes_one_away(self, profiles):
        await profiles.fill(ANN, "medical", {"conditions": ["당뇨"], "age": 54})
        await profiles.fill(ANN, "medical", {"age": 55, "smoker": False})
        await profiles.fill(ANN, "medical", {"conditions": None})
        assert (await profiles.load(ANN, "medical")).slots == {"age": 55, "smoker": False}

    async def test_a_list_grows_and_each_value_goes_with_its_own_turn(self, profiles):
        await profiles.fill(ANN, "medical", {"conditions": ["당뇨"]}, turn_id="t1")
        await profiles.fill(ANN, "medical", {"conditions": ["고혈압", "천식"]}, turn_id="t2")
        assert (await profiles.load(ANN, "medical")).slots == {"conditions": ["당뇨", "고혈압", "천식"]}
        await profiles.drop("t1")
        assert (await profiles.load(ANN, "medical")).slots == {"conditions": ["고혈압", "천식"]}
        await profiles.fill(ANN, "medical", {"age": 54}, gone={"conditions": ["고혈압"]}, turn_id="t3")
        await profiles.fill(ANN, "medical", {}, gone={"age": [53], "conditions": ["감기"]})
        assert (await profiles.load(ANN, "medical")).slots == {"conditions": ["천식"], "age": 54}
        await profiles.fill(ANN, "medical", {}, gone={"conditions": ["천식"], "age": [54]})
        assert (await profiles.load(ANN, "medical")).slots == {}

    async def test_a_list_that_is_full_lets_its_oldest_values_go_and_says_so(self, profiles):
        assert not await profiles.fill(ANN, "medical", {"conditions": [f"a{n}" for n in range(MOST_VALUES)], "age": 1})
        assert list(await profiles.fill(ANN, "medical", {"conditions": ["b"], "age": 2})) == ["conditions"]
        known = (await profiles.load(ANN, "medical")).slots["conditions"]
        assert len(known) == MOST_VALUES and known[0] == "a1" and known[-1] == "b"

    async def test_what_a_turn_told_goes_with_it_and_what_another_told_stays(self, profiles):
        await profiles.fill(ANN, "medical", {"age": 54, "conditions": ["당뇨"]}, turn_id="t1")
        await profiles.fill(ANN, "medical", {"age": 55}, turn_id="t2")
        await profiles.fill(ANN, "medical", {"smoker": False})
        await profiles.drop("t1")
        assert (await profiles.load(ANN, "medical")).slots == {"age": 55, "smoker": False}
        await profiles.drop("t2")
        assert (await profiles.load(ANN, "medical")).slots == {"smoker": False}

    async def test_slots_belong_to_a_person_and_a_pack_but_preferences_to_every_pack(self, profiles):
        await profiles.fill(ANN, "medical", {"age": 54})
        await profiles.prefer(ANN, Preferences(language="ko", length="short"))
        assert (await profiles.load(ANN, "tax_audit")).slots == {}
        assert (await profiles.load(BOB, "medical")) == Profile()
        assert (await profiles.load(ANN, "tax_audit")).preferences == Preferences(language="ko", length="short")
        await profiles.prefer(ANN, Preferences(format="table"))
        assert (await profiles.load(ANN, "medical")).preferences == Preferences(format="table")

    async def test_past_questions_come_back_latest_first_or_nearest_first(self, profiles):
        for number, question in enumerate(("how do I reset the VPN token?", "연차는 며칠인가요?", "parental leave"), 1):
            await profiles.keep(ANN, "handbook", memory(number, question, f"answer {number}"))
        latest = await profiles.memories(ANN, "handbook", "", k=2)
        assert [m.turn_id for m in latest] == ["t3", "t2"] and latest[0].evidence == ("d3#0",)
        assert [m.turn_id for m in await profiles.memories(ANN, "handbook", "my VPN question", k=5)] == ["t1"]
        assert [m.turn_id for m in await profiles.memories(ANN, "handbook", "연차", k=5)] == ["t2"]
        assert list(await profiles.memories(ANN, "handbook", "zebra", k=5)) == []

    async def test_past_questions_are_nobody_elses(self, profiles):
        await profiles.keep(ANN, "handbook", memory(1, "how do I reset the VPN token?"))
        assert list(await profiles.memories(BOB, "handbook", "VPN token", k=5)) == []
        assert list(await profiles.memories(ANN, "medical", "VPN token", k=5)) == []

    async def test_a_turn_that_ran_again_is_remembered_once_and_a_dropped_one_not_at_all(self, profiles):
        await profiles.keep(ANN, "handbook", memory(1, "first wording"))
        await profiles.keep(ANN, "handbook", memory(1, "second wording"))
        assert [m.question for m in await profiles.memories(ANN, "handbook", "", k=5)] == ["second wording"]
        await profiles.drop("t1")
        assert list(await profiles.memories(ANN, "handbook", "", k=5)) == []

    async def test_the_oldest_questions_give_way(self, profiles):
        for number in range(1, 206):
            await profiles.keep(ANN, "handbook", memory(number, f"question {number}"))
        kept = await profiles.memories(ANN, "handbook", "", k=1000)
        assert len(kept) == 200 and (kept[0].turn_id, kept[-1].turn_id) == ("t205", "t6")

    async def test_everything_about_somebody_is_forgotten_and_nothing_of_others(self, profiles):
        for user in (ANN, BOB):
            await profiles.fill(user, "medical", {"age": 54})
            await profiles.prefer(user, Preferences(length="short"))
            await profiles.keep(user, "medical", memory(1 if user == ANN else 2, "blood pressure"))
        assert await profiles.forget(ANN) == 3
        assert await profiles.load(ANN, "medical") == Profile()
        assert list(await profiles.memories(ANN, "medical", "", k=5)) == []
        assert (await profiles.load(BOB, "medical")).slots == {"age": 54}
        assert len(await profiles.memories(BOB, "medical", "", k=5)) == 1
