"""The command `konverge`: one file per command; an error of konverge is one sentence and exit code 1."""

from __future__ import annotations

import sys

from konverge.cli.plain_options import plain_options
from konverge.errors import KonvergeError


def main() -> None:
    """Run the command line; the entry point of the `konverge` program."""
    try:
        _run(sys.argv[1:])
    except KonvergeError as error:
        print(f"error: {error}", file=sys.stderr)  # noqa: T201 - a program's words to its user
        sys.exit(1)


def _run(arguments: list[str]) -> None:
    # Each way imports what it needs alone: how long the server takes to start is mostly what it imports.
    options = plain_options(arguments)
    if options is not None:
        from konverge.cli.serving import serve  # noqa: PLC0415

        serve(**options)
    else:
        from konverge.cli.app import app  # noqa: PLC0415

        app()
