"""Things that a question names side by side, compared or listed: a question about each of them."""

import re
from collections.abc import Sequence
from itertools import dropwhile, takewhile

from agent.language.ko.letters import is_hangul
from agent.language.ko.stems import is_predicate, meant_of, stem_of, without_topic
from agent.language.lexicon import first, forms, pattern, patterns
from agent.reasoning.rules.reading.answer_type import COMMON, Term, read, without_aside
from agent.reasoning.rules.reading.question_form import KOREAN_ASKING, content_of, is_name, is_question, named_in
from agent.text import ENGLISH_STOP_WORDS, language_of
from agent.types import Language

READ = 300
"""Characters of a question that names things side by side."""
NAMED_WITH = 3
"""Words from which one side of a comparison is no name alone, but has behind it what is asked of both."""
LACKING = 2
"""Words that the second of two things has less, from which on it lacks what is asked of both: "what does an adult pay
vs a child" is one question."""
LONGEST = 5
"""Words of a thing of a list."""
_POSSESSIVE = re.compile(r"['’]s$")
MOST = 4
"""Words of a text that only names things."""
_MARKS = " ,;:.?!\"'“”‘’()"


def things_in(text: str) -> tuple[str, ...]:
    """Return a question as one about each of the things that it names side by side; itself where it names one."""
    for found in (compared(text), both(text), _listed(text)):
        if found and all(asks_about(part, COMMON) for part in found) and holds(found, text):
            return found
    return (text,)


def holds(parts: Sequence[str], text: str) -> bool:
    """Tell whether the parts hold all that a text is about."""
    told = " ".join(parts).casefold()
    joined_by = pattern("planning.joined_by")
    return all(
        joined_by.sub("", term.stem).casefold() in told or term.word.casefold() in told for term in content_of(text)
    )


def asks_about(part: str, least: float) -> bool:
    """Tell whether a part has a word of at least this weight that it is about."""
    return any(term.weight >= least and not KOREAN_ASKING.search(term.word) for term in read(part).terms)


def compared(text: str) -> tuple[str, ...]:
    """Return the things that a message compares, each standing alone; empty where it compares nothing."""
    match, language = _two("reading.compared", text)
    if match is None:
        return ()
    a, b = _bare(match["a"], language), _bare(match["b"], language)
    shared = match.groupdict().get("shared") or ""
    if shared and a and b:  # what they are compared in; where the first has its own, it is that of the second
        b = f"{b} {shared}"
        a = a if shared.split()[0] in a.split() else f"{a} {shared}"
    elif len(a.split()) == 1 and len(b.split()) >= NAMED_WITH and not _has_article(b, language):
        a = f"{a} {' '.join(b.split()[1:])}"  # what stands behind the second name is asked of both
    if not a or not b or a.lower() == b.lower() or _of_one(a, b):
        return ()
    things = _about_the_same(a, b)
    if things == (a, b) and len(a.split()) >= len(b.split()) + LACKING:
        return ()
    return tuple(name for thing in things for name in _several(thing, language))


def _has_article(name: str, language: Language) -> bool:
    determined = patterns("planning.determined").get(language)
    return determined is not None and determined.match(name) is not None


def _of_one(a: str, b: str) -> bool:
    """Tell whether two things are editions of one: the old and the new leave rules, 예전 지침 and 새 재택 지침."""
    edition = pattern("reading.editions")
    mine, other = (set(edition.sub(" ", each.casefold()).split()) for each in (a, b))
    return edition.search(f"{a}\n{b}".casefold()) is not None and (mine <= other or other <= mine)


def _several(thing: str, language: Language) -> Sequence[str]:
    """Return the things that one side of a comparison names, where each is a name; itself where it is one."""
    names = _names(thing, language)
    return names if all(map(_is_name, names)) else (thing,)


def both(text: str) -> tuple[str, ...]:
    """Return a question about two things at once as one about each; empty where it is about one."""
    match, language = _two("reading.both", text)
    if match is None:
        return ()
    around = match.groupdict()
    if pattern("reading.has_both", language).search(f"{around.get('head', '')} | {match['tail']}"):
        return ()
    before = f"{around.get('head', '').rstrip()} {around.get('p', '')}".strip()
    things = (f"{before} {match[name].strip()}" if before else _bare(match[name], language) for name in ("a", "b"))
    return tuple(thing + match["tail"] for thing in things)


def _two(form: str, text: str) -> tuple[re.Match[str] | None, Language]:
    """Return where a text that is not too long names two things, and its language."""
    language = language_of(text)
    return first(form, text, language) if len(text) <= READ else None, language


def _bare(name: str, language: Language) -> str:
    """Return a thing's name without what stands before it in the sentence."""
    name = name.strip(" \"'“”‘’")
    for form in forms("reading.before_thing", language):
        name = form.sub("", name)
    return name.strip()


def _about_the_same(a: str, b: str) -> tuple[str, str]:
    """Let a bare `the law` be that on the other thing."""
    rules = pattern("reading.rules_as_such")
    if rules.fullmatch(b) and not rules.fullmatch(a):
        return a, f"{a} {b}"
    if rules.fullmatch(a) and not rules.fullmatch(b):
        return f"{b} {a}", b
    return a, b


