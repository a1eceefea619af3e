"""`konverge init`: a project for an operator, with tests, a Makefile and all that it needs to be kept."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def init(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Where; it may exist.")] = Path(),
    *,
    name: Annotated[str | None, typer.Option(help="The operator's name; the folder's unless given.")] = None,
    domain: Annotated[str, typer.Option(help="What the groups of its kinds end in.")] = "example.com",
    kind: Annotated[
        str | None, typer.Option(help="Begin with this kind, as `konverge create api --kind` does.")
    ] = None,
    konverge: Annotated[
        str | None,
        typer.Option(
            metavar="VERSION|CHECKOUT", help="The konverge that it depends on; what is installed here unless given."
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Write over files that are there already.")] = False,
) -> None:
    """Make a project for an operator.

    Package, tests on the embedded API server, Makefile, CI, container file: what an operator is kept with.
    """
    from konverge.cli.scaffold.kind_name import KindName  # noqa: PLC0415 - only where it is wanted
    from konverge.cli.scaffold.making import make_api, make_project  # noqa: PLC0415
    from konverge.cli.scaffold.requirement import requirement  # noqa: PLC0415
    from konverge.cli.scaffold.writing import asking  # noqa: PLC0415

    if kind is not None:
        KindName(kind=kind, version="v1")  # a name that is refused is refused before anything is written
    may_replace, needed = asking(force=force), requirement(konverge)
    project = make_project(folder, name=name, domain=domain, konverge=needed, may_replace=may_replace)
    if kind is not None:
        make_api(project, kind=kind, may_replace=may_replace)
    if konverge is None and " @ " in needed:
        typer.echo(f"\nIt needs {needed}, which is what is installed here; --konverge VERSION takes a release.")
    where = "" if folder == Path() else f"-C {folder} "
    typer.echo(f"\nNext: make {where}test, then make {where}run")
