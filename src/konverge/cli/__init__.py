"""The command `konverge`: one file per command; an error of konverge is one sentence and exit code 1."""

from __future__ import annotations

import sys

import typer

from konverge.cli.models import models
from konverge.errors import KonvergeError

app = typer.Typer(name="konverge", no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)
app.command()(models)


@app.callback()
def konverge() -> None:
    """The reconcile loop for Python."""


def main() -> None:
    """Run the command line; the entry point of the `konverge` program."""
    try:
        app()
    except KonvergeError as error:
        typer.echo(f"error: {error}", err=True)
        sys.exit(1)
