"""A process that writes as fast as it can and says what it knows, to be killed: see `test_kill.py`.

A line each: `given <revision>` before a write, `acked <key> <revision>` when it is durable, `seen <revision>` for each
change that its watch hands out (from the revision in its arguments on), `deleted …` as `acked`.
"""

from __future__ import annotations

import asyncio
import os
import sys

from konverge.cluster.apiserver.storage import Storage

WRITERS = 16
KEYS = 40  # of each writer


def say(*words: object) -> None:
    """Write a line at once and whole: what was said before a kill is heard."""
    os.write(1, (" ".join(map(str, words)) + "\n").encode())


def encoded(revision: int) -> bytes:
    """Return bytes that betray being torn or misplaced."""
    say("given", revision)
    return f'{{"revision": {revision}, "fill": "{str(revision) * 150}"}}'.encode()


async def write(storage: Storage, writer: int) -> None:
    """Create, update and delete, each on top of the last."""
    for turn in range(1_000_000):
        key = f"/g/r/{writer}/{turn % KEYS}"
        found = storage.newest(key)
        based_on = found.revision if found else 0
        if found and turn % 3 == 0:
            gone = await storage.delete(key, encoded, based_on=based_on)
            say("deleted", key, gone.revision)
        else:
            stored = await storage.put(key, encoded, based_on=based_on)
            say("acked", key, stored.revision)


async def follow(storage: Storage, since: int) -> None:
    """Say what a watch hands out."""
    with storage.watch("/g/r/", since=since) as subscription:
        say("watching")
        while True:
            for change in await subscription.next_batch():
                say("seen", change.revision)


async def main(folder: str, since: int) -> None:
    """Run until killed."""
    storage = await Storage.open(folder, keep=3600)
    async with asyncio.TaskGroup() as group:
        group.create_task(follow(storage, since))
        for writer in range(WRITERS):
            group.create_task(write(storage, writer))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2])))
