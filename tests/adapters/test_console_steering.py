"""Nothing that a document holds steers the terminal on which `weft ask` prints."""

from adapters.console import ConsoleAdapter
from adapters.contract import Failure, TodoList
from agent.types import Citation, Clarification, Plan, Response, Step, StepStatus
from tests.fakes import incoming
from tests.fakes_deliveries import MemoryDeliveries

STEERING = "\x1b]0;owned\x07\x1b[2J\x9b2J\u202egnp\u2066\u200f"


async def test_what_is_printed_is_only_text(capsys):
    words = f"before {STEERING} after"
    citation = Citation(
        n=1, document_id=words, passage_id="p", title=words, quote=words, section=words, source=f"https://e.x/{words}"
    )
    response = Response(
        thread_id="t", turn_id="u", pack="p", mode="agent", language="en", route="research",
        answer=f"{words} [1]\n\n```\n{words}\n```", response_type="answer", citations=(citation,), warnings=(words,),
    )  # fmt: skip
    reply = ConsoleAdapter().reply(incoming(), MemoryDeliveries())
    step = Step(id="s", team="search", task=words, status=StepStatus.COMPLETED)
    await reply.show(TodoList(steps=(step,), language="en", status="done", elapsed_ms=1.0))
    await reply.ask(Clarification(question=words, options=(words,)))
    await reply.finish(response)
    await reply.fail(Failure(text=words, language="en"))
    printed = capsys.readouterr().out
    assert printed.count("before") >= 7
    assert not [character for character in printed if character != "\n" and not character.isprintable()]


async def test_in_a_file_the_list_ends_its_line_before_and_behind_the_answer(capsys):
    reply = ConsoleAdapter().reply(incoming(), MemoryDeliveries())
    response = Response(
        thread_id="t", turn_id="u", pack="p", mode="agent", language="en", route="research", answer="Thirty days.",
        response_type="answer",
    )  # fmt: skip
    step = Step(id="s", team="search", task="Search", status=StepStatus.COMPLETED)
    await reply.show(TodoList(steps=(step,), language="en", status="working", elapsed_ms=1.0))
    await reply.finish(response)
    await reply.show(TodoList(steps=(step,), language="en", status="done", elapsed_ms=1.0))
    first, gap, answer, *_, last = capsys.readouterr().out.rstrip(" ").split("\n")
    assert "Search" in first and not gap.strip() and answer.strip() == "Thirty days." and last == ""


async def test_what_looks_like_markup_is_printed_with_every_word(capsys):
    reply = ConsoleAdapter().reply(incoming(), MemoryDeliveries())
    told = "Put in <your-id> [1](twice), `argv[1]`.\n\n[2]: see [the form](https://e.x/form).\n\n```\nlogin <name>\n```"
    await reply.finish(
        Response(
            thread_id="t", turn_id="u", pack="p", mode="agent", language="en", route="research", answer=told,
            response_type="answer",
        )
    )  # fmt: skip
    printed = " ".join(capsys.readouterr().out.split())
    assert printed == "Put in <your-id> [1](twice), argv[1]. [2]: see the form (https://e.x/form). login <name>"


async def test_the_list_stands_once_above_the_answer_as_it_is_at_the_end(capsys):
    reply = ConsoleAdapter().reply(incoming(), MemoryDeliveries())
    running = Step(id="s", team="search", task="Search", status=StepStatus.IN_PROGRESS)
    done = Step(id="s", team="search", task="Search", status=StepStatus.COMPLETED)
    response = Response(
        thread_id="t", turn_id="u", pack="p", mode="agent", language="en", route="research", answer="Thirty days.",
        response_type="answer", plan=Plan(steps=(done,)),
    )  # fmt: skip
    await reply.show(TodoList(steps=(running,), language="en", status="working", elapsed_ms=1.0))
    await reply.finish(response)
    await reply.show(TodoList(steps=(done,), language="en", status="done", elapsed_ms=2.0))
    printed = capsys.readouterr().out
    assert printed.count("Search") == 1 and printed.index("✓ Search") < printed.index("Thirty days.")


async def test_lines_stay_lines_and_what_is_wider_than_its_column_is_whole(capsys):
    address = "the-one-who-answers-the-telephone-on-sundays@a-very-long-name.example"
    cells = " | ".join(f"a long name of column {n}" for n in range(6))
    table = f"| Mail | {cells} |\n|{'---|' * 7}\n| {address} | {cells} |"
    await ConsoleAdapter().reply(incoming(), MemoryDeliveries()).finish(
        Response(
            thread_id="t", turn_id="u", pack="p", mode="agent", language="en", route="research",
            answer=f"① first\n② second\n\n{table}", response_type="answer",
        )
    )  # fmt: skip
    printed = capsys.readouterr().out
    first, second, *lines = [line for line in printed.splitlines() if line.strip()]
    assert (first.strip(), second.strip()) == ("① first", "② second")
    assert "".join(line.split("  ")[0].strip() for line in lines).count(address) == 1
