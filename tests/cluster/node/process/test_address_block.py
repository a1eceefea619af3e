from __future__ import annotations

from pathlib import Path

from konverge.cluster.node.process.address_block import AddressBlock


async def test_a_block_is_one_nodes() -> None:
    """Two nodes never hold the same one; a node gets its own again when it is free."""
    first, second = await AddressBlock.claim(Path("/data/a")), await AddressBlock.claim(Path("/data/a"))
    assert first is not None
    assert second is not None
    assert not first.network.overlaps(second.network)
    first.close()
    again = await AddressBlock.claim(Path("/data/a"))
    assert again is not None
    assert again.network == first.network
    for block in (second, again):
        block.close()
