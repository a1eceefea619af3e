"""The options of `konverge apiserver`, read without typer: importing that costs the server 0.1 s and 12 MB.

Only what is plainly right is read here. Help, mistakes and other commands are typer's, which has words for them.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final, TypedDict

_LARGEST_PORT: Final = 65535


class Options(TypedDict, total=False):
    """What `serve` takes."""

    data: Path
    memory: bool
    port: int
    kubeconfig: Path
    address: str
    controllers: bool


def plain_options(arguments: Sequence[str]) -> Options | None:
    """Return the options of `apiserver`; None where it is another command, or anything is not as it should be."""
    if not arguments or arguments[0] != "apiserver":
        return None
    found: Options = {}
    rest = iter(arguments[1:])
    for argument in rest:
        name, equals, value = argument.partition("=")
        if name == "--memory" and not equals:
            found["memory"] = True
        elif name == "--controllers" and not equals:
            found["controllers"] = True
        elif not _take(found, name, value if equals else next(rest, "")):
            return None
    return found


def _take(found: Options, name: str, value: str) -> bool:
    """Note an option that has a value; say whether there is such an option, and the value is one for it."""
    if not value or value.startswith("-"):
        return False
    if name == "--data":
        found["data"] = Path(value)
    elif name == "--kubeconfig":
        found["kubeconfig"] = Path(value)
    elif name == "--address":
        found["address"] = value
    elif name == "--port" and value.isascii() and value.isdigit() and int(value) <= _LARGEST_PORT:
        found["port"] = int(value)
    else:
        return False
    return True
