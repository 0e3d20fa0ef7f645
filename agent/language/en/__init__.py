"""English: its words in YAML, and what data cannot say of it in Python."""
