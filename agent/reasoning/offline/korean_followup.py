"""Korean follow-ups: 그거, 거기, ~는요?, and questions that leave out what they are about."""

import re
from collections.abc import Sequence

from agent.reasoning.offline import korean, topic

# A pointing word, and the particle that its stand-in takes.
_POINTING: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(rf"(?:(?<=\s)|^)(?:{words})(?=\s|[?.!,]|$)"), particle)
    for words, particle in (
        ("그것은|그거는|그건|이것은|이거는|이건|저건", "은는"),
        ("그것이|그거가|그게|이것이|이게", "이가"),
        ("그것을|그거를|그걸|이것을|이거를|이걸", "을를"),
        ("그것도|그거도|이것도|이거도", "도도"),
        ("그것의|그거의|그의|그녀의", "의의"),
        ("거기서|거기에서|그곳에서|여기서|여기에서", "에서"),
        ("거기에|거긴|거기는|그곳에|그곳은", "에는"),
        ("그분은|그는|그녀는|걔는|그들은", "은는"),
        ("그분이|그가|그녀가|걔가|그들이", "이가"),
        ("그것|그거|이것|이거|거기|그곳|여기", ""),
    )
)
_OPENING = re.compile(r"^(?:그럼|그러면|그리고|그런데|근데|그렇다면|그래서|하지만|또)[ ,]+")
_ASKS_BARE = re.compile(
    r"^(?P<x>\S{1,14}?(?: \S{1,14}?){0,2}?)(?P<p>은|는|이는|도|에서는|에는|으로는|로는|"
    r"에서도)(?:요)?\s*\??\.?$|^(?P<y>\S{1,14}?(?: \S{1,14}?){0,2}?)(?:의 경우는|의 경우에는|이라면|"
    r"라면)(?:요)?\s*\??$"
)
_TOPIC_WORD = re.compile(r"^(?P<stem>[가-힣A-Za-z0-9-]{2,}?)(?:은|는|도)$")


def rewrite(question: str, told: Sequence[str]) -> str:
    """Return the follow-up with what it left out, from earlier questions (oldest first)."""
    plain = _OPENING.sub("", question)
    bare = _ASKS_BARE.match(plain)
    if bare and not any(pattern.search(plain) for pattern, _ in _POINTING):
        swapped = _swap((bare.group("x") or bare.group("y")).strip(), bare.group("p") or "", told[-1])
        if swapped:
            return swapped
    phrases = [phrase for phrase in topic.ranked(told) if phrase.text not in question]
    if not phrases:
        return question
    best = phrases[0].text
    for pattern, particle in _POINTING:
        if pattern.search(plain):
            return pattern.sub(_named(best, particle), plain, count=1)
    if len(plain.split()) <= 6 and not any(_TOPIC_WORD.match(word) for word in plain.split()):
        mark = "을를" if re.search(r"알려|설명|말해|보여", plain) else "은는"
        return f"{korean.with_particle(best, mark)} {plain}"
    return f"{question} ({best})"


def _named(name: str, particle: str) -> str:
    if not particle:
        return name
    if particle in ("은는", "이가", "을를"):
        return korean.with_particle(name, particle)
    return name + ("에서" if particle == "에서" else "에는" if particle == "에는" else particle[0])


def _swap(new: str, particle: str, last: str) -> str:
    """Put the new topic where the last question had its own; what that one said besides stays as an aside."""
    parts = last.split()
    place = next((i for i, part in enumerate(parts) if re.search(r"[가-힣A-Za-z0-9](?:은|는)$", part)), None)
    if particle in ("에서는", "에는", "으로는", "로는", "에서도"):
        base = particle.removesuffix("는").removesuffix("도")
        slot = next((i for i, part in enumerate(parts) if part.endswith(base) and len(part) > len(base)), None)
        if slot is not None:
            return " ".join([*parts[:slot], new + base, *parts[slot + 1 :]])
        return " ".join([new + base, *parts])
    if place is None:
        place = next(
            (i for i, part in enumerate(parts[:-1]) if re.search(r"[가-힣A-Za-z0-9](?:이|가|을|를)$", part)), None
        )
    if place is None:
        return ""
    rest = " ".join([korean.with_particle(new, "은는"), *parts[place + 1 :]])
    dropped = [*parts[:place], re.sub(r"(?:은|는|이|가|을|를)$", "", parts[place])]
    return rest if len(dropped) == 1 else f"{rest} ({' '.join(dropped)})"
