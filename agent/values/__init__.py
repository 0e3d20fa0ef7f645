"""Values in a text, with one reader for each kind: numbers and amounts, dates, limits; and the names they go by."""
