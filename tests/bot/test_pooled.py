"""The whole of Weft behind a proxy that gives a connection for each transaction."""

import asyncio

from agent.types import MessageKind
from bot.app import open_engine
from bot.settings import Settings
from storage.ingest.run import ingest
from storage.postgres.migrate import migrate
from tests.fakes import RecordingAdapter, incoming
from tests.servers.pooler import TransactionPooler
from tests.servers.postgres import TRUSTED


async def test_turns_are_answered_over_fewer_connections_than_there_are(postgres, tmp_path, sampled, monkeypatch):
    monkeypatch.chdir(tmp_path)
    name = postgres.empty(owner=TRUSTED)
    async with TransactionPooler(postgres.port, name, TRUSTED, connections=3) as pooler:
        url = postgres.url(name, user=TRUSTED, port=pooler.port)
        await migrate(url)
        (tmp_path / "rota.md").write_text("# The canteen\n\nThe canteen opens at eleven o'clock.\n")
        async with open_engine(Settings.load(data=tmp_path / "data", database_url=url)) as engine:
            await engine.library.declare("documents")
            report = await ingest([tmp_path / "rota.md"], library=engine.library, collection="documents")
            assert report.added == 1 and not report.refused
            workers = [asyncio.create_task(engine.worker([RecordingAdapter()]).run()) for _ in range(2)]
            messages = [
                incoming(text="When does the canteen open?", message_id=f"m{n}", kind=MessageKind.DIRECT, private=True)
                for n in range(4)
            ]
            await asyncio.gather(*(engine.conversation.accept(message) for message in messages))
            async with asyncio.timeout(120):
                while (counts := await engine.inbox.counts())["todo"] or counts["doing"]:
                    await asyncio.sleep(0.01)
            for task in workers:
                task.cancel()
            await asyncio.gather(*workers, return_exceptions=True)
            for message in messages:
                found = await engine.turns.get(message.turn_id)
                assert found is not None and "eleven" in found.response.answer
        assert pooler.transactions > 50
    postgres.drop(name)
