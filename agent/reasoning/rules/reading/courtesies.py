"""What a message asks, without what people put around it: thanks, "never mind", slips of the keyboard."""

import re

from agent.reasoning.rules.reading.smalltalk import small_talk

_DONE = (
    r"(?:many thanks|thanks(?: a lot| so much)?|thank (?:you|u)(?: (?:so|very) much)?|thankyou|thx|ty|cheers|great"
    r"|perfect|awesome|cool|nice|good|super|lovely|wonderful|ok(?:ay)?|got it|i see|alright|all right"
    r"|understood|makes sense|interesting|good to know|wow|no worries|never ?mind|nvm|scratch that"
    r"|forget (?:it|that)|wait|sorry|oops|by the way|btw|quick question"
    r"|one (?:more|last) (?:thing|question)"
    r"|(?:(?:정말|너무|아|네+|넵|예|응|오)[, ]+)*(?:고마워요?|고맙습니다|감사합니다|감사해요|감사요|땡큐"
    r"|ㄱㅅ|ㄳ|알겠습니다|알겠어요|그렇군요|그렇구나|이해했어요|오케이|ㅇㅋ|넵|네네|죄송해요|죄송합니다|잠깐만요?|참고로))"
)
_PARDON = re.compile(r"^(?:죄송한데|죄송하지만|미안한데|실례지만|저기요?)(?:요)?[, ]+(?=\S)")
# Behind it a sign, or a word that begins a question: "thanks for the receipt" thanks for something.
_BEFORE = re.compile(
    rf"^\W*(?:{_DONE}(?:\s*[,.!;:~ㅎㅋ^-]+\s*|\s+(?=(?:and|but|so|now|then|also|what|how|who|whom|when|where|which|why|can"
    r"|could|do|does|is|are|should|may|must|will|그럼|그러면|그리고|그런데|근데|혹시|그|이|또)\b)))+",
    re.IGNORECASE,
)
_BEHIND = re.compile(
    r"(?<=[?.!~])\s*(?:thanks?(?: (?:a lot|in advance|so much))?|thank you(?: (?:so|very) much)?|thx|ty|cheers"
    r"|고마워요?|고맙습니다|감사합니다|감사해요|미리 감사\S*|부탁\S*)[\s.!~^ㅎㅋ]*$",
    re.IGNORECASE,
)
_SMALL_WORDS = (
    "that this what they them their there these those then the how who when where which with from for and does can why "
    "your you have was were about should could would"
).split()
_WORD = re.compile(r"(?<![\w@#/.`'’-])[a-z]{3,6}(?![\w@/`'’-]|\.\w)")
_PLAYFUL = re.compile(r"(?<=[는은도까나가데지죠해돼줘세예에라면서])(?:여|염|욤|용|욥|유)(?=[\s?.!~ㅋㅎㅠㅜ]*$)")


def tidied(text: str) -> str:
    """Return a normalised message without thanks around its question, its small words spelt as they should be."""
    rest = _BEHIND.sub("", _BEFORE.sub("", _PARDON.sub("", text), count=1)).strip()
    if rest != text and any(ch.isalnum() for ch in rest) and not small_talk(rest) and not small_talk(text):
        text = rest
    return _PLAYFUL.sub("요", _WORD.sub(_spelt, text))


def _swapped(word: str) -> set[str]:
    """Return a word with each two neighbouring letters in the wrong order."""
    return {word[:i] + word[i + 1] + word[i] + word[i + 2 :] for i in range(len(word) - 1)} - {word}


# What is also a word, or may be the slip of two others, is left alone.
_WORDS_TOO = frozenset("three dose odes aws acn cna fro form thees hwo".split())
_SLIPS = {
    slip: word for word in reversed(_SMALL_WORDS) for slip in _swapped(word) if slip not in {*_SMALL_WORDS, *_WORDS_TOO}
} | {"hwo": "how", "wich": "which"}


def _spelt(match: re.Match[str]) -> str:
    return _SLIPS.get(match.group(), match.group())
