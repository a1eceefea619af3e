"""`running`: a manager at work while a test looks at what it does."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from konverge.manager import Manager
from konverge.testing import journal


@asynccontextmanager
async def running(manager: Manager) -> AsyncIterator[Manager]:
    """Run a manager in the block, which begins when it leads and ends when it has stopped in order.

    Where the manager fails, the block ends with its error. A wait that fails in the block tells of its last reconciles.
    """
    with journal.kept(manager):
        task = asyncio.create_task(manager.start())
        elected = asyncio.create_task(manager.elected.wait())
        try:
            await asyncio.wait((task, elected), return_when=asyncio.FIRST_COMPLETED)
            if not task.done():
                yield manager
        finally:
            elected.cancel()
            manager.stop()
            await task
