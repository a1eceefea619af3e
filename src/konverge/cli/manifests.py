"""`konverge manifests`: an operator's CRDs, roles, Deployment and the rest, made from its code."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def manifests(
    module: Annotated[
        str, typer.Argument(metavar="MODULE[:manager]", help="The operator: shop.main, src/main.py, main.py:make.")
    ],
    *,
    output: Annotated[Path, typer.Option(metavar="DIR", help="Where the folders are written.")] = Path("config"),
    against: Annotated[
        Path | None,
        typer.Option(
            metavar="OLD", help="Compare with these CRDs (a file or a folder) first; end if stored objects break."
        ),
    ] = None,
    name: Annotated[str | None, typer.Option(help="What names begin with; the package's name unless given.")] = None,
    namespace: Annotated[str | None, typer.Option(help="Where it is to run; NAME-system unless given.")] = None,
    image: Annotated[str, typer.Option(help="The image of the Deployment.")] = "controller:latest",
    force: Annotated[bool, typer.Option("--force", help="Write over files that were edited, too.")] = False,
) -> None:
    """Write what a cluster needs to run an operator.

    The operator is imported, not run: its module has a `manager`, or a `make_manager()` that returns one, and runs it
    below `if __name__ == "__main__"`. A file that was edited is kept, unless you agree to lose the edit.

    Then: kubectl apply --server-side -f config/install.yaml, or kubectl apply -k config/default.
    """
    from konverge.cli.operator_manifests import Options, run  # noqa: PLC0415 - a manager and all it needs

    run(module, Options(output, against, name=name, namespace=namespace, image=image, force=force))
