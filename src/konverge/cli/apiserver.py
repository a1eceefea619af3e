"""`konverge apiserver`: Kubernetes' API on this machine, in one process, until it is told to stop."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from konverge.cli.serving import FOLDER, LOOPBACK, serve


def apiserver(
    *,
    data: Annotated[
        Path | None, typer.Option(metavar="DIR", help=f"Keep everything in this folder; {FOLDER} unless --memory.")
    ] = None,
    memory: Annotated[bool, typer.Option("--memory", help="Keep nothing: all is gone when it stops.")] = False,
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port to listen on; 0 is a free one.")] = 0,
    kubeconfig: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where to write the kubeconfig; in the folder unless given.")
    ] = None,
    address: Annotated[str, typer.Option(metavar="IP", help="The address to listen on.")] = LOOPBACK,
    controllers: Annotated[
        bool,
        typer.Option("--controllers", help="Run the built-in controllers, a scheduler and a simulated node, too."),
    ] = False,
) -> None:
    """Run an API server on this machine: no Docker, no etcd, no cluster.

    Prints how to use it with kubectl, and stops cleanly on Ctrl-C or SIGTERM.
    """
    serve(data=data, memory=memory, port=port, kubeconfig=kubeconfig, address=address, controllers=controllers)