def _listed(text: str) -> tuple[str, ...]:
    """Return a request for several things as one for each: each has its article, or all are names of one length."""
    language = language_of(text)
    head, listed, tail = _request(text, language)
    if not listed:
        return ()
    items = [item.strip() for item in pattern("planning.list_joints", language).split(listed) if item.strip()]
    lengths = {len(item.split()) for item in items}
    determined = patterns("planning.determined").get(language)
    alike = len(lengths) == 1 and len(items) > 2 and (determined is None or lengths != {1})
    named = len(items) > 1 and all(_has_article(item, language) for item in items)
    unlike = any(_tells_more(item) or not pattern("reading.editions").sub("", item).strip() for item in items)
    if not (alike or named) or max(lengths) > LONGEST or unlike:
        return ()
    return tuple(f"{head}{item}{tail}" for item in items)


def side_by_side(text: str) -> tuple[str, ...]:
    """Return a request for a few things with one verb as one for each: "tell me A and B"; mostly nothing.

    Whether they are several things or one that is called so, the words do not tell: the documents do.
    """
    language = language_of(text)
    head, listed, tail = _request(text, language)
    names = _names(listed, language)
    if len(names) < 2 or not all(map(_is_name, names)):
        return ()
    parts = tuple(f"{head}{name}{tail}" for name in names)
    return parts if all(asks_about(part, COMMON) for part in parts) and holds(parts, text) else ()


def name_of(text: str) -> str:
    """Return what a request is for, without the words that ask for it; the text itself where that is no name.

    A Korean name has no particle but behind it: 회원이 가마 of 회원이 가마를 예약하는지 is none.
    """
    name = _request(text, language_of(text))[1]
    begins = name.split()[:-1]
    return name if name and all(not is_hangul(word[-1]) or stem_of(word) == word for word in begins) else text


def bare_names(text: str) -> dict[str, Term]:
    """Return what a text names that is nothing but names, few words without an ending; nothing of any other.

    A request is none for the words that ask for it. The names are as the text has them.
    """
    name = name_of(text).strip(_MARKS) if without_aside(text) == text else ""  # what goes on names more than it has
    words = [without_topic(word) for word in name.split() if not pattern("planning.determined").match(f"{word} ")]
    bare = (
        ENGLISH_STOP_WORDS.isdisjoint(map(str.casefold, words))
        and not any(map(str.isdigit, name))
        and all(not is_hangul(word[-1]) or meant_of(word) == stem_of(word) == word for word in words)
    )
    if not bare or len(words) > MOST or not is_name(name) or _tells_more(name):
        return {}
    return _as_named(words, text)


def beside(text: str) -> dict[str, Term]:
    """Return what a text names right before and behind what joins names, as it has it; nothing where it joins none."""
    first_part, *others = _names(text[:READ], language_of(text)) or [""]
    about = _forms(text)
    before = takewhile(lambda word: _bare_word(word) in about, reversed(first_part.split())) if others else ()
    words = list(before)[::-1]
    for part in others:
        behind = dropwhile(lambda word: _bare_word(word) not in about, part.split())
        words.extend(takewhile(lambda word: _bare_word(word) in about, behind))
    return _as_named(words, text)


def _as_named(words: Sequence[str], text: str) -> dict[str, Term]:
    about = _forms(text)
    return {
        _POSSESSIVE.sub("", without_topic(word.strip(_MARKS))): about[bare]
        for word in words
        if (bare := _bare_word(word)) in about
    }


def _forms(text: str) -> dict[str, Term]:
    return {form: term for term in named_in(text) for form in (term.word, term.stem, without_topic(term.word))}


def _bare_word(word: str) -> str:
    return _POSSESSIVE.sub("", word.strip(_MARKS).casefold())


def _names(text: str, language: Language) -> list[str]:
    """Return what stands before, between and behind the joints of a text; all of it where at most commas part it."""
    joints = patterns("planning.side_joints").get(language)
    out: list[str] = []
    start, listed = 0, False
    for joint in joints.finditer(text) if joints else ():
        last, particle = text[start : joint.end()].rstrip().rpartition(" ")[2], joint["particle"] or ""
        if len(stem_of(last)) <= len(last) - len(particle):  # 결과 is a word, and 연차와 is one with its particle
            out.append(text[start : joint.start()])
            start, listed = joint.end(), listed or joint.group().strip() != ","
    names = [*out, text[start:]] if listed else [text]
    return [name for each in names if (name := each.strip())]


def _is_name(item: str) -> bool:
    short = len(item.split()) <= LONGEST
    return short and not (_tells_more(item) or is_question(item) or any(map(is_predicate, item.split())))


def _request(text: str, language: Language) -> tuple[str, str, str]:
    """Return what stands before the things that a request names, these, and what stands behind; mostly nothing.

    The things go without the particle behind them, and 병가 is not 병 with one.
    """
    form = patterns("planning.lists").get(language)
    match = form.match(text) if form and len(text) <= READ else None
    if match is None:
        return "", "", ""
    items, behind = match["items"], match.string[match.end("items") : match.start("tail")]
    last = items.split()[-1] + behind
    return match.groupdict().get("head") or "", items + behind if stem_of(last) == last else items, match["tail"]


def _tells_more(item: str) -> bool:
    """Tell whether a thing has words of how it stands to another."""
    return pattern("planning.within_items").search(item) is not None
