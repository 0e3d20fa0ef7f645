"""The languages of people and answers: a folder each, with its words (`lexicon`) and messages (`catalogue`)."""

from agent.language.catalogue import keys, say

__all__ = ["keys", "say"]
