"""`konverge apiserver`: Kubernetes' API on this machine, in one process, until it is told to stop."""

from __future__ import annotations

import asyncio
import ipaddress
import shlex
import signal
from pathlib import Path
from typing import Annotated, Final

import typer

from konverge import log
from konverge.errors import ConfigError

FOLDER: Final = Path(".konverge")
LOOPBACK: Final = "127.0.0.1"
_STOPPING: Final = (signal.SIGTERM, signal.SIGINT)


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
) -> None:
    """Run an API server on this machine: no Docker, no etcd, no cluster.

    Prints how to use it with kubectl, and stops cleanly on Ctrl-C or SIGTERM.
    """
    if memory and data is not None:
        raise ConfigError("--data keeps everything and --memory nothing: give one of the two")
    if not _is_loopback(address):
        typer.echo(f"warning: {address} can be reached from other machines; give --address {LOOPBACK}", err=True)
    log.setup("warning")
    folder = None if memory else _prepared(data)
    chosen = None if kubeconfig is None else kubeconfig.absolute()
    asyncio.run(_serve(folder, address=address, port=port, kubeconfig=chosen))


def _is_loopback(address: str) -> bool:
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return address == "localhost"


def _prepared(data: Path | None) -> Path:
    """Return the folder; the one that nobody chose keeps itself, and the Secrets in it, out of version control."""
    if data is not None:
        return data.absolute()
    try:
        FOLDER.mkdir(mode=0o700, exist_ok=True)
        (FOLDER / ".gitignore").write_text("*\n")
    except OSError as error:
        raise ConfigError(f"{FOLDER}: cannot be made here: {error.strerror}; give --data DIR or --memory") from error
    return FOLDER.absolute()


async def _serve(folder: Path | None, *, address: str, port: int, kubeconfig: Path | None) -> None:
    from konverge.cluster.embedded import EmbeddedCluster  # noqa: PLC0415 - no other command should wait for it

    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in _STOPPING:
        loop.add_signal_handler(number, stop.set)
    cluster = EmbeddedCluster(folder=folder, listen=True, host=address, port=port, kubeconfig=kubeconfig)
    async with cluster:
        typer.echo(f"export KUBECONFIG={shlex.quote(str(cluster.kubeconfig))}")
        typer.echo("kubectl get namespaces")
        await stop.wait()
        for number in _STOPPING:
            loop.remove_signal_handler(number)  # whoever asks again does not want to wait
