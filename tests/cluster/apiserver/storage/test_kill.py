from __future__ import annotations

import asyncio
import random
import subprocess
import sys
from pathlib import Path

import msgspec

from konverge.cluster.apiserver.storage import Change, Storage

TARGET = Path(__file__).with_name("kill_target.py")


class Heard:
    """All that the killed processes said."""

    def __init__(self) -> None:
        self.given: set[int] = set()
        self.acked: dict[str, tuple[int, bool]] = {}  # key → its last acknowledged revision, and whether it is there
        self.seen: list[int] = []

    def take(self, output: bytes) -> None:
        """Take in what one process said."""
        for line in output.split(b"\n")[:-1]:
            match line.decode().split():
                case ["given", revision]:
                    assert int(revision) not in self.given, "a revision was given out twice"
                    self.given.add(int(revision))
                case [("acked" | "deleted") as what, key, revision]:
                    self.acked[key] = int(revision), what == "acked"
                case ["seen", revision]:
                    self.seen.append(int(revision))


def run_and_kill(folder: Path, since: int, lines: int) -> bytes:
    """Run the target until it has said so many lines, and kill it in the middle of its work."""
    with subprocess.Popen([sys.executable, str(TARGET), str(folder), str(since)], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        said = [process.stdout.readline() for _ in range(lines)]
        process.kill()
        return b"".join(said) + process.stdout.read()


async def history(storage: Storage, since: int) -> list[Change]:
    """Return every change that is kept."""
    found: list[Change] = []
    with storage.watch("/g/r/", since=since) as subscription:
        while subscription.revision < storage.revision:
            found += await subscription.next_batch()
    return found


async def check(folder: Path, heard: Heard) -> list[Change]:
    """Compare what is in the folder with what was said."""
    storage = await Storage.open(folder, keep=3600)
    changes = await history(storage, 1)
    await storage.close()
    last = {change.key: change for change in changes}
    for key, (revision, is_there) in heard.acked.items():
        change = last[key]
        assert change.revision >= revision, f"the acknowledged write of {key} at {revision} is lost"
        assert change.revision > revision or change.is_deleted is not is_there
    for change in changes:
        value = msgspec.json.decode(change.value)
        assert value == {"revision": change.revision, "fill": str(change.revision) * 150}, "a torn object"
    return changes


def test_a_kill_at_any_moment_loses_nothing_that_was_acknowledged(tmp_path: Path, share: float) -> None:
    """No acknowledged write, no half object; revisions are not given out twice; a watch goes on where it stopped."""
    draw = random.Random(6)
    heard = Heard()
    for _ in range(int(200 * share)):
        since = heard.seen[-1] if heard.seen else 1
        heard.take(run_and_kill(tmp_path, since, lines=1 + int(draw.expovariate(1 / 400))))
        changes = asyncio.run(check(tmp_path, heard))
        revisions = [change.revision for change in changes]
        assert heard.seen == revisions[: len(heard.seen)], "the watch has a gap or a repeat"
        assert heard.given >= set(revisions)
    assert len(heard.seen) > 100
