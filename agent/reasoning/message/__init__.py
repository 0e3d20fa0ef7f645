"""The words of a message, as every reasoner takes them: without what platforms and people put around them."""
