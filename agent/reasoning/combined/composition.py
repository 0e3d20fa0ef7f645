"""Writing an answer with a model: what it does not write the rules do, from the same passages."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from dataclasses import replace

from agent.errors import ModelError
from agent.language import say
from agent.reasoning.combined.guarded_calls import Trying
from agent.reasoning.combined.precedence import LIKELY
from agent.reasoning.contract import Brief, Model, Reasoner
from agent.types import Block, Language, Passage, Sentence

TRANSLATION_SECONDS = 30.0
PLAIN = 2
"""Questions that the rules are sure of, as which a plain one counts."""
DECLINED = 2
"""How often a model may find no answer in a turn; then it is not asked again."""


_VERDICTS = ("documents_allow", "documents_refuse")
"""Messages that begin with a yes and a no."""


def _word(verdict: str, language: Language) -> str:
    return say(verdict, language).partition(".")[0]


def _verdict_of(sentence: Sentence | None, brief: Brief) -> str:
    """Return the verdict that the rules' answer begins with, where numbers prove one; else nothing."""
    lead = sentence.lead if sentence is not None else ""
    return next((each for each in _VERDICTS if lead.startswith(say(each, brief.language))), "")


def _begins(sentence: Sentence, verdict: str, language: Language) -> bool:
    """Tell whether a sentence begins with the word of a verdict."""
    word = re.escape(_word(verdict, language))
    return re.match(rf"\W*{word}(?!\w)", sentence.text, re.IGNORECASE) is not None


def _led(sentence: Sentence, verdict: str, language: Language) -> Sentence:
    """Return the first sentence of an answer behind the word of its verdict."""
    if _begins(sentence, verdict, language):
        return sentence
    return replace(sentence, lead=f"{_word(verdict, language)}. {sentence.lead.lstrip()}")


def _of_one_passage(one: Sentence, other: Sentence) -> bool:
    """Tell whether two sentences rest on one passage."""
    return not {each.block for each in one.support}.isdisjoint(each.block for each in other.support)


def _plain_question(like: Brief) -> Brief:
    """Return a question whose answer is all that its one passage says, in the language of another brief."""
    text = say("plain_passage", like.language)
    passage = Passage(id=0, document_id="plain", collection="", title="", text=text, language=like.language)
    blocks = (Block(n=1, passage=passage, score=1.0),)
    return Brief(question=say("plain_question", like.language), language=like.language, pack=like.pack, blocks=blocks)


class Trust:
    """Whether a model is believed that there is no answer: while it answers most of what the rules are sure of.

    One that has answered nothing yet is asked a plain question first.
    """

    def __init__(self) -> None:
        self._answered = self._declined = 0
        self._tried_out = False

    def note(self, *, answered: bool) -> None:
        """Take down what it made of a question that the rules would answer without a word of doubt."""
        self._answered += answered
        self._declined += not answered

    @property
    def given(self) -> bool:
        """Whether it is believed; it is at first, and by one such question it may be right."""
        return self._declined <= self._answered + 1

    @property
    def is_known(self) -> bool:
        """Whether it has answered something, or was tried out."""
        return self._tried_out or self._answered > 0

    def note_trial(self, *, answered: bool) -> None:
        """Take down what it made of the plain question: one that finds no answer there finds none anywhere."""
        self._tried_out = True
        if not answered:
            self._declined += PLAIN


