"""What stands below a heading that names the asker's own case: "Exercise with diabetes", for a diabetic."""

from agent.reasoning.brief import Brief
from agent.reasoning.rules.answering.quotes import Quote
from agent.reasoning.rules.answering.ranked_quotes import Found
from agent.reasoning.rules.answering.weighted_question import terms_in
from agent.reasoning.rules.reading import answer_type
from agent.reasoning.rules.reading.profile_match import bearing


def quote_for_asker(found: Found, brief: Brief) -> Quote | None:
    """Return the likeliest quote that holds all that is asked about below a heading for what its asker told.

    The heading names that, and one of the things that are asked about.
    """
    cases = [names for each in bearing(brief) for names in each]
    read = answer_type.read(found.asked.text, found.asked.language).terms
    asked = [terms_in(term.stem if term.hangul else term.word) for term in read if term.weight >= answer_type.SPECIFIC]
    for rated in found.rated if cases and asked else ():
        quote = rated.quote
        heading = terms_in(f"{quote.block.passage.section.rpartition(' > ')[2]}\n{quote.heading}")
        own = next((names for names in cases if names <= heading), None)
        held = heading | terms_in(quote.text)
        if own and all(terms <= held for terms in asked) and any(terms <= heading - own for terms in asked):
            return quote
    return None
