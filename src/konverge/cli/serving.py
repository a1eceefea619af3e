"""What `konverge apiserver` does: serves until it is told to stop. How its options are read is not known here."""

from __future__ import annotations

import asyncio
import ipaddress
import shlex
import signal
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from konverge import log
from konverge.errors import ConfigError

if TYPE_CHECKING:
    from konverge.manager import Manager

FOLDER: Final = Path(".konverge")
LOOPBACK: Final = "127.0.0.1"
_STOPPING: Final = (signal.SIGTERM, signal.SIGINT)


def serve(
    *,
    data: Path | None = None,
    memory: bool = False,
    port: int = 0,
    kubeconfig: Path | None = None,
    address: str = LOOPBACK,
    controllers: bool = False,
) -> None:
    """Run the server, say how to use it, and return when it has stopped. Raises `ConfigError`."""
    if memory and data is not None:
        raise ConfigError("--data keeps everything and --memory nothing: give one of the two")
    if not _is_loopback(address):
        _say(f"warning: {address} can be reached from other machines; give --address {LOOPBACK}", error=True)
    log.setup("warning")
    folder = None if memory else prepared_folder(data)
    chosen = None if kubeconfig is None else kubeconfig.absolute()
    asyncio.run(_serve(folder, address=address, port=port, kubeconfig=chosen, controllers=controllers))


def _say(text: str, *, error: bool = False) -> None:
    print(text, file=sys.stderr if error else sys.stdout, flush=True)


def _is_loopback(address: str) -> bool:
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return address == "localhost"


def prepared_folder(data: Path | None) -> Path:
    """Return the folder; the one that nobody chose keeps itself, and the Secrets in it, out of version control."""
    if data is not None:
        return data.absolute()
    try:
        FOLDER.mkdir(mode=0o700, exist_ok=True)
        (FOLDER / ".gitignore").write_text("*\n")
    except OSError as error:
        raise ConfigError(f"{FOLDER}: cannot be made here: {error.strerror}; give --data DIR or --memory") from error
    return FOLDER.absolute()


async def _serve(folder: Path | None, *, address: str, port: int, kubeconfig: Path | None, controllers: bool) -> None:
    # A mistake in the options is told without waiting for it.
    from konverge.cluster.embedded import EmbeddedCluster  # noqa: PLC0415
    from konverge.cluster.issuing import issue_apart  # noqa: PLC0415

    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in _STOPPING:
        loop.add_signal_handler(number, stop.set)
    cluster = EmbeddedCluster(
        folder=folder,
        listen=True,
        host=address,
        port=port,
        kubeconfig=kubeconfig,
        issue=issue_apart,
        controllers=_control_plane() if controllers else None,
    )
    async with cluster:
        _say(f"export KUBECONFIG={shlex.quote(str(cluster.kubeconfig))}")
        _say("kubectl get namespaces")
        await stop.wait()
        for number in _STOPPING:
            loop.remove_signal_handler(number)  # whoever asks again does not want to wait


def _control_plane() -> Callable[[Manager], None]:
    from konverge.cluster.control_plane import LIFELIKE, add_control_plane  # noqa: PLC0415 - models; most need none

    return partial(add_control_plane, stop_after=LIFELIKE)
