"""An analysis in words: the part of the answer in the thread, and the whole report."""

import re
from collections.abc import Iterator, Sequence

from agent.language import say
from agent.reasoning.analysis_contract import Figure, Means, Reading
from agent.results import Told
from agent.teams.analysis.compute import Computed
from agent.types import Language, Sentence, Support

MOST_FIGURES = 6
_MOST_CITED = 3
_HARMLESS = str.maketrans({"[": "(", "]": ")", "<": "‹", ">": "›", "`": "'", "*": "∗", "|": "¦", "~": "∼"})
"""Characters that a platform may take for mark-up, and what is shown for them: not all of them understand escapes."""
_EDGE = re.compile(r"(?<![^\W_])_|_(?![^\W_])")
_OPENING = re.compile(r"^[#+-](?=\s|#)")
_KEY_FIGURES: dict[str, tuple[Means, ...]] = {
    "trend": ("first", "last", "change_share", "change", "highest", "lowest", "sum", "mean"),
    "comparison": ("rank", "sum", "mean", "highest", "lowest"),
    "distribution": ("mean", "median", "low_quarter", "high_quarter", "highest", "lowest", "rank", "sum"),
    "summary": ("sum", "mean", "highest", "lowest", "change_share", "rank", "count"),
}


def told(computed: Computed, reading: Reading, notes: Sequence[str], language: Language) -> Told:
    """Return the part of the answer: insights with the rows that they rest on, key figures, what is worth a look."""
    sentences = [
        Sentence(text=plain(insight.text), support=_support(computed, insight.metrics), lead="\n- ")
        for insight in reading.insights
    ]
    if sentences:
        sentences[0] = Sentence(text=sentences[0].text, support=sentences[0].support, lead="\n\n- ")
    figures = key_figures(computed)
    if figures:
        sentences.append(Sentence(text=table(figures, language), lead="\n\n"))
    sentences += _listed(say("analysis_recommended", language), reading.recommendations)
    sentences += _listed(say("analysis_about", language), notes)
    sentences.append(Sentence(text=_confidence(computed, language), lead="\n\n"))
    cited = {place.block for sentence in sentences for place in sentence.support}
    blocks = tuple(block for block in computed.table.blocks if block.n in cited)
    return Told(title=plain(computed.title), sentences=tuple(sentences), blocks=blocks)


def report(told: Told) -> str:
    """Return the part of the answer as Markdown of its own."""
    return f"## {told.title}" + "".join(sentence.lead + sentence.text for sentence in told.sentences)


def key_figures(computed: Computed) -> list[Figure]:
    """Return the figures that are shown in the thread: one of each measure tells more than all of one."""
    wanted = _KEY_FIGURES[computed.kind]
    measures = list(dict.fromkeys(each.of for each in computed.figures))
    found = [each for each in computed.figures if each.means in wanted]
    found.sort(key=lambda each: (wanted.index(each.means), measures.index(each.of)))
    names: dict[tuple[str, str], Figure] = {}
    for each in found:
        names.setdefault((each.of, each.metric.written + each.at), each)  # the highest of a ranking is its first
    return list(names.values())[:MOST_FIGURES]


def table(figures: Sequence[Figure], language: Language) -> str:
    """Return figures as a table of Markdown."""
    head = [say("analysis_figure", language), say("analysis_value", language)]
    rows = [[plain(each.metric.name), plain(each.metric.written)] for each in figures]
    return "\n".join("| " + " | ".join(row) + " |" for row in (head, ["---", "---:"], *rows))


def plain(text: str) -> str:
    """Return a text in which nothing is mark-up: names come from cells, and a cell may hold anything."""
    text = _EDGE.sub("＿", text.translate(_HARMLESS))
    return _OPENING.sub(lambda match: {"#": "＃", "+": "＋", "-": "–"}[match.group()], text)


def _confidence(computed: Computed, language: Language) -> str:
    return "_" + say("analysis_confidence", language, value=f"{computed.confidence:.2f}") + "_"


def _listed(title: str, items: Sequence[str]) -> Iterator[Sentence]:
    if items:
        yield Sentence(text=title, lead="\n\n")
        for n, item in enumerate(items):
            yield Sentence(text=plain(item), lead="\n\n- " if n == 0 else "\n- ")


def _support(computed: Computed, metrics: Sequence[str]) -> tuple[Support, ...]:
    """Return the rows that a statement rests on: of many, the first and the last."""
    rows = dict.fromkeys(row for name in metrics for row in computed.rows.get(name, ()))
    every = [computed.selected.columns.rows[row].support for row in rows]
    places = list(dict.fromkeys(place for place in every if place is not None))
    return tuple(places[:_MOST_CITED])
