"""The life of a turn: from a message in the inbox to its answer on the platform."""
