"""Models whose weights are data: fitted by `benchmarks/`, applied here."""
