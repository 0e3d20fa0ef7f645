"""PostgreSQL as the place of everything, for several machines; needs the extra `weft[postgres]`."""
