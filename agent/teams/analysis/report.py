"""An analysis in words: the part of the answer in the thread, and the whole report."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from agent.language import say
from agent.reasoning.analysis_contract import Figure, Means, Reading
from agent.results import Told
from agent.teams.analysis.compute import Computed
from agent.teams.analysis.table import shown
from agent.types import Language, Sentence, Support

MOST_FIGURES = 6
_MOST_CITED = 3
_MOST_NAMES = 4
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


def told(computed: Computed, reading: Reading, about: Sequence[str], language: Language) -> Told:
    """Return the part of the answer: insights with the rows that they rest on, key figures, what is worth a look."""
    sentences = [
        Sentence(text=plain(insight.text), support=_support(computed, insight.metrics), lead="\n- ")
        for insight in reading.insights
    ]
    if sentences:
        sentences[0] = replace(sentences[0], lead="\n\n- ")
    figures = key_figures(computed)
    if figures:
        sentences.append(Sentence(text=table(figures, language), lead="\n\n"))
    sentences += _listed(say("analysis_recommended", language), reading.recommendations)
    sentences += _listed(say("analysis_about", language), (*about, *notes_on(computed, language)))
    confidence = say("analysis_confidence", language, value=f"{computed.confidence:.2f}")
    sentences.append(Sentence(text=f"_{confidence}_", lead="\n\n"))
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


def notes_on(computed: Computed, language: Language) -> tuple[str, ...]:
    """Return sentences on the data: what was left out, put together, converted."""
    notes = _notes(computed, language)
    return tuple(dict.fromkeys(say(f"analysis_n_{key}", language, **values) for key, values in notes))


def _notes(computed: Computed, language: Language) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the name of each note in the catalogue, with its values."""
    selected, frame = computed.selected, computed.frame
    if computed.refused:
        yield "no_periods", {}
    if not computed.table.whole:
        yield "cut", {"rows": f"{len(computed.table.rows):,}"}
    if selected.span_missed:
        yield "no_span", {}
    if selected.only:
        yield "only", {"names": _names(selected.only)}
    if computed.totals:
        names = [next((cell for cell in row.cells if cell), "") for row in computed.totals]
        yield "totals", {"names": _names(list(dict.fromkeys(names)))}
    if selected.time is not None and selected.time.unread:
        of = selected.time.name or say("analysis_period", language)
        yield "undated", {"of": of, "count": f"{selected.time.unread:,}"}
    for column in selected.measures:
        for key, count in (("missing", column.missing), ("unread", column.unread)):
            if count:
                yield key, {"of": column.name, "count": f"{count:,}"}
    if frame is None:
        return
    axis = frame.name or say("analysis_period" if frame.periods else "analysis_name", language)
    if frame.grain is not None and not (language == "ko" and frame.grain == "year"):
        axis = say(f"analysis_{frame.grain}", language)
    for how in dict.fromkeys(measure.how for measure in frame.measures):
        if how in ("sum", "mean", "median"):
            yield how, {"axis": axis}
    if frame.lines_left:
        yield "lines", {"count": f"{frame.lines_left:,}"}


def _names(names: Sequence[str]) -> str:
    more = f" (+{len(names) - _MOST_NAMES})" if len(names) > _MOST_NAMES else ""
    return ", ".join(map(shown, names[:_MOST_NAMES])) + more
