from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st

from konverge.cluster.node.process.container_log import MOST_FILES, ContainerLog, older
from konverge.cluster.node.process.disk import Disk
from konverge.cluster.node.process.log_line import LONGEST
from konverge.cluster.node.process.log_reader import last_lines, read_log
from konverge.cluster.pod_runtime import STDERR, STDOUT, LogOptions


def writer(path: Path, **options: int) -> ContainerLog:
    """Return a log that is written to a path."""
    return ContainerLog(Disk(), path, failed=lambda _error: None, **options)


@given(st.lists(st.binary(max_size=8), max_size=8), st.sampled_from([STDOUT, STDERR]))
def test_any_cuts(pieces: list[bytes], stream: int) -> None:
    """However a container's words come, they are read as they were said."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "0.log"
        log = writer(path)
        for piece in pieces:
            log.feed(stream, piece)
        log.close()
        assert last_lines(path, 1000) == b"".join(pieces)


def test_a_line_without_end(tmp_path: Path) -> None:
    """It is cut on disk, and whole for its reader."""
    log = writer(tmp_path / "0.log")
    for _ in range(5):
        log.feed(STDOUT, b"x" * LONGEST)
    log.feed(STDOUT, b"end\n")
    log.close()
    assert last_lines(tmp_path / "0.log", 1000) == b"x" * 5 * LONGEST + b"end\n"


def test_files_are_turned_over(tmp_path: Path) -> None:
    """So many of so many bytes; the oldest lines go."""
    path = tmp_path / "0.log"
    log = writer(path, most_bytes=1000)
    for number in range(500):
        log.feed(STDOUT, b"%d\n" % number)
    log.close()
    assert len(list(tmp_path.iterdir())) <= MOST_FILES
    assert all(each.stat().st_size < 1100 for each in tmp_path.iterdir())
    lines = [int(line) for line in last_lines(path, 10_000).split()]
    assert lines == list(range(lines[0], 500))
    assert len(lines) > 80


async def test_a_reader_follows_over_turns(tmp_path: Path) -> None:
    """Nothing is lost or said twice while files are turned over behind it."""
    path = tmp_path / "0.log"
    log = writer(path, most_bytes=2000)
    log.feed(STDOUT, b"first\n")
    found = b""
    number = 0
    async for piece in read_log(path, LogOptions(follow=True), log=log):
        found += piece
        if number < 400:
            log.feed(STDOUT, b"%d\n" % number)
            number += 1
        elif not log.is_closed:
            log.close()
    assert found.split() == [b"first", *(b"%d" % each for each in range(400))]
    assert older(path, 1).exists()
