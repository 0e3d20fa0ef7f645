"""Thumbs under Weft's messages in Discord, over the gateway."""

from agent.types import DeliveryRef


async def test_thumbs_are_kept_with_who_gave_them_and_taken_back(discord, listening, intake):
    theirs = await discord.post(discord.general, discord.bob, "hello")
    answer = await discord.post(discord.general, discord.bot, "26 days")
    await discord.react(discord.general, theirs, discord.alice, "👍")
    await discord.react(discord.general, answer, discord.alice, "🎉")
    await discord.react(discord.general, answer, discord.bot, "👍")
    for emoji, remove in (("👍🏽", False), ("👎", False), ("👎", True)):
        await discord.react(discord.general, answer, discord.alice, emoji, remove=remove)
    await discord.until(lambda: len(intake.ratings) > 2)
    posted = DeliveryRef(channel_id=discord.general, message_id=answer)
    assert [(where, rating.user, rating.helpful) for where, rating in intake.ratings] == [
        (posted, discord.alice, helpful) for helpful in (True, False, None)
    ]


async def test_thumbs_count_in_direct_messages(discord, listening, intake):
    direct = await discord.dm(discord.alice)
    answer = await discord.post(direct, discord.bot, "26 days")
    await discord.react(direct, answer, discord.alice, "👎")
    [(_, rating)] = await discord.until(lambda: intake.ratings)
    assert rating.helpful is False
