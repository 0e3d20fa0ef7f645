"""Whether a text is supported by its source, by rules alone: `citation_support.findings` says what is amiss.

`contradiction` gathers what is said otherwise: `figures` (numbers, dates, limits) and `names`, which cross languages,
`edits` (a copy with words changed), `opposites` and `polarity` (negation by clause). They read a text through `wording`
and `matching`.
"""
