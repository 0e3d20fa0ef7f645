"""Measurements: `.venv/bin/python -m benchmarks.NAME [ARGS] [--json FILE]` prints a table."""
