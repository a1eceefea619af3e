"""A command over a websocket: each message's first byte is its channel, as in Kubernetes' `channel.k8s.io`."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Final

from konverge.cluster.streaming.remote_command import Input, Resize, message_of, read_size, status_of
from konverge.cluster.streaming.websocket import WebSocket

PROTOCOLS: Final = (
    *("v5.channel.k8s.io", "v4.channel.k8s.io", "v4.base64.channel.k8s.io"),
    *("channel.k8s.io", "base64.channel.k8s.io"),
)
_STDIN: Final = 0
_STDOUT: Final = 1
_ERROR: Final = 3
_RESIZE: Final = 4
_CLOSE: Final = 255  # since v5: the channel that follows ends
_OLD: Final = ("channel.k8s.io", "base64.channel.k8s.io", "")  # failures are told in words alone


class CommandChannels:
    """A client of a command, over a websocket of one of the protocols."""

    def __init__(self, socket: WebSocket, protocol: str) -> None:
        self._socket = socket
        self._protocol = protocol

    async def greet(self) -> None:
        """Send an empty piece of output: older clients take it for the sign that the program runs."""
        await self._socket.send(bytes((_STDOUT,)))

    async def events(self) -> AsyncIterator[Input | Resize]:
        """Iterate over what the client does, until it goes."""
        while (message := await self._socket.receive()) is not None:
            event = _event(message)
            if event is not None:
                yield event

    async def output(self, stream: int, data: bytes) -> None:
        """Send what the program says."""
        await self._socket.send(bytes((stream,)) + data)

    async def finish(self, exit_code: int) -> None:
        """Tell how it ended, and end."""
        if self._protocol not in _OLD:
            await self._socket.send(bytes((_ERROR,)) + status_of(exit_code))
        elif exit_code:
            await self._socket.send(bytes((_ERROR,)) + message_of(exit_code).encode())
        await self._socket.close()


def _event(message: bytes) -> Input | Resize | None:
    if not message:
        return None
    channel, data = message[0], message[1:]
    if channel == _STDIN and data:
        return Input(data)
    if channel == _RESIZE:
        return read_size(data)
    return Input(b"") if channel == _CLOSE and data == bytes((_STDIN,)) else None
