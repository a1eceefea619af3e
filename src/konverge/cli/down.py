"""`konverge down`: ends what `konverge up` started, and nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def down(
    *,
    data: Annotated[
        Path | None, typer.Option(metavar="DIR", help="The folder that `konverge up` was given, if it was.")
    ] = None,
) -> None:
    """Stop the cluster that `konverge up` runs, with its pods; what it keeps is there for the next `konverge up`."""
    from konverge.cli.run_state import default_folder  # noqa: PLC0415 - help and completion need none of it
    from konverge.cli.taking_down import take_down  # noqa: PLC0415

    typer.echo(take_down((data or default_folder()).absolute()))
