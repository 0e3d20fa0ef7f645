"""The one seam to intelligence: `contract.py`, fulfilled by `rules/`, by `model/`, and by both as `combined/`."""
