"""The end of a process whose plain reconcile hangs in its thread: it comes, whatever ended the manager."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import asyncio, sys, threading
from konverge import log
from konverge.controller import Channel, ChannelSource, Controller, Request, Surroundings
from konverge.manager import Manager
from konverge.testing.scripted import ScriptedTransport

grace, end = float(sys.argv[1]), sys.argv[2]
log.setup("info", style="json")
manager = Manager(transport=ScriptedTransport(), metrics_address=None, graceful_shutdown=grace)
hangs, channel = threading.Event(), Channel()

def reconcile(ctx, request):
    hangs.set()
    threading.Event().wait()

class Ending:
    async def run(self):
        channel.push(Request("shop", "a"))
        await asyncio.to_thread(hangs.wait)
        if end == "failure":
            raise ValueError("the first failure")
        manager.stop()

controller = Controller("hanging", reconcile, Surroundings(client=manager.client, live=manager.live))
controller.watch(ChannelSource(channel))
manager.controllers["hanging"] = controller
manager.add(controller)
manager.add(Ending())
manager.run()
"""


@pytest.mark.parametrize(("grace", "end"), [("0.1", "failure"), ("0", "stop"), ("0", "failure"), ("0.1", "stop")])
def test_a_thread_that_hangs_does_not_keep_the_process(grace: str, end: str) -> None:
    """The log has the first failure and names who did not end."""
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM, grace, end], capture_output=True, text=True, timeout=60, check=False
    )
    assert ended.returncode == 1, ended.stderr
    assert "hanging did not end" in ended.stderr.splitlines()[-1]
    assert ("the first failure" in ended.stderr) == (end == "failure")
