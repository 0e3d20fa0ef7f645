"""The processes of the Procfile, and what each runs."""
