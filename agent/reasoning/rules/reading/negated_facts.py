"""Whether what a message names is there at all: "I don't have diabetes", "당뇨는 없고", "not 60 kg"."""

import re
from collections.abc import Sequence

Span = tuple[int, int]

_NEAR = 120
"""Characters before and after a name in which it may be denied."""

_HAVING = (
    r"have|has|had|having|got|get|getting|suffer\w*|take|takes|taking|took|taken|use|uses|using|used|feel|experience\w*"
    r"|diagnosed|work|works|working|own|run|want|need|mean|any|an?|in|on|with"
)
# A negation counts for what is had, taken or used: "it doesn't help my headache" leaves the headache there.
_BEFORE = re.compile(
    r"\b(?:"
    rf"(?:do|does|did|have|has|had|am|is|are|was|were|been)(?:n['’]?t| not| never)\s+(?:\w+\s+){{0,2}}?(?:{_HAVING})"
    rf"|never\s+(?:\w+\s+){{0,1}}?(?:{_HAVING})"
    r"|family history of"
    r"|(?:no longer|not|(?<![:=] )no|without|neither|nor|den(?:y|ies|ied)|denying|free (?:of|from)|negative for"
    r"|instead of"
    r"|rather than|ruled out)(?!\s+(?:only|just)\b)"
    r")\b",
    re.IGNORECASE,
)
# A plain `not` or `no` reaches over a list, but no further: "no fever, chills or cough".
_REACH = re.compile(
    r"^(?:[\s,/&]|\b(?:a|an|any|the|in|my|or|nor|and|history|of|signs?|symptoms?|known)\b)*$", re.IGNORECASE
)
_NEW_CLAUSE = re.compile(
    r"[.;!?]|\b(?:but|however|although|though|yet|except|because|since|while|only)\b"
    r"|(?:,|\band\b|\bso\b)\s*(?:i|he|she|we|they|it|my|there|have|has|had|take|takes|taking|am|is|use|using)\b",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"^\s*(?:[:=]\s*(?:no|none|negative|n)\b|(?:(?:is|was|were|has been)\s+)(?:ruled out|excluded|absent|negative|not"
    r"\s+(?:present|found|detected|there))\b)",
    re.IGNORECASE,
)

_PARTICLE = r"은|는|이|가|을|를|에|의|도|만|으로|로|에서|에는|에도|이라고는|라고는|까지는?"
_LISTED = re.compile(
    rf"^(?:{_PARTICLE})?\s?(?:,|이나|나|이랑|랑|와|과|하고|및|또는|혹은)\s*[^\s,.!?]+?(?=\s|(?:{_PARTICLE})(?:\s"
    rf"|$)|,|이나|나\s|$)"
)
_FAINT = re.compile(
    rf"^(?:{_PARTICLE}|진단|받은|받아|본|적|병력|이력|과거력|증상|증세|경험|기록|사실|것|게|거|건|전혀|아직|별로"
    rf"|따로|지금|현재|앓은"
    rf"|앓고|걸린|걸려|복용한|먹은|해당|관련|같은|특별히|특별한|딱히|한|해|해본|있는|있지|되지)(?:{_PARTICLE})?(?=\s|$)"
)
_ABSENT = re.compile(
    rf"^(?:{_PARTICLE})?\s?(?:없|가족력|아니|아닌|아닙|말고|빼고|제외|안\s?(?:해|하|합|했|나|난|났|먹|복용|받|있"
    rf"|걸|앓|맞|써|쓰)"
    r"|(?:하|나|있|걸리|앓|받|먹|복용하|진단되|해당되|해당하|쓰|사용하|이)지(?:는|도|가)?\s?(?:않|못))"
)


def is_absent(text: str, span: Span, others: Sequence[Span] = ()) -> bool:
    """Tell whether what stands at a place of a text is said not to be the case.

    `others` are places of things of the same sort, which a negation may have in common with it.
    """
    start, end = span
    text, start, end, others = _near(text, start, end, others)
    return (
        _denied_before(text, start, others)
        or _AFTER.match(text[end:]) is not None
        or _denied_after(_without(text, end, others))
    )


def _near(text: str, start: int, end: int, others: Sequence[Span]) -> tuple[str, int, int, Sequence[Span]]:
    """Return the words around a place, and the places in them."""
    first, last = max(0, start - _NEAR), end + _NEAR
    moved = [(a - first, b - first) for a, b in others if a >= first and b <= last]
    return text[first:last], start - first, end - first, moved


def _denied_before(text: str, start: int, others: Sequence[Span]) -> bool:
    before = text[:start]
    for match in _BEFORE.finditer(before):
        between = before[match.end() :]
        if _NEW_CLAUSE.search(between):
            continue
        bare = re.fullmatch(r"(?:no|not|without|nor|neither)", match.group(), re.IGNORECASE)
        if not bare or _REACH.match(_blanked(text, match.end(), start, others)):
            return True
    return False


def _blanked(text: str, start: int, end: int, others: Sequence[Span]) -> str:
    """Return a piece of the text without the other things in it."""
    out = list(text[start:end])
    for a, b in others:
        for i in range(max(a, start), min(b, end)):
            out[i - start] = " "
    return "".join(out)


def _without(text: str, end: int, others: Sequence[Span]) -> str:
    """Return what follows, with other things of the same sort as a list would have them."""
    rest = text[end:]
    for a, b in sorted(others, reverse=True):
        if a >= end:
            rest = rest[: a - end] + "것" + rest[b - end :]
    return rest


def _denied_after(rest: str) -> bool:
    """Tell whether Korean words after a name deny it, with nothing but faint words and a list between."""
    rest = rest.lstrip()
    for _ in range(12):
        if _ABSENT.match(rest):
            return True
        listed = _LISTED.match(rest) or _FAINT.match(rest)
        if listed is None or not listed.end():
            return False
        rest = rest[listed.end() :].lstrip()
    return False
