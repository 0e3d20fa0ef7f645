"""The settings' variables, in the environment and in `.env`: how they are called, and which of them are none."""

from collections.abc import Iterator
from difflib import get_close_matches

from pydantic_settings import BaseSettings, DotEnvSettingsSource, EnvSettingsSource

_PREFIX = "WEFT_"
_OF_TESTS = frozenset(
    f"{_PREFIX}{name}" for name in ("ALL_TALK", "CHROMIUM", "RECORD", "REQUIRE_BROWSER", "REQUIRE_LOCAL")
)
"""What only the tests read."""


def names_of(settings: type[BaseSettings], field: str) -> tuple[str, ...]:
    """Return the variables that a setting may stand in, the usual one first."""
    choices = getattr(settings.model_fields[field].validation_alias, "choices", ())
    return tuple(dict.fromkeys(str(each).upper() for each in choices)) or (f"{_PREFIX}{field.upper()}",)


def unknown(settings: type[BaseSettings]) -> Iterator[str]:
    """Yield a sentence for each variable that is named like a setting and is none: it is misspelt, or another's."""
    written = [names_of(settings, field) for field in settings.model_fields]
    known = _OF_TESTS.union(*written)
    usual = {names[0].removeprefix(_PREFIX): names[0] for names in written}
    for place, source in (("", EnvSettingsSource), (" in .env", DotEnvSettingsSource)):
        for name in sorted(each.upper() for each in source(settings).env_vars):
            if name.startswith(_PREFIX) and name not in known:
                near = get_close_matches(name.removeprefix(_PREFIX), usual, n=1)
                meant = f": did you mean {usual[near[0]]}?" if near else ""
                yield f"{name}{place} is no setting{meant}"
