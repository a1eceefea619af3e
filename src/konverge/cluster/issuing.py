"""Who makes an embedded cluster's certificates: this process, or one of its own that ends when they are made.

The library behind them costs 9 MB, which a server that runs for hours needs once. A process of its own makes them
while the server is still being imported, so that nobody waits for it.
"""

from __future__ import annotations

import asyncio
import sys
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final

from konverge.cluster.identity import Identity

# It imports nothing else: not even this module, which has asyncio with it.
_PROGRAM: Final = """
import sys
from pathlib import Path
from konverge.cluster.credentials import Credentials

folder, host = sys.argv[1:]
sys.stdout.buffer.write(Credentials.of(Path(folder) if folder else None).identity(host).to_bytes())
"""

Issue = Callable[[Path | None, str], Awaitable[Identity]]


async def issue_here(folder: Path | None, host: str) -> Identity:
    """Make certificates for a server on a host, by the authority that is kept in a folder. Raises `ConfigError`."""
    return await asyncio.to_thread(_issue, folder, host)


async def issue_apart(folder: Path | None, host: str) -> Identity:
    """Do the same in a process of its own; whatever that has to complain of is done here once more, and told."""
    command = (sys.executable, "-c", _PROGRAM, str(folder or ""), host)
    try:
        process = await asyncio.create_subprocess_exec(*command, stdin=DEVNULL, stdout=PIPE, stderr=DEVNULL)
    except OSError:
        return await issue_here(folder, host)
    made, _ = await process.communicate()
    return Identity.from_bytes(made) if process.returncode == 0 else await issue_here(folder, host)


def _issue(folder: Path | None, host: str) -> Identity:
    from konverge.cluster.credentials import Credentials  # noqa: PLC0415 - brings cryptography with it

    return Credentials.of(folder).identity(host)
