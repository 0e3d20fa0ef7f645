"""The one seam to intelligence: `contract.py`, fulfilled by `offline/` (rules) and `model.py`."""
