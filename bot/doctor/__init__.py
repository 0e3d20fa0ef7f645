"""`weft doctor`: what is configured, what is missing, what to do."""
