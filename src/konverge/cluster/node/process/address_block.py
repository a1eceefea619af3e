"""AddressBlock: a part of the loopback range that one node has for its pods, and no other node on this machine.

A node holds its block by listening on the block's first address, at a kubelet's port: that ends with the node, however
it ends, and two nodes can never hold the same one.
"""

from __future__ import annotations

import asyncio
import errno
import hashlib
from ipaddress import IPv4Network
from pathlib import Path
from typing import Final

RANGE: Final = "127.64.0.0/11"
_BLOCKS: Final = tuple(IPv4Network(RANGE).subnets(new_prefix=20))  # 512 nodes of 4,093 pods
_PORT: Final = 10250


class AddressBlock:
    """A block that is held until `close`."""

    def __init__(self, network: IPv4Network, holding: asyncio.Server) -> None:
        self.network = network
        self._holding = holding

    @classmethod
    async def claim(cls, folder: Path) -> AddressBlock | None:
        """Hold a block, the one that a node in this folder had before if it is free; None if there are none here.

        Where only 127.0.0.1 is there (macOS, unless others are added to it), no block can be had.
        """
        first = int.from_bytes(hashlib.sha256(str(folder).encode()).digest()[:4]) % len(_BLOCKS)
        for network in (*_BLOCKS[first:], *_BLOCKS[:first]):
            try:
                return cls(network, await asyncio.start_server(_hang_up, str(network[1]), _PORT))
            except OSError as error:
                if error.errno == errno.EADDRNOTAVAIL:
                    return None
        return None

    def close(self) -> None:
        """Let it go."""
        self._holding.close()


def _hang_up(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer nothing: it is there to be held."""
    writer.close()
