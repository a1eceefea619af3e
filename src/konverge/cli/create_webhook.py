"""`konverge create webhook`: what the API server asks the operator before it stores an object of a kind."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from konverge.errors import ConfigError


def create_webhook(
    *,
    kind: Annotated[str, typer.Option(help="A kind of the project: MarkdownView.")],
    version: Annotated[str | None, typer.Option(help="Its version; the one that is stored unless given.")] = None,
    defaulting: Annotated[bool, typer.Option("--defaulting", help="Fill in what the user left out.")] = False,
    validation: Annotated[bool, typer.Option("--validation", help="Refuse what no schema can.")] = False,
    conversion: Annotated[bool, typer.Option("--conversion", help="Convert between all versions of it.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Write over files that are there already.")] = False,
) -> None:
    """Add webhooks to a kind of the project in this folder, with tests of them."""
    if not (defaulting or validation or conversion):
        raise ConfigError("say which webhooks: --defaulting, --validation, --conversion, or more than one of them")
    from konverge.cli.scaffold.making import make_webhook  # noqa: PLC0415 - only where it is wanted
    from konverge.cli.scaffold.project import project_of  # noqa: PLC0415
    from konverge.cli.scaffold.writing import asking  # noqa: PLC0415

    make_webhook(
        project_of(Path()),
        kind=kind,
        version=version,
        defaulting=defaulting,
        validation=validation,
        conversion=conversion,
        may_replace=asking(force=force),
    )
