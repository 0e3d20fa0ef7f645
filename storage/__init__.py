"""Everything that outlives a turn."""
