"""`konverge up`: a control plane and a node on this machine, in one process, until it is told to stop."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from konverge.errors import ConfigError


class NodeMode(StrEnum):
    """What becomes of a pod."""

    PROCESS = "process"
    SIMULATE = "simulate"


def up(
    *,
    data: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Keep everything in this folder; one in your home unless given.")
    ] = None,
    memory: Annotated[
        bool, typer.Option("--memory", help="Keep nothing: all that was made is gone when it stops.")
    ] = False,
    node: Annotated[
        NodeMode, typer.Option(help="Run pods as processes of this machine, or only simulate them.")
    ] = NodeMode.PROCESS,
    images: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Which local command runs in the place of which image.")
    ] = None,
    kubeconfig: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where to write the kubeconfig; in the folder unless given.")
    ] = None,
    context: Annotated[
        bool, typer.Option("--context", help="Add the context `konverge` to your own kubeconfig while it runs.")
    ] = False,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="The API server's port; 0 is the last one, or a free one.")
    ] = 0,
    detach: Annotated[
        bool, typer.Option("--detach", "-d", help="Go on in the background; `konverge down` stops it.")
    ] = False,
    ready: Annotated[int, typer.Option(hidden=True)] = -1,  # where `--detach` hears that it is ready
) -> None:
    """Run a cluster on this machine: API server, controllers and a node, with no Docker and no Kubernetes.

    Deployments become running processes and Services answer. Ctrl-C or `konverge down` ends it with all its pods;
    started again on the same folder it goes on with what was there.
    """
    if images is not None and node is NodeMode.SIMULATE:
        raise ConfigError("--images names what runs and --node simulate runs nothing: give one of the two")
    from konverge.cli.run_state import default_folder  # noqa: PLC0415 - help and completion need none of it
    from konverge.cli.up_run import Options, bring_up  # noqa: PLC0415

    options = Options(
        folder=(data or default_folder()).absolute(),
        memory=memory,
        simulate=node is NodeMode.SIMULATE,
        images=images and images.absolute(),
        kubeconfig=kubeconfig and kubeconfig.absolute(),
        context=context,
        port=port,
        ready=ready,
    )
    bring_up(options, detach=detach)
