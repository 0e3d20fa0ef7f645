"""Everything that speaks to the outside: platforms where people talk, and services."""
