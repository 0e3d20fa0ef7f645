"""Packs: what Weft is for a team. `pack.py` is the shape of `pack.yaml`, `load.py` reads it."""
