"""From files to passages: `sources` finds, `parse` reads, `passages` cuts, `run.ingest` does all of it."""
