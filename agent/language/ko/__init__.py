"""What of Korean is no list: its letters, and what words are made of."""
