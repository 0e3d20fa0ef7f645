"""From a question to the passages that may answer it: `search` (all variations, fused), `pack`."""
