"""How well an answer answers, as the judge of its sentences said in the same call."""

from collections.abc import Sequence

from agent.reasoning.model.tasks.judgement import Verdicts
from agent.reasoning.model.tasks.untrusted_text import line
from agent.types import Grade, QualityCheck, Remedy, Sentence

SHARES = {"yes": 1.0, "partly": 0.6, "no": 0.2}
"""What an answer is worth that answers all, a part or nothing of its question. Chosen: a part is above the usual
threshold of a second search (0.5), nothing is below."""
MISSING = 3
_CHARACTERS = 200


def graded(answer: Verdicts | None, sentences: Sequence[Sentence], grounding: QualityCheck) -> Grade:
    """Return the model's mark. `check` is of the answer as a whole: all is well where the model was not asked.

    `confidence` is what the judge alone says, and 0 where there was none, or none that said whether it answers.
    """
    if not sentences:
        return Grade(check=QualityCheck(is_valid=False, score=0.0, reason="nothing was answered"), score=0.0)
    if answer is None:
        check = QualityCheck(is_valid=True, score=1.0)
        return Grade(check=check, score=grounding.score, evidence=grounding.score)
    share = SHARES[answer.answered]
    left = [] if answer.answered == "yes" else [line(part, _CHARACTERS) for part in answer.missing if part.strip()]
    missing = tuple(left[:MISSING])
    check = QualityCheck(
        is_valid=not missing,
        score=share,
        reason="a part of the question is not answered" if missing else "",
        suggestions=tuple(Remedy("unanswered", part) for part in missing),
        needs_retry=bool(missing),
    )
    score = min(share, grounding.score)
    said = "answered" in answer.model_fields_set
    return Grade(check=check, score=score, evidence=grounding.score, confidence=score if said else 0.0)
