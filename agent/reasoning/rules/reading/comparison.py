"""Things that a message sets side by side: "compare A with B", "how A differs from B", A와 B의 차이, both."""

from agent.language.lexicon import first, forms, pattern
from agent.text import language_of
from agent.types import Language

READ = 300
"""Characters of a question in which two things are compared."""
_RULES = pattern("reading.rules_as_such")


def compared(text: str) -> tuple[str, ...]:
    """Return the two things that a message compares, each standing alone; empty where it compares nothing."""
    if len(text) > READ:
        return ()
    language = language_of(text)
    match = first("reading.compared", text, language)
    if match is None:
        return ()
    a, b = _bare(match["a"], language), _bare(match["b"], language)
    return _about_the_same(a, b) if a and b and a.lower() != b.lower() else ()


def both(text: str) -> tuple[str, ...]:
    """Return a question about two things at once as one about each; empty where it is about one."""
    if len(text) > READ:
        return ()
    language = language_of(text)
    match = first("reading.both", text, language)
    if match is None:
        return ()
    around = match.groupdict()
    if pattern("reading.has_both", language).search(f"{around.get('head', '')} | {match['tail']}"):
        return ()
    before = f"{around.get('head', '').rstrip()} {around.get('p', '')}".strip()
    things = (f"{before} {match[name].strip()}" if before else _bare(match[name], language) for name in ("a", "b"))
    return tuple(thing + match["tail"] for thing in things)


def _bare(name: str, language: Language) -> str:
    """Return a thing's name without what stands before it in the sentence."""
    name = name.strip(" \"'“”‘’")
    for form in forms("reading.before_thing", language):
        name = form.sub("", name)
    return name.strip()


def _about_the_same(a: str, b: str) -> tuple[str, str]:
    """Let a bare `the law` be that on the other thing."""
    if _RULES.fullmatch(b) and not _RULES.fullmatch(a):
        return a, f"{a} {b}"
    if _RULES.fullmatch(a) and not _RULES.fullmatch(b):
        return f"{b} {a}", b
    return a, b
