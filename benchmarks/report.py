"""Figures with names: a table on the screen, the same in a JSON file."""

import json
import math
from collections.abc import Mapping, Sequence
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


@dataclass
class Comparison:
    """The same figures of several things, side by side; the targets are those of one of them."""

    title: str
    ours: str
    targets: Mapping[str, str]
    figures: dict[str, dict[str, float]] = field(default_factory=dict)
    """By name of a figure: by column, its value."""
    notes: list[str] = field(default_factory=list)

    def add(self, column: str, name: str, value: float) -> None:
        """Note a figure of one of them."""
        self.figures.setdefault(name, {})[column] = value

    def show(self, file: Path | None) -> None:
        """Print the table; write the figures to the file, if one is named."""
        columns = list(dict.fromkeys(column for values in self.figures.values() for column in values))
        columns.sort(key=lambda column: column != self.ours)
        table = Table(title=self.title, title_justify="left", caption="\n".join(self.notes), caption_justify="left")
        table.add_column("figure")
        for column in columns:
            table.add_column(column, justify="right")
        table.add_column(f"target ({self.ours})")
        for name, values in self.figures.items():
            shown = [_shown(values[column]) if column in values else "" for column in columns]
            table.add_row(name, *shown, self.targets.get(name, ""))
        Console(width=150).print(table)
        if file is not None:
            content = {"title": self.title, "figures": self.figures, "targets": self.targets, "notes": self.notes}
            file.write_text(json.dumps(content, indent=1), encoding="utf-8")


def _shown(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def percentile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that at least this share of the values do not exceed (nearest rank)."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]
