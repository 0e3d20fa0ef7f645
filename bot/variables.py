"""The settings as they are written: how their variables are called, which are none, and what is wrong with a value."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from pydantic import ValidationError
from pydantic_settings import BaseSettings, DotEnvSettingsSource, EnvSettingsSource

_PREFIX = "WEFT_"
_OF_TESTS = frozenset(
    f"{_PREFIX}{name}" for name in ("ALL_TALK", "CHROMIUM", "RECORD", "REQUIRE_BROWSER", "REQUIRE_LOCAL")
)
"""What only the tests read."""
NO_TABLE = 'must be a JSON object, {"NAME": ...}; in weft.toml a table'
_WRONG: Mapping[str, str] = {
    **dict.fromkeys(("int_parsing", "int_type", "int_from_float", "int_parsing_size"), "must be a whole number"),
    **dict.fromkeys(("float_parsing", "float_type", "finite_number"), "must be a number"),
    **dict.fromkeys(("bool_parsing", "bool_type"), "must be true or false"),
    **dict.fromkeys(("string_type", "path_type"), "must be a text"),
    **dict.fromkeys(("dict_type", "model_type"), "{table}"),
    "greater_than_equal": "must be {ge} or more",
    "greater_than": "must be more than {gt}",
    "less_than_equal": "must be {le} or less",
    "string_too_long": "must have {max_length} characters or fewer",
    "tuple_type": "must be a list of texts",
    "value_error": "{error}",
    "extra_forbidden": "there is no such key",
}
"""What to say of a value, by the kind of pydantic's error."""


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


def wrong(error: ValidationError, settings: type[BaseSettings], given: Collection[str]) -> Iterator[str]:
    """Yield a line for each value that is wrong, beginning with where it stands. `given`: by the command line."""
    for each in error.errors():
        first, *rest = map(str, each["loc"])
        field = next(name for name in settings.model_fields if first == name or first in names_of(settings, name))
        yield f"{place(settings, field, given, rest)}: {_said(each)}"


def place(settings: type[BaseSettings], field: str, given: Collection[str] = (), within: Sequence[str] = ()) -> str:
    """Return where the value of a setting stands, as whoever wrote it there calls it; `within`: where in its table."""

    def called(name: str) -> str:
        return ".".join((name, *within))

    if field in given:
        return called(f"--{field.replace('_', '-')}")
    for where, source in (("", EnvSettingsSource), (" in .env", DotEnvSettingsSource)):
        present = {name.upper() for name in source(settings).env_vars}
        for name in names_of(settings, field):
            if name in present:
                return f"{called(name)}{where}"
    return f"{called(field)} in {settings.model_config.get('toml_file')}"


def _said(error: Any) -> str:
    facts = {name: str(value).removesuffix(".0") for name, value in error.get("ctx", {}).items()}
    told = _WRONG.get(error["type"], "cannot be that").format(table=NO_TABLE, **facts)
    kind = told.removeprefix("must be ")
    return f"is empty: leave it out, or give {kind}" if error.get("input") == "" and kind != told else told
