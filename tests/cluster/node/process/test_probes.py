from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from konverge.cluster.node.process.http_get import HttpGet, read_status
from konverge.cluster.node.process.probe_count import ProbeCount
from konverge.cluster.node.process.prober import Target, ask
from konverge.models import core_v1


@pytest.mark.parametrize(
    ("answers", "results"),
    [
        ("++", [True, True]),
        ("--+", [None, None, True]),
        ("---", [None, None, False]),
        ("--+--", [None, None, True, True, True]),
    ],
)
def test_thresholds(answers: str, results: list[bool | None]) -> None:
    """One success, or three failures in a row."""
    count, found = ProbeCount(core_v1.Probe(), initial=None), []
    for answer in answers:
        count.note(ok=answer == "+")
        found.append(count.result)
    assert found == results


def test_a_request() -> None:
    """Headers that a probe gives take the place of the usual ones."""
    get = HttpGet(host="127.64.0.2", port=80, path="/live", headers=(("host", "example.com"), ("X", "a\r\nb")))
    assert get.request() == (
        b"GET /live HTTP/1.1\r\nhost: example.com\r\nX: ab\r\nUser-Agent: kube-probe/1.36\r\nAccept: */*\r\n"
        b"Connection: close\r\n\r\n"
    )


def test_what_is_no_answer() -> None:
    """A server that speaks something else is not well."""
    assert read_status(b"HTTP/1.1 204 No Content\r\n") == 204
    with pytest.raises(ValueError, match="malformed HTTP response"):
        read_status(b"SSH-2.0-OpenSSH\r\n")


async def never(_argv: Sequence[str], _limit: float) -> tuple[int, str]:
    """Run a command that never ends."""
    await asyncio.get_running_loop().create_future()
    return 0, ""


@pytest.mark.virtual_time
async def test_a_command_that_takes_too_long() -> None:
    """It counts as a failure, and the event says so."""
    probe = core_v1.Probe(exec=core_v1.ExecAction(command=["sleep", "9"]), timeout_seconds=2)
    verdict = await ask(probe, Target("127.64.0.2", {}, never))
    assert (verdict.ok, verdict.output) == (False, 'command timed out: "sleep 9" timed out after 2s')


async def test_a_port_that_nobody_named() -> None:
    """It counts as a failure, too."""
    probe = core_v1.Probe(tcp_socket=core_v1.TCPSocketAction(port="web"))
    assert (await ask(probe, Target("127.64.0.2", {}, never))).output == "couldn't find port: web"
