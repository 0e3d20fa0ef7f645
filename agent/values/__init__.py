"""Values in a text: numbers and amounts, each with one reader."""
