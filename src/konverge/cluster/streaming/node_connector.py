"""NodeConnector: the way from the API server to what runs on the node of this process."""

from __future__ import annotations

from typing import Final

from konverge.cluster.apiserver.connecting import Command, Forward, Logs, PodTarget, Proxied, Refused
from konverge.cluster.apiserver.connecting.connector import Wanted
from konverge.cluster.apiserver.exchange import Answer, Duplex, Request, Stream, Upgrade
from konverge.cluster.apiserver.failure import Failure, bad_request, internal
from konverge.cluster.node.simulated_runtime import SimulatedRuntime
from konverge.cluster.pod_runtime import Execution, LogOptions, PodRef, PodRuntime, RuntimeRefusal
from konverge.cluster.streaming import (
    command_channels,
    command_streams,
    http_proxy,
    port_channels,
    port_forward,
    spdy,
    websocket,
)
from konverge.cluster.streaming.command_channels import CommandChannels
from konverge.cluster.streaming.command_streams import CommandStreams
from konverge.cluster.streaming.log_stream import LogStream
from konverge.cluster.streaming.port_channels import PortChannels
from konverge.cluster.streaming.port_forward import PortForward
from konverge.cluster.streaming.remote_command import run_command
from konverge.cluster.streaming.spdy import SpdyConnection
from konverge.cluster.streaming.websocket import Tunnel

_VERSIONS: Final = "x-stream-protocol-version"
_TUNNELLED: Final = f"{spdy.PROTOCOL}+{port_forward.PROTOCOL}"
_BAD_REQUEST: Final = 400
_NOT_FOUND: Final = 404


class NodeConnector:
    """Connects to containers by a runtime; without one, to those of the simulated node. `end` it with the server."""

    def __init__(self, runtime: PodRuntime | None = None) -> None:
        self._runtime = runtime
        self._following: dict[LogStream, None] = {}

    async def connect(self, wanted: Wanted, request: Request) -> Answer:
        """Return the answer that is the connection."""
        if isinstance(wanted, Proxied):
            return await http_proxy.forward(wanted, request)
        if isinstance(wanted, Logs):
            return await self._logs(wanted)
        if isinstance(wanted, Forward):
            return self._forward(wanted, request)
        return await self._command(wanted, request)

    def end(self) -> None:
        """End the logs that are followed."""
        for stream in tuple(self._following):
            stream.end()

    def _of(self, pod: PodTarget) -> PodRuntime:
        return self._runtime or SimulatedRuntime(pod.annotations)

    # --- logs ---

    async def _logs(self, wanted: Logs) -> Stream:
        options = LogOptions(
            follow=wanted.follow,
            previous=wanted.previous,
            since=wanted.since,
            timestamps=wanted.timestamps,
            tail=wanted.tail,
            limit_bytes=wanted.limit_bytes,
        )
        pieces = self._of(wanted.pod).logs(_ref(wanted.pod), wanted.container, options)
        log = LogStream(pieces, on_close=lambda stream: self._following.pop(stream, None))
        try:
            await log.begin()
        except RuntimeRefusal as refusal:
            raise _log_failure(refusal, wanted.pod.name) from refusal
        self._following[log] = None
        return Stream(status=200, chunks=log, content_type="text/plain")

    # --- commands ---

    async def _command(self, wanted: Command, request: Request) -> Upgrade:
        is_websocket = websocket.is_websocket(request)
        if is_websocket:
            protocol, headers = websocket.accepted(request, command_channels.PROTOCOLS)
        else:
            protocol, headers = _spdy_handshake(request, command_streams.PROTOCOLS)
        execution = await self._execution(wanted)

        async def serve(connection: Duplex) -> None:
            run = _over_websocket if is_websocket else _over_spdy
            await run(wanted, execution, connection, protocol)

        return Upgrade(protocol=websocket.PROTOCOL if is_websocket else spdy.PROTOCOL, serve=serve, headers=headers)

    async def _execution(self, wanted: Command) -> Execution:
        runtime, pod = self._of(wanted.pod), _ref(wanted.pod)
        try:
            if wanted.command is None:
                return await runtime.attach(pod, wanted.container)
            return await runtime.execute(pod, wanted.container, wanted.command, tty=wanted.tty)
        except RuntimeRefusal as refusal:
            raise Refused(refusal.code, str(refusal)) from refusal

    # --- ports ---

    def _forward(self, wanted: Forward, request: Request) -> Upgrade:
        runtime, pod = self._of(wanted.pod), _ref(wanted.pod)
        if not websocket.is_websocket(request):
            _, headers = _spdy_handshake(request, (port_forward.PROTOCOL,))
            return Upgrade(
                protocol=spdy.PROTOCOL,
                serve=lambda connection: PortForward(SpdyConnection(connection), runtime, pod).run(),
                headers=headers,
            )
        protocol, headers = websocket.accepted(request, (_TUNNELLED, *port_channels.PROTOCOLS))
        if protocol != _TUNNELLED and not wanted.ports:
            raise Refused(400, 'query parameter "ports" is required')

        async def serve(connection: Duplex) -> None:
            socket = websocket.socket_of(connection, protocol)
            if protocol == _TUNNELLED:
                await PortForward(SpdyConnection(Tunnel(socket)), runtime, pod).run()
            else:
                await PortChannels(socket, runtime, pod, ports=wanted.ports).run()
            await socket.close()

        return Upgrade(protocol=websocket.PROTOCOL, serve=serve, headers=headers)


async def _over_websocket(wanted: Command, execution: Execution, connection: Duplex, protocol: str) -> None:
    client = CommandChannels(websocket.socket_of(connection, protocol), protocol)
    try:
        await client.greet()
        await run_command(wanted, execution, client)
    finally:
        await execution.close()


async def _over_spdy(wanted: Command, execution: Execution, connection: Duplex, protocol: str) -> None:
    client = CommandStreams(SpdyConnection(connection), wanted, protocol)
    try:
        await client.open()
        await run_command(wanted, execution, client)
    except ConnectionError:
        pass  # the client went before its streams were there
    finally:
        await client.close()
        await execution.close()


def _spdy_handshake(request: Request, served: tuple[str, ...]) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Return the protocol that is spoken over SPDY and the header that says so; a client may ask for none."""
    if request.header("upgrade").lower() != spdy.PROTOCOL.lower():
        raise bad_request("unable to upgrade: missing upgrade headers in request")
    asked = [each.strip() for each in request.header(_VERSIONS).split(",") if each.strip()]
    if not asked:
        return "", ()
    chosen = next((each for each in asked if each in served), "")
    if not chosen:
        raise websocket.unknown_protocol(asked, served)
    return chosen, (("X-Stream-Protocol-Version", chosen),)


def _ref(pod: PodTarget) -> PodRef:
    return PodRef(namespace=pod.namespace, name=pod.name, uid=pod.uid)


def _log_failure(refusal: RuntimeRefusal, name: str) -> Failure:
    if refusal.code == _BAD_REQUEST:
        return bad_request(str(refusal))
    if refusal.code != _NOT_FOUND:
        return internal(str(refusal))
    cause = {"reason": "UnexpectedServerResponse", "message": str(refusal)}
    message = f"the server could not find the requested resource ( pods/log {name})"
    return Failure(404, "NotFound", message, details={"name": name, "kind": "pods/log", "causes": [cause]})
