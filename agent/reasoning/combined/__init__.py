"""A model and the rules as one reasoner: who has the last word, and what stands in for a failed call."""
