"""Everything that outlives a turn."""

import logging

logging.getLogger("aiosqlite").setLevel(logging.WARNING)  # below that it logs statements with what people wrote
