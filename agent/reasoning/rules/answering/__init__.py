"""From passages to an answer: quoted sections, and how likely they hold what was asked."""
