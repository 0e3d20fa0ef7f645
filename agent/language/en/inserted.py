"""What is put into English texts, with the noun that fits its number: `{count:step|steps}` is 1 step or 3 steps."""


class Inserted:
    """A value that takes a noun where it is formatted with two: `format(Inserted(1), "step|steps")` is 1 step."""

    __slots__ = ("_value",)

    def __init__(self, value: object) -> None:
        self._value = value

    def __format__(self, spec: str) -> str:
        singular, several, plural = spec.partition("|")
        if not several:
            return format(self._value, spec)
        return f"{self._value} {singular if str(self._value) == '1' else plural}"


def inserted(value: object) -> object:
    """Return a value as it is put into a text."""
    return Inserted(value)
