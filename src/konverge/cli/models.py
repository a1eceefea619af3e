"""`konverge models`: typed modules for any kind, from CRD files or from what a live cluster says about itself."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from konverge.errors import ConfigError


def models(
    files: Annotated[
        list[Path] | None, typer.Argument(metavar="FILE", help="YAML files with CRDs; - is the standard input.")
    ] = None,
    *,
    cluster: Annotated[bool, typer.Option("--cluster", help="Ask the cluster of the current context instead.")] = False,
    out: Annotated[Path, typer.Option(metavar="DIR", help="The package to write the modules to.")] = Path("models"),
    group: Annotated[list[str] | None, typer.Option(metavar="GROUP", help="Only this group; may be repeated.")] = None,
    context: Annotated[str | None, typer.Option(help="With --cluster: a context of the kubeconfig.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Write over modules that were edited, too.")] = False,
) -> None:
    """Write typed modules from CRDs or from a live cluster.

    One module per group and version, named after the first label of the group and the version: cert_manager_v1.
    Kinds that konverge ships are imported from konverge.models, not written again.
    """
    if cluster == bool(files):
        raise ConfigError("say where the kinds come from: FILE... or --cluster, one of the two")
    from konverge.cli.scaffold.writing import asking  # noqa: PLC0415 - only where it is wanted
    from konverge.cli.typed_modules import run  # noqa: PLC0415 - a client and a generator

    run(
        files or [],
        cluster=cluster,
        out=out,
        groups=frozenset(group or ()),
        context=context,
        may_replace=asking(force=force),
    )