class Writing:
    """Writes the drafts of one turn. `may_ask`: whether the turn has so many calls of the model left."""

    def __init__(
        self,
        model: Model,
        offline: Reasoner,
        trying: Trying,
        may_ask: Callable[[int], bool] = lambda calls: True,
        trust: Trust | None = None,
    ) -> None:
        self._trust = trust or Trust()
        self._model = model
        self._offline = offline
        self._trying = trying
        self._may_ask = may_ask
        self._failed = False
        self._by_model = False
        self._declined: list[frozenset[str]] = []
        """The passages in which the model found no answer, each time."""
        self._translated: list[Sentence] = []
        """An answer that is written already."""

    @property
    def failed(self) -> bool:
        """Whether the model failed in writing, so that the rules write all that is left."""
        return self._failed

    @property
    def declined(self) -> int:
        """How often the model found no answer, where the last draft is therefore not its own; else 0.

        It is 0, too, where the model is not believed: then the rules' answer is as good as without it.
        """
        return 0 if self._by_model or not self._trust.given else len(self._declined)

    @property
    def gave_up(self) -> bool:
        """Whether the model found no answer so often that it is not asked again."""
        return len(self._declined) >= DECLINED

    async def translate(self, brief: Brief) -> bool:
        """Let the model write a translation, so that it is known whether there is one that rests on the passages."""
        try:
            async with asyncio.timeout(TRANSLATION_SECONDS):
                written = [sentence async for sentence in self._model.compose(brief)]
        except (ModelError, TimeoutError) as error:
            self._fail(error, brief)
            return False
        self._translated = written if any(sentence.support for sentence in written) else []
        return bool(self._translated)

    async def compose(self, brief: Brief) -> AsyncIterator[Sentence]:
        """Yield the answer. Raises ModelError when it breaks off: compose again, the rules will do it.

        Where the model finds no answer the rules tell what comes closest; while it is believed, as no more than that.
        """
        translated, self._translated = self._translated, []
        if translated:
            for sentence in translated:
                yield sentence
            return
        passages = frozenset(block.passage.reference for block in brief.blocks)
        known = self.gave_up or any(passages <= seen for seen in self._declined)
        quoted = brief.lookup is not None or (
            brief.followup is not None and brief.followup.kind in ("section", "recap")
        )
        if not quoted and not self._failed and not known and self._may_ask(1):
            first = await self._first(brief)
            verdict = _verdict_of(first, brief)
            async for sentence in self._from_model(brief):
                if verdict and first is not None and not self._by_model:
                    denied = _begins(sentence, _VERDICTS[verdict == _VERDICTS[0]], brief.language)
                    if denied or not _of_one_passage(first, sentence):
                        break  # what two numbers prove is not for a model to deny, nor a yes or no for other words
                    sentence = _led(sentence, verdict, brief.language)
                self._by_model = True
                yield sentence
            if first is not None and not first.hedged and not self._failed:
                self._trust.note(answered=self._by_model)
            if self._by_model:
                return
            if not self._failed and not verdict and brief.followup is None:
                self._declined.append(passages)
                await self._try_out(brief)
        self._by_model = False
        doubted = bool(self._declined) and self._trust.given
        async for sentence in self._offline.compose(replace(brief, doubted=doubted, least=LIKELY if doubted else 0.0)):
            yield sentence

    async def _try_out(self, brief: Brief) -> None:
        """Ask the plain question, once, of a model that has found no answer and has answered nothing before."""
        if self._trust.is_known or not self._may_ask(1):
            return

        async def answers() -> bool | None:
            return bool([sentence async for sentence in self._model.compose(_plain_question(brief))])

        answered = await self._trying.added(answers, None, brief.language)
        if answered is not None:
            self._trust.note_trial(answered=answered)

    async def _first(self, brief: Brief) -> Sentence | None:
        """Return the first sentence of the rules' own answer to a question."""
        if brief.followup is not None:
            return None
        async for sentence in self._offline.compose(brief):
            return sentence
        return None

    async def _from_model(self, brief: Brief) -> AsyncIterator[Sentence]:
        self._by_model = begun = False
        sentences = self._model.compose(brief)
        try:
            async for sentence in sentences:
                begun = True
                yield sentence
        except ModelError as error:
            self._fail(error, brief)
            if begun:
                raise
        finally:
            if (close := getattr(sentences, "aclose", None)) is not None:
                await close()

    def _fail(self, error: Exception, brief: Brief) -> None:
        self._trying.tell(error, brief.language)
        self._failed = True
