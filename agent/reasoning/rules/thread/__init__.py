"""A message in its thread: how much it depends on the turns before, and what it means then."""
