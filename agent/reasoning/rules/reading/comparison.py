"""Things that a message sets side by side: "compare A with B", "how A differs from B", A와 B의 차이, both."""

import re

from agent.text import language_of

READ = 300
"""Characters of a question in which two things are compared."""
_NAME = r"(?!\s)[^,.;:?!()]{2,60}?(?<!\s)"
_END = r"\s*+(?=[,.;:?!]|$)"
_COMPARED = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\bcompar(?:e|ing)\s++(?P<a>{_NAME})\s++(?:with|to|against|and|vs\.?|versus)\s++(?P<b>{_NAME}){_END}",
        rf"\b(?:differences?|distinction|comparison|similarit(?:y|ies))\s++(?:between|of)\s++(?P<a>{_NAME})\s++"
        rf"(?:and|with|to|vs\.?|versus)\s++(?P<b>{_NAME}){_END}",
        rf"\bhow\s++(?:do|does|did|is|are|would)\s++(?P<a>{_NAME})\s++(?:differ|different)\s++(?:from|to)\s++"
        rf"(?P<b>{_NAME}){_END}",
        rf"\bhow\s++(?:do|does|did|are)\s++(?P<a>{_NAME})\s++and\s++(?P<b>{_NAME})\s++(?:differ|compare|different){_END}",
        rf"\bhow\s++(?:do|does)\s++(?P<a>{_NAME})\s++compare\s++(?:with|to|against)\s++(?P<b>{_NAME}){_END}",
        rf"\bwhat\s++(?:distinguishes|separates|sets)\s++(?P<a>{_NAME})\s++(?:apart\s++)?from\s++(?P<b>{_NAME}){_END}",
        rf"^(?P<a>{_NAME})\s++(?:vs\.?|versus|compared (?:with|to))\s++(?P<b>{_NAME}){_END}",
    )
)
_JOIN = r"(?:와|과|이랑|랑|하고)"
_KOREAN_NAME = r"[^,.;:?!()]{1,30}?"
_KOREAN_COMPARED = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?P<a>{_KOREAN_NAME}){_JOIN}\s++(?!\s)(?P<b>{_KOREAN_NAME})(?<!\s)(?:의|은|는|이|가|을|를)?\s*+(?:사이의?\s++)?"
        r"(?:차이|다른 ?점|비교|어떻게 (?:다르|달라|다른)|뭐가 (?:다르|달라|다른)|무엇이 (?:다르|달라|다른))",
        rf"(?P<a>{_KOREAN_NAME})(?:을|를)\s++(?P<b>{_KOREAN_NAME}){_JOIN}\s++(?:비교|대조)",
        rf"^(?P<a>{_KOREAN_NAME})(?<!\s)\s++(?:대|vs\.?|VS)\s++(?P<b>{_KOREAN_NAME})(?<!\s)\s*+(?=[?!.]|$)",
    )
)
_BOTH = re.compile(
    r"^(?P<head>.*?)\bboth\s++(?P<a>[^,.;:?!()]{2,60}?)(?<!\s)\s++and\s++(?P<b>[^,.;:?!()]{2,60}?)(?<!\s)(?P<tail>\s*+[?!.]*+)$",
    re.IGNORECASE,
)
_KOREAN_BOTH = re.compile(
    rf"^(?P<a>{_KOREAN_NAME}){_JOIN}\s++(?P<b>{_KOREAN_NAME})(?<!\s)(?P<p>은|는|이|가|을|를)?\s*+(?:,\s*+)?"
    r"(?:둘 ?다|각각|모두)\s+(?P<tail>\S.*)$"
)
# "which forms do I need for parental leave and for reduced hours": one question about each.
_TWICE = re.compile(
    r"^(?P<head>[^?.;]{6,80}?)(?<!\s)\s++(?P<p>for|in|on|during|after|before|from|with)\s++(?P<a>[^,.;:?!()]{2,60}?)(?<!\s)\s++and\s++"
    r"(?P=p)\s++(?P<b>[^,.;:?!()]{2,60}?)(?<!\s)(?P<tail>\s*+[?!.]*+)$",
    re.IGNORECASE,
)
_DETERMINER = re.compile(
    r"^(?:(?:the|an?|our|my|your|their|its|this|that|us|me)\s+|(?:what|how much|how many|how long)\s+(?:is|are)\s+)+",
    re.IGNORECASE,
)
_KOREAN_DETERMINER = re.compile(r"^(?:(?:우리|저희)\s*(?:회사|팀)?(?:의)?\s+|그리고\s+)")
_BEFORE_NAME = re.compile(r"^(?:.*\b)?(?:between|is|are)\s+", re.IGNORECASE)
# What somebody means by "the law" beside parental leave is the law on parental leave.
_SOURCE = re.compile(
    r"^(?:law|laws|the law|statutory (?:law|rules?)|legal (?:requirements?|minimum|rules?)|legislation|statute|act|"
    r"regulations?|labou?r law|policy|company policy|contract|handbook|industry standard|standard)$",
    re.IGNORECASE,
)
_KOREAN_SOURCE = re.compile(
    r"^(?:법|법률|법령|법규|관련 ?법|노동법|근로기준법|규정|사규|취업규칙|계약서?|표준|업계 ?기준)$"
)


def compared(text: str) -> tuple[str, ...]:
    """Return the two things that a message compares, each standing alone; empty where it compares nothing."""
    if len(text) > READ:
        return ()
    korean = language_of(text) == "ko"
    for pattern in _KOREAN_COMPARED if korean else _COMPARED:
        match = pattern.search(text)
        if match:
            a, b = _bare(match["a"], korean=korean), _bare(match["b"], korean=korean)
            return _about_the_same(*_with_head(a, b), korean=korean) if a and b and a.lower() != b.lower() else ()
    return ()


def both(text: str) -> tuple[str, ...]:
    """Return a question about two things at once as one about each; empty where it is about one."""
    if len(text) > READ:
        return ()
    if language_of(text) == "ko":
        match = _KOREAN_BOTH.match(text)
        if match is None:
            return ()
        return tuple(f"{_bare(match[name], korean=True)} {match['tail']}" for name in ("a", "b"))
    for pattern in (_BOTH, _TWICE):
        match = pattern.match(text)
        if match:
            head = f"{match['head'].rstrip()} {match['p']}" if pattern is _TWICE else match["head"].rstrip()
            return tuple(f"{head} {match[name].strip()}{match['tail']}" for name in ("a", "b"))
    return ()


def _bare(name: str, *, korean: bool) -> str:
    """Return a thing's name without what stands before it in the sentence."""
    name = name.strip(" \"'“”‘’")
    if korean:
        return _KOREAN_DETERMINER.sub("", name).strip()
    return _DETERMINER.sub("", _BEFORE_NAME.sub("", name)).strip()


def _with_head(a: str, b: str) -> tuple[str, str]:
    """Give `S1` of `S1 and S2 incidents` the noun that both have."""
    first, second = a.split(), b.split()
    code = (
        len(first) == 1 and len(second) == 2 and any(ch.isdigit() for ch in a) and any(ch.isdigit() for ch in second[0])
    )
    return (f"{a} {second[1]}" if code else a), b


def _about_the_same(a: str, b: str, *, korean: bool) -> tuple[str, str]:
    """Let a bare `the law` be that on the other thing."""
    source = _KOREAN_SOURCE if korean else _SOURCE
    if source.match(b) and not source.match(a):
        return a, f"{a} {b}"
    if source.match(a) and not source.match(b):
        return f"{b} {a}", b
    return a, b
