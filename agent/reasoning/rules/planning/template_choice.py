"""Which of a pack's templates an order to write means."""

from collections.abc import Sequence
from functools import lru_cache

from agent.packs.template import Template
from agent.reasoning.rules.reading import lexicon
from agent.reasoning.rules.reading.korean_stems import stem_of
from agent.reasoning.rules.reading.work_orders import Order
from agent.text import ENGLISH_STOP_WORDS, normalise, words

KIND = 2.0
"""What the kind of document weighs (a reply, a report) against a word of its topic."""
FITS = 0.4
"""Share of an order's weight that a template's words must hold."""
_ORDERING = frozenset(
    """draft write prepare compose create make generate produce put please can could would document need want help
    써줘 작성 작성해 작성해줘 만들어 만들어줘 준비해 준비해줘 주세요 초안 문서 하나 써 줘 좀""".split()
)


def fitting(order: Order, templates: Sequence[Template]) -> Template | None:
    """Return the template that an order fits best, by its examples and its title; None where none does.

    The kind of document must be one that the template's own words name, or an example must be said nearly again.
    """
    wanted = _words(order.text)
    kind = _stem(order.noun.split()[-1]) if order.noun else ""
    best: tuple[float, Template] | None = None
    for template in templates:
        titles = _words(f"{template.title.en} {template.title.ko} {template.name.replace('_', ' ')}")
        examples = [_words(example) for example in template.examples]
        score = max([_share(wanted, titles, kind), *(_share(wanted, titles | each, kind) for each in examples)])
        if score >= FITS and (best is None or score > best[0] + 1e-9):
            best = (score, template)
    return best[1] if best else None


def _share(wanted: frozenset[str], held: frozenset[str], kind: str) -> float:
    weights = {word: KIND if word == kind else 1.0 for word in wanted | ({kind} if kind else set())}
    total = sum(weights.values())
    common = sum(weight for word, weight in weights.items() if any(_same(word, other) for other in held))
    if not total or (
        kind and kind not in _ANY and not any(_same(kind, other) for other in held) and common < 0.7 * total
    ):
        return 0.0
    return common / total


_KINDS = """
reply, response, answer, 답장, 답변서, 답신, 회신, 회신문
report, 보고서, 리포트
letter, 편지, 서한, 공문
email, mail, e-mail, 이메일, 메일
summary, 요약본, 요약문, 요약서
request, application, 신청서, 요청서
resignation, 사직서
objection, appeal, complaint, 이의신청서
opinion, 의견서
minutes, 회의록
notice, notification, announcement, 공지, 공지문, 안내문, 통지서
statement, explanation, justification, 소명서, 진술서, 해명서, 사유서, 경위서
proposal, 제안서, 기획서
plan, 계획서
agreement, contract, 계약서, 합의서
memo, memorandum, note, 메모
checklist, 체크리스트
"""
"""Names of one kind of document, in any field."""


@lru_cache(maxsize=1)
def _kinds() -> dict[str, frozenset[str]]:
    out: dict[str, frozenset[str]] = {}
    for line in _KINDS.strip().splitlines():
        names = frozenset(_stem(name.strip()) for name in line.split(","))
        out.update(dict.fromkeys(names, names))
    return out


_ANY = frozenset({"document", "draft", "form", "문서", "초안", "글"})
"""Kinds that say nothing of the kind."""


def _same(a: str, b: str) -> bool:
    if a == b or b in _kinds().get(a, frozenset()):
        return True
    hangul = "가" <= a[0] <= "힣" and "가" <= b[0] <= "힣"
    return hangul and len(a) > 1 and len(b) > 1 and (a in b or b in a)


def _words(text: str) -> frozenset[str]:
    """Return the words of an order or an example by stem, without those of ordering itself."""
    out = set[str]()
    for word, _, _ in words(normalise(text).lower()):
        if word in _ORDERING or word in ENGLISH_STOP_WORDS:
            continue
        out.add(_stem(word))
    return frozenset(out - _ORDERING)


def _stem(word: str) -> str:
    return stem_of(word) if "가" <= word[:1] <= "힣" else lexicon.stem(word)
