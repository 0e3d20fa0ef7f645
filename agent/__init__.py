"""How an answer comes about. Imports none of `bot`, `adapters`, `storage`."""
