"""The document team: a template, what the asker told, and what the documents say."""
