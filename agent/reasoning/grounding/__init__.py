"""Whether a text is supported by its source, by rules alone: `score.supported` says how much and what is amiss.

`contradiction` gathers what is said otherwise; each kind has its file: `figures`, `dates` and `names`, which cross
languages; `denial` (negation by clause), `edits` (a copy with a word changed), `bounds` (at least, at most), `anchored`
(must, all, before), `opposites` and `roles`. They read a text through `wording`, `matching` and `aligning`.
"""
