"""Figures with names: a table on the screen, the same in a JSON file."""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console
from rich.table import Table


@dataclass
class Report:
    """What a benchmark measured, beside what was asked for."""

    title: str
    rows: list[tuple[str, float, str, str]] = field(default_factory=list)

    def add(self, name: str, value: float, unit: str, target: str = "") -> None:
        """Note a figure."""
        self.rows.append((name, value, unit, target))

    def show(self, file: Path | None) -> None:
        """Print the table; write the figures to the file, if one is named."""
        table = Table(title=self.title, title_justify="left")
        for column in ("figure", "value", "unit", "target"):
            table.add_column(column, justify="right" if column == "value" else "left")
        for name, value, unit, target in self.rows:
            table.add_row(name, f"{value:,.4g}" if value < 10_000 else f"{value:,.0f}", unit, target)
        Console(width=110).print(table)
        if file is not None:
            figures = {
                name: {"value": value, "unit": unit, "target": target} for name, value, unit, target in self.rows
            }
            file.write_text(json.dumps({"title": self.title, "figures": figures}, indent=1), encoding="utf-8")


def percentile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that at least this share of the values do not exceed (nearest rank)."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]
