"""What every command shares: its options, its settings, and how it ends."""

import asyncio
import sys
from collections.abc import Callable, Coroutine, Sequence
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec

import click

from agent.errors import StorageError, UsageError, WeftError

if TYPE_CHECKING:
    from bot.settings import Settings

P = ParamSpec("P")
Command = Callable[P, Coroutine[Any, Any, int]]


def data_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--data`."""
    return click.option("--data", type=click.Path(path_type=Path), help="The folder that holds all state.")(command)


def pack_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--pack`."""
    return click.option("--pack", help="A pack's name, or the path of its folder.")(command)


def packs_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--pack`, which may be given several times."""
    return click.option(
        "--pack",
        "packs",
        multiple=True,
        help="A pack's name, or the path of its folder. Given several times, the first is the usual one, and "
        "`weft channels set ... --pack NAME` puts another in force in a channel.",
    )(command)


def joined(packs: Sequence[str]) -> str | None:
    """Return the packs of the command line as the setting has them."""
    return ",".join(packs) or None


def json_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")(command)


def run(command: Command[P]) -> Callable[P, None]:
    """Run an async command; its number is the exit code, and every error one line."""

    @wraps(command)
    def whole(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            code = asyncio.run(command(*args, **kwargs))
        except (UsageError, StorageError) as error:
            click.echo(f"weft: {error}", err=True)
            code = 2
        except WeftError as error:
            click.echo(f"weft: {error}", err=True)
            code = 1
        except BrokenPipeError:
            sys.stderr.close()  # whoever read our output has gone; there is nobody to tell
            code = 1
        except OSError as error:
            click.echo(f"weft: {error}", err=True)
            code = 2
        except KeyboardInterrupt:
            code = 130
        sys.exit(code)

    return whole


def load_settings(**given: object) -> "Settings":
    """Read the settings; what the command line gave goes before all else. Raises SettingsError.

    Variables that look like settings and are none are told: one that is misspelt would be passed over.
    """
    from bot.settings import Settings
    from bot.variables import unknown

    settings = Settings.load(**given)
    for line in unknown(Settings):
        click.echo(f"weft: {line}", err=True)
    return settings
