"""What a judge makes of falsified twins: `python -m benchmarks.model_judge DATA [--most N] [--json FILE]`.

True sentences and, of each, twins with one thing made false (`benchmarks/grounding_planted.py`), every one as a draft
of one sentence that cites its source. They are checked as in a turn, by the rules alone and with an endpoint over real
HTTP whose model plays one of these judges:

- truthful: it knows which sentences are twins, and says so;
- yes to all, as a weak model does: what is caught then, the rules prove;
- no to all: what is shown then, is word for word in its source.

Caught: a twin that is not shown. Deleted: a true sentence that is not shown. DATA has `begin/`, `clapnq/` and
`korquad/`.
"""

import argparse
import asyncio
import statistics
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

import openai

from agent.packs.load import builtin, load_pack
from agent.packs.pack import Pack
from agent.reasoning.contract import Brief
from agent.reasoning.grounding.citation_support import Findings, check_all, findings
from agent.reasoning.model import ModelReasoner
from agent.reasoning.model.transport.calls import Calls
from agent.reasoning.model.transport.endpoint import Endpoint
from agent.reasoning.model.transport.messages import inert
from agent.reasoning.model.transport.roles import Served
from agent.text import language_of
from agent.types import Sentence, Support
from benchmarks.grounding import block_of, true_sets
from benchmarks.grounding_planted import KINDS, Statement, planted
from benchmarks.report import Comparison
from tests.servers.openai import OpenAIServer, Request

AT_ONCE = 8
RULES = "rules alone"
DOUBTED = "doubted by rules"
"""Or refused: what the judge is told, and what halves what a sentence is worth where nobody judges."""
TRUE = "true sentences deleted"

Shown = Callable[[str], bool]
"""Tells of a sentence whether the judge finds it supported."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--most", type=int, default=400, help="true sentences of each set")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    report = Comparison("Falsified twins that are caught, and true sentences that are deleted", "truthful", {})
    for name, statements in true_sets(given.data).items():
        asyncio.run(judged(name, statements[:: max(1, len(statements) // given.most)][: given.most], report))
    report.show(given.json)


async def judged(name: str, statements: Sequence[Statement], report: Comparison) -> None:
    """Note what each judge catches of the twins of these sentences, and what it deletes of the sentences."""
    pack = load_pack(builtin("handbook"))
    cases = [(TRUE, each.text, each.source) for each in statements]
    cases += [(twin.kind, twin.text, twin.source) for twin in planted(statements)]
    false = {inert(text).strip() for kind, text, _ in cases if kind != TRUE}
    judges: Mapping[str, Shown] = {
        "truthful": lambda text: text not in false,
        "yes to all": lambda text: True,
        "no to all": lambda text: False,
    }
    by_rules = [(kind, Draft(text, source)) for kind, text, source in cases]
    note(name, DOUBTED, [(kind, not each.found.all) for kind, each in by_rules], report)
    note(name, RULES, [(kind, check_all(each.sentences, each.blocks).is_valid) for kind, each in by_rules], report)
    for judge, says in judges.items():
        async with OpenAIServer() as server:
            server.answer(partial(verdicts, says))
            async with openai.AsyncOpenAI(api_key="none", base_url=server.url) as client:
                model = ModelReasoner(Endpoint(Calls(client), {"small": Served(name="judge")}))
                places = asyncio.Semaphore(AT_ONCE)

                async def shown(
                    text: str, source: str, model: ModelReasoner = model, places: asyncio.Semaphore = places
                ) -> bool:
                    async with places:
                        draft = Draft(text, source)
                        return (await model.check_grounding(draft.sentences, draft.brief(pack))).is_valid

                found = await asyncio.gather(*(shown(text, source) for _, text, source in cases))
            note(name, judge, [(kind, valid) for (kind, _, _), valid in zip(cases, found, strict=True)], report)
            report.add(judge, f"{name}: calls of the judge", len(server.chats))


class Draft:
    """A draft of one sentence that cites its whole source."""

    def __init__(self, text: str, source: str) -> None:
        self.blocks = [block_of(1, source)]
        self.sentences = [Sentence(text=text, support=(Support(block=1, start=0, end=len(source)),))]

    @property
    def found(self) -> Findings:
        """What the rules find about it."""
        return findings(self.sentences[0], self.blocks)

    def brief(self, pack: Pack) -> Brief:
        """Return what it was written from."""
        language = language_of(self.sentences[0].text)
        return Brief(question="What is said?", language=language, pack=pack, blocks=self.blocks)


def verdicts(says: Shown, request: Request) -> dict[str, object]:
    """Answer as a judge who says this of a sentence."""
    (text,) = request.quoted("answer")
    supported = says(text)
    verdict = {"n": 1, "supported": supported, "problem": "" if supported else "not what the passage says"}
    return {"verdicts": [verdict], "answered": "yes", "missing": []}


def note(name: str, judge: str, found: Sequence[tuple[str, bool]], report: Comparison) -> None:
    """Note the shares of what is not shown, by kind; `found`: kind, and whether it is shown."""
    hidden: dict[str, list[bool]] = defaultdict(list)
    for kind, valid in found:
        hidden[kind].append(not valid)
        if kind != TRUE:
            hidden["twins caught"].append(not valid)
    for kind in (TRUE, "twins caught", *KINDS):
        if kind in hidden:
            report.add("sentences", f"{name}: {kind}", len(hidden[kind]))
            report.add(judge, f"{name}: {kind}", statistics.mean(hidden[kind]))


if __name__ == "__main__":
    main()
