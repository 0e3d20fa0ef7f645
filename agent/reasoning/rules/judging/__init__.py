"""Judgements: of an answer, of a draft, of a statement, and whether a message is for Weft."""
