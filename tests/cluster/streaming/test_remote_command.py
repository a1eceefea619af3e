from __future__ import annotations

import asyncio
import base64
from typing import Any

import msgspec
import pytest

from konverge.cluster.apiserver.connecting import Command, PodTarget
from konverge.cluster.pod_runtime import STDERR, STDOUT
from konverge.cluster.streaming.command_channels import CommandChannels
from konverge.cluster.streaming.command_streams import CommandStreams, expected_streams
from konverge.cluster.streaming.remote_command import read_size, run_command, status_of
from konverge.cluster.streaming.spdy import SpdyConnection
from konverge.cluster.streaming.spdy_frames import Data, Frame, GoAway, SpdyReader, SpdyWriter, SynReply, SynStream
from konverge.cluster.streaming.websocket import WebSocket, socket_of
from konverge.cluster.streaming.websocket_frames import Opcode, frame

MASK = b"abcd"
POD = PodTarget(namespace="default", name="a", uid="u")
V5 = "v5.channel.k8s.io"


def wanted(**more: Any) -> Command:
    """Return a command with all of its streams."""
    return Command(pod=POD, container="c", command=("x",), **{"stdin": True, "stdout": True, "stderr": True, **more})


def message(*data: bytes) -> bytes:
    """Return a client's message."""
    return frame(Opcode.BINARY, b"".join(data), mask=MASK)


async def received(wire: Any) -> list[bytes]:
    """Return the messages that a client gets until it is closed."""
    found: list[bytes] = []
    async with asyncio.timeout(10):
        while (data := await wire.receive())[0] != 0x88:
            head = 2 if data[1] < 126 else 4
            found.append(data[head:])
    return found


async def test_over_a_websocket_input_comes_back_and_the_outcome_is_told(wire: Any, program: Any) -> None:
    """Each message's first byte is its channel; v5 can end the input."""
    client, server = wire()
    execution = program(echoes=True)
    for each in (message(b"\0", b"hello"), message(b"\4", b'{"Width":80,"Height":24}'), message(b"\xff\0")):
        await client.send(each)
    await run_command(wanted(), execution, CommandChannels(WebSocket(server), V5))
    assert await received(client) == [b"\1hello", b'\3{"metadata":{},"status":"Success"}']
    assert execution.sizes == [(80, 24)]
    assert execution.is_closed.is_set()


async def test_over_a_websocket_of_texts(wire: Any, program: Any) -> None:
    """For clients that know no bytes."""
    client, server = wire()
    protocol = "v4.base64.channel.k8s.io"
    await client.send(frame(Opcode.TEXT, b"0aGVsbG8=", mask=MASK))
    await run_command(wanted(), program(((STDOUT, b"hi"),)), CommandChannels(socket_of(server, protocol), protocol))
    said = b"3" + base64.b64encode(b'{"metadata":{},"status":"Success"}')
    assert await received(client) == [b"1aGk=", said]


async def test_what_was_not_asked_for_is_not_sent(wire: Any, program: Any) -> None:
    """Neither the output nor the errors; input that nobody gives ends at once."""
    client, server = wire()
    execution = program(((STDOUT, b"out"), (STDERR, b"err")), code=3)
    await run_command(wanted(stdin=False, stdout=False), execution, CommandChannels(WebSocket(server), V5))
    error, status = await received(client)
    assert error == b"\2err"
    assert msgspec.json.decode(status[1:])["details"] == {"causes": [{"reason": "ExitCode", "message": "3"}]}
    assert execution.is_input_closed.is_set()


async def test_a_client_that_goes_ends_the_program(wire: Any, program: Any) -> None:
    """Nothing runs on for nobody."""
    client, server = wire()
    execution = program(echoes=True)
    running = asyncio.create_task(run_command(wanted(), execution, CommandChannels(WebSocket(server), V5)))
    client.close()
    async with asyncio.timeout(10):
        await execution.is_closed.wait()
        await running


@pytest.mark.parametrize(("protocol", "said"), [("channel.k8s.io", b"\3command terminated"), (V5, b'\3{"metadata"')])
async def test_old_clients_are_told_in_words(wire: Any, program: Any, protocol: str, said: bytes) -> None:
    """Newer ones by a Status."""
    client, server = wire()
    await run_command(wanted(stdin=False), program(code=1), CommandChannels(WebSocket(server), protocol))
    [status] = await received(client)
    assert status.startswith(said)


async def _streams(wire: Any, *frames: Frame) -> None:
    writer = SpdyWriter()
    await wire.send(b"".join(map(writer.write, frames)))


async def test_over_spdy_a_stream_each(wire: Any, program: Any) -> None:
    """Input, output and the outcome; the end of the input stream is the input's."""
    client, server = wire()
    asked = wanted(stderr=False)
    streams = CommandStreams(SpdyConnection(server), asked, "v4.channel.k8s.io")
    await _streams(
        client,
        SynStream(1, {"streamtype": "error"}),
        SynStream(3, {"streamtype": "stdin"}),
        SynStream(5, {"streamtype": "stdout"}),
        Data(3, b"hello", is_last=True),
    )
    async with asyncio.timeout(10):
        await streams.open()
        await run_command(asked, program(echoes=True), streams)
        await streams.close()
    server.close()
    reader, found = SpdyReader(), []
    while data := await client.receive():
        found += reader.feed(data)
    assert [each for each in found if isinstance(each, SynReply)] == [SynReply(1), SynReply(3), SynReply(5)]
    assert Data(5, b"hello") in found
    assert Data(1, status_of(0)) in found
    assert isinstance(found[-1], GoAway)


async def test_streams_that_never_come(wire: Any) -> None:
    """A client that goes before it has opened them is no client."""
    client, server = wire()
    streams = CommandStreams(SpdyConnection(server), wanted(), "v4.channel.k8s.io")
    await _streams(client, SynStream(1, {"streamtype": "error"}))
    client.close()
    async with asyncio.timeout(10):
        with pytest.raises(ConnectionError):
            await streams.open()
        await streams.close()


def test_which_streams_a_client_opens() -> None:
    """A terminal's size is told since v3."""
    assert expected_streams(wanted(tty=True, stderr=False), "v4.channel.k8s.io") == [
        "error",
        "stdin",
        "stdout",
        "resize",
    ]
    assert expected_streams(wanted(tty=True, stdin=False), "v2.channel.k8s.io") == ["error", "stdout", "stderr"]


def test_a_size_that_cannot_be_read_is_none() -> None:
    """It is passed over: a terminal works without."""
    assert read_size(b"{") is None
    assert read_size(b'{"Width":"wide"}') is None
