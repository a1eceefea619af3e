"""`konverge create api`: a kind of the operator's own, with a controller and a test of it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def create_api(
    *,
    kind: Annotated[str, typer.Option(help="The kind: MarkdownView.")],
    version: Annotated[str, typer.Option(help="Its version: v1, v1beta1.")] = "v1",
    group: Annotated[
        str | None, typer.Option(help="Its group, which the domain is put behind; the operator's name unless given.")
    ] = None,
    plural: Annotated[str | None, typer.Option(help="Its plural; by the rules of English unless given.")] = None,
    cluster_scoped: Annotated[bool, typer.Option("--cluster-scoped", help="Its objects are in no namespace.")] = False,
    controller: Annotated[
        bool, typer.Option("--controller/--no-controller", help="With a controller, or the types alone.")
    ] = True,
    force: Annotated[bool, typer.Option("--force", help="Write over files that are there already.")] = False,
) -> None:
    """Add a kind to the project in this folder: its types, a controller, a test.

    A further version of a kind that is there gets its types alone; `konverge create webhook --conversion` converts
    between them.
    """
    from konverge.cli.scaffold.making import make_api  # noqa: PLC0415 - only where it is wanted
    from konverge.cli.scaffold.project import project_of  # noqa: PLC0415
    from konverge.cli.scaffold.writing import asking  # noqa: PLC0415

    make_api(
        project_of(Path()),
        kind=kind,
        version=version,
        group=group,
        plural=plural or "",
        cluster_scoped=cluster_scoped,
        controller=controller,
        may_replace=asking(force=force),
    )
