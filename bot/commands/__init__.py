"""The commands of `weft`, a module for each kind. What they do is imported when they run."""
