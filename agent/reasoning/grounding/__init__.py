"""Whether a text is supported by its source, by rules alone: `citation_support.findings` says what is amiss.

`contradiction` gathers what is said otherwise: `figures`, `dates` and `names`, which cross languages, `bounds` (at
least, at most), `edits` (a copy with words changed), `opposites` and `polarity` (negation by clause). They read a text
through `wording`, `matching` and `aligning`.
"""
