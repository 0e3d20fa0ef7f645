"""A model that does what it is asked, always the same: what a good endpoint answers to Weft's own prompts."""

import re

from agent.text import language_of, sentences, tokens
from tests.servers.openai import Answer, Request

_MAKES = re.compile(r"\b(?:draft|write|prepare|compose)\b|써|작성", re.IGNORECASE)
_CHARTS = re.compile(r"\b(?:chart|graph|plot|analyse|analyze)\b|그래프|차트|분석", re.IGNORECASE)
_LEANS = re.compile(r"^(?:and|what about|how about|it|그럼|그건|거기)\b|\b(?:it|that|there|them)\b", re.IGNORECASE)
_ENOUGH = 0.34
"""Share of a question's words that a sentence must hold to answer it."""


def capable(request: Request) -> Answer:
    """Answer any of Weft's prompts."""
    answer = _SHAPED.get(request.shape)
    if answer is not None:
        return answer(request)
    system = str(request.body["messages"][0]["content"])
    for beginning, write in _WRITTEN.items():
        if system.startswith(beginning):
            return write(request)
    return "Hello!"


def _one(request: Request, name: str) -> str:
    found = request.quoted(name)
    return found[0] if found else ""


def _share(question: str, text: str) -> float:
    wanted = set(tokens(question))
    return len(wanted & set(tokens(text))) / len(wanted) if wanted else 0.0


def _reading(request: Request) -> Answer:
    message, said = _one(request, "message"), _one(request, "conversation")
    intents = re.findall(r"^- `(\w+)`: such as (.+)$", request.text, re.M)
    best, score = "", 0.5
    for name, examples in intents:
        for example in examples.split("; "):
            likeness = min(_share(message, example), _share(example, message))
            if likeness > score:
                best, score = name, likeness
    before = re.findall(r"^person: (.+)$", said, re.M)
    leans = bool(before) and (bool(_LEANS.search(message)) or len(message.split()) < 4)
    standalone = f"{message} ({before[-1]})" if leans else message
    return {
        "intent": best, "standalone": standalone[:900] if leans else "",
        "several": _parts(message) > 1 or bool(_MAKES.search(message)),
        "words": " ".join(message.split()[:5]),
    }  # fmt: skip


def _parts(message: str) -> int:
    return len(re.findall(r"[?？]", message))


def _steps(request: Request) -> Answer:
    templates = re.findall(r"^  - `(\w+)`:", request.text, re.M)
    steps: list[dict[str, object]] = []
    for part in re.split(r"(?<=[?？.!])\s+", _one(request, "message")):
        team, subject = "search", ""
        if _MAKES.search(part) and templates:
            team, subject = "document", templates[0]
        elif _CHARTS.search(part) and "`analysis`" in request.text:
            team, subject = "analysis", "trend"
        needs = [n for n, step in enumerate(steps, start=1) if step["team"] == "search"] if team == "document" else []
        steps.append({"team": team, "task": part, "subject": subject, "needs": needs, "for_answer": True})
    return {"steps": steps[:8]}


def _values(request: Request) -> Answer:
    message = _one(request, "message")
    found = re.search(r"\b(?:to|for) ([A-Z]\w+(?: [A-Z]\w+)*)", message) or re.search(
        r"(\S+?)(?:님)?(?:에게|께)", message
    )
    names = re.findall(r"^- `(\w+)`:", request.text, re.M)
    return {"values": [{"name": names[0], "value": found[1]}] if found and names else []}


def _verdicts(request: Request) -> Answer:
    numbers = [int(n) for n in re.findall(r"^<<<\w+ sentence (\d+)", request.text, re.M)]
    verdicts = [{"n": n, "supported": True, "problem": ""} for n in numbers]
    return {"verdicts": verdicts, "answered": "yes", "missing": []}


def _told(request: Request) -> Answer:
    figures = re.findall(r"^(\d+)\. ([^(\n]+)", _one(request, "figures"), re.M)
    return {"insights": [{"text": text.strip(), "figures": [int(n)]} for n, text in figures[:3]], "recommendations": []}


def _cited(request: Request, question: str, most: int) -> str:
    """Return the sentences of the passages that answer best, with their marks: for every question of a message some."""
    parts = [part for part in re.split(r"(?<=[?？])\s+", question) if part.strip()] or [question]
    best = dict.fromkeys(each for part in parts for each in _best(request, part, max(1, most // len(parts))))
    return " ".join(f"{text} [{n}]" for n, text in best) or "NO_ANSWER"


def _best(request: Request, question: str, most: int) -> list[tuple[int, str]]:
    found: list[tuple[float, int, int, str]] = []
    for n in range(1, 51):
        for passage in request.quoted(f"passage {n}"):
            head, _, body = passage.partition("\n\n")
            for place, (start, end) in enumerate(sentences(body)):
                text = " ".join(body[start:end].split())
                found.append((_share(question, f"{head} {text}"), -n, -place, text))
    return [(-n, text) for share, n, _, text in sorted(found, reverse=True)[:most] if share >= _ENOUGH]


def _answer(request: Request) -> Answer:
    return _cited(request, _one(request, "question"), 2)


def _draft(request: Request) -> Answer:
    names = re.findall(r"^- `(\w+)` \(", request.text, re.M)
    return "\n\n".join(f"## {name}\n\n{_cited(request, _one(request, 'order'), 2)}" for name in names)


def _greeting(request: Request) -> Answer:
    return "안녕하세요!" if language_of(_one(request, "message")) == "ko" else "Hello!"


_SHAPED = {
    "reading": _reading, "readinginthread": _reading,
    "steps": _steps, "values": _values,
    "verdicts": _verdicts, "told": _told,
    "verdict": lambda request: {"risk_level": "low", "risks": [], "recommendations": []},
    "rewording": lambda request: {"variations": [f"{_one(request, 'question')} rules"]},
}  # fmt: skip
_WRITTEN = {
    "You answer a question": _answer,
    "You write the sections": _draft,
    "You are the assistant of a team": _greeting,
}
