"""The analysis team: tables, figures computed from them, a chart."""
