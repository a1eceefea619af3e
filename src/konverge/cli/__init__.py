"""The command `konverge`: one file per command; an error of konverge is one sentence and exit code 1."""

from __future__ import annotations

import sys
from importlib.metadata import version
from typing import Annotated

import typer

from konverge.cli.apiserver import apiserver
from konverge.cli.models import models
from konverge.errors import KonvergeError

app = typer.Typer(name="konverge", no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)
app.command()(apiserver)
app.command()(models)


def _show_version(wanted: bool) -> None:  # noqa: FBT001 - the signature of an option's callback
    if wanted:
        typer.echo(f"konverge {version('konverge')}")
        raise typer.Exit


@app.callback()
def konverge(
    *,
    version: Annotated[  # its callback has done all there is to do
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and end.")
    ] = False,
) -> None:
    """The reconcile loop for Python."""


def main() -> None:
    """Run the command line; the entry point of the `konverge` program."""
    try:
        app()
    except KonvergeError as error:
        typer.echo(f"error: {error}", err=True)
        sys.exit(1)
