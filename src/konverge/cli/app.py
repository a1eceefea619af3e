"""The command line as typer knows it: all commands, their help, and what is wrong with an option."""

from __future__ import annotations

from typing import Annotated

import typer

from konverge.cli.apiserver import apiserver
from konverge.cli.manifests import manifests
from konverge.cli.models import models
from konverge.version import __version__

app = typer.Typer(name="konverge", no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)
app.command()(apiserver)
app.command()(manifests)
app.command()(models)


def _show_version(wanted: bool) -> None:  # noqa: FBT001 - the signature of an option's callback
    if wanted:
        typer.echo(f"konverge {__version__}")
        raise typer.Exit


@app.callback()
def konverge(
    *,
    version: Annotated[  # its callback has done all there is to do
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and end.")
    ] = False,
) -> None:
    """The reconcile loop for Python."""
