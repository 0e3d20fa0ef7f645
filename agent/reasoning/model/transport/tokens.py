"""How many tokens a text is, estimated: rather too many than too few, whatever the model's vocabulary."""

import math
import re

from agent.language.ko.letters import SYLLABLES

_LETTERS = re.compile(r"[A-Za-z \t\r\n]+")
_ASCII = re.compile(r"[\x00-\x7f]+")
_HANGUL = re.compile(f"[{SYLLABLES}]+")
_TOKENS_PER_LETTER = 0.3
_TOKENS_PER_SIGN = 1.0
_TOKENS_PER_SYLLABLE = 1.5
_TOKENS_PER_OTHER = 2.0
"""Set so that no text of 200 characters or more was estimated below its true count in cl100k_base or o200k_base: 294
English passages (ClapNQ), 961 Korean ones (KorQuAD 1.0), 278 pieces of documentation and source code. Characters a
token, 1st percentile and median: English 2.4 and 4.7 in both; Korean 0.87 and 0.97 in cl100k_base, 1.4 and 1.6 in
o200k_base. The estimate's median is 1.6 times the truth for English, 1.2 (cl100k_base) and 1.8 times for Korean."""


def estimate(text: str) -> int:
    """Return at least about as many tokens as a text is: too many rather than too few."""
    ascii = sum(map(len, _ASCII.findall(text)))
    letters = sum(map(len, _LETTERS.findall(text)))
    syllables = sum(map(len, _HANGUL.findall(text)))
    return math.ceil(
        letters * _TOKENS_PER_LETTER
        + (ascii - letters) * _TOKENS_PER_SIGN
        + syllables * _TOKENS_PER_SYLLABLE
        + (len(text) - ascii - syllables) * _TOKENS_PER_OTHER
    )
