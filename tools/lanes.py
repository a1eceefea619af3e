"""`make test`: the suite in lanes, side by side, since much of it waits: for a server, a browser, a process.

A lane is a pytest of its own, with a real cluster of its own. What it prints is shown as it comes, behind its name; its
failures and its summary are shown once all lanes have ended, those of lanes that failed last.
"""

from __future__ import annotations

import asyncio
import signal
import sys
from asyncio.subprocess import PIPE, STDOUT
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

SERVERS: Final = ("tests/conformance", "tests/cluster", "tests/fuzz", "tests/reliability")
LANES: Final[Mapping[str, tuple[str, ...]]] = {
    "servers": SERVERS,
    "others": tuple(f"--ignore={folder}" for folder in SERVERS),
}
_INTERRUPTED: Final = 2  # pytest's code for it
_LONGEST: Final = 2**24  # characters of a line
_NO_TESTS: Final = 5  # of a lane that the options leave nothing to do; the other one has it then


@dataclass(slots=True)
class Lane:
    """One pytest."""

    name: str
    options: tuple[str, ...]
    code: int = _INTERRUPTED
    report: list[str] = field(default_factory=list)  # from the first failure on

    async def run(self) -> None:
        """Run it, and show how it goes."""
        # -u: else a progress of minutes comes at once. Each lane remembers its own failures for --lf.
        command = ("-u", "-m", "pytest", "-o", f"cache_dir=.pytest_cache/{self.name}", *self.options)
        process = await asyncio.create_subprocess_exec(
            sys.executable, *command, stdout=PIPE, stderr=STDOUT, limit=_LONGEST
        )
        if process.stdout is not None:
            async for line in process.stdout:
                self.take(line.decode(errors="replace").rstrip("\n"))
        self.code = await process.wait()

    def take(self, line: str) -> None:
        """Show a line of progress, or keep one of the report."""
        if self.report or (line.startswith("=") and "test session starts" not in line):
            self.report.append(line)
        elif line:
            print(f"{self.name:>{_WIDTH}} | {line}", flush=True)

    @property
    def is_well(self) -> bool:
        """Whether nothing in it failed."""
        return self.code in (0, _NO_TESTS)

    def tell(self) -> None:
        """Print the report."""
        print(f"\n--- {self.name} ---", *self.report, sep="\n", flush=True)


_WIDTH: Final = max(map(len, LANES))


async def run(options: list[str]) -> int:
    """Run all lanes with more options for pytest, and return the code to end with."""
    # Each pytest gets a Ctrl-C as well, ends in order and says where it was.
    asyncio.get_running_loop().add_signal_handler(signal.SIGINT, lambda: None)
    lanes = [Lane(name, (*own, *options)) for name, own in LANES.items()]
    async with asyncio.TaskGroup() as group:
        for lane in lanes:
            group.create_task(lane.run())
    for lane in sorted(lanes, key=lambda each: not each.is_well):
        lane.tell()
    return max((lane.code for lane in lanes if not lane.is_well), default=0)


if __name__ == "__main__":
    sys.exit(asyncio.run(run(sys.argv[1:])))
