"""ServiceProxy: the controller that serves Services on this machine.

What is bound follows the Services, and who is connected to, the EndpointSlices; connections that are open go on when
their endpoint ends, or their Service is gone. Where a port is served elsewhere than at the cluster IP, the Service's
annotation says so, and so does whoever listens to `watch_problems`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

import konverge as kv
from konverge.cluster.node.process.problem import Problems
from konverge.cluster.proxy.listener import Listener, bind_fault
from konverge.cluster.proxy.plan import Plan, PlannedPort, plan_of
from konverge.errors import NotFound
from konverge.manager import Manager
from konverge.models import core_v1, discovery_v1

SERVED_AT: Final = "konverge.dev/served-at"
_SERVICE: Final = "kubernetes.io/service-name"
_WORKERS: Final = 4


class ServiceProxy:
    """Serves what it is told of by a manager; `add_to` one that runs in real time."""

    name = "service proxy"

    def __init__(self) -> None:
        self._listeners: dict[kv.Request, dict[str, Listener]] = {}  # of each service, by the port's key
        self._tasks: set[asyncio.Task[None]] = set()  # connections
        self._problems = Problems()
        self._stop = asyncio.Event()

    def add_to(self, manager: Manager) -> None:
        """Register the controller."""
        manager.add(self)
        kv.new_controller(manager).named("service-proxy").for_(core_v1.Service).watches(
            discovery_v1.EndpointSlice, _service_of
        ).with_options(max_concurrent_reconciles=_WORKERS).complete(self)

    def watch_problems(self, listener: Callable[[str], None]) -> None:
        """Call a listener with a sentence whenever a port is not served where it should be."""
        self._problems.listen(listener)

    async def run(self) -> None:
        """Serve until told to stop; then end what is open."""
        try:
            await self._stop.wait()
        finally:
            for listeners in self._listeners.values():
                for listener in listeners.values():
                    listener.close()
            for task in tuple(self._tasks):
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    async def stop(self) -> None:
        """Let it end."""
        self._stop.set()

    async def reconcile(self, ctx: kv.Context, request: kv.Request) -> None:
        """Serve a Service as it is now."""
        try:
            service = await ctx.client.get(core_v1.Service, request)
        except NotFound:
            await self._serve(request, Plan(), {})
            self._problems.forget(f"service {request}")
            return
        slices = await ctx.client.list(
            discovery_v1.EndpointSlice, namespace=request.namespace, labels={_SERVICE: request.name}
        )
        plan = plan_of(service, list(slices))
        annotations = service.metadata.annotations or {}
        await self._serve(request, plan, read_served(annotations.get(SERVED_AT, "")))
        await self._annotate(ctx, service, self._listeners.get(request, {}))
        self._tell(request, plan)

    # --- the ports ---

    async def _serve(self, request: kv.Request, plan: Plan, before: dict[str, str]) -> None:
        """Bind what is new, let go what is gone, and give the rest its targets."""
        old = self._listeners.get(request, {})
        kept = {port.key: port for port in plan.ports if _is_same(old.get(port.key), port)}
        for key in [key for key in old if key not in kept]:
            old.pop(key).close()
        new: dict[str, Listener] = {}
        for port in plan.ports:
            if port.key in kept:
                new[port.key] = old[port.key]
                new[port.key].update(port)
            elif (listener := await self._bind(request, port, before.get(port.key, ""))) is not None:
                new[port.key] = listener
        self._listeners[request] = new
        if not new:
            del self._listeners[request]

    async def _bind(self, request: kv.Request, port: PlannedPort, before: str) -> Listener | None:
        listener = Listener(port, self._tasks)
        try:
            await listener.bind(before)
        except OSError as error:
            self._problems.tell(f"service {request}", f"port {port.number} is not served: {bind_fault(error)}")
            return None
        return listener

    # --- what is said of it ---

    async def _annotate(self, ctx: kv.Context, service: core_v1.Service, listeners: dict[str, Listener]) -> None:
        """Write where ports are served that are not where they should be."""
        elsewhere = {key: str(each.place) for key, each in listeners.items() if each.fault}
        annotations = dict(service.metadata.annotations or {})
        text = ",".join(f"{key}={place}" for key, place in elsewhere.items())
        if annotations.get(SERVED_AT, "") == text:
            return
        if text:
            annotations[SERVED_AT] = text
        else:
            annotations.pop(SERVED_AT)
        service.metadata.annotations = annotations or None
        await ctx.client.patch(service)

    def _tell(self, request: kv.Request, plan: Plan) -> None:
        said = [
            f"port {each.port.number} is served at {each.place}: at {each.port.address} {each.fault}"
            for each in self._listeners.get(request, {}).values()
            if each.fault
        ]
        said += [f"{port} is not served: only TCP is" for port in plan.unserved]
        if said:
            self._problems.tell(f"service {request}", "; ".join(said))


def _is_same(listener: Listener | None, port: PlannedPort) -> bool:
    return listener is not None and (listener.port.address, listener.port.number) == (port.address, port.number)


def _service_of(slice_: discovery_v1.EndpointSlice) -> list[kv.Request]:
    name = (slice_.metadata.labels or {}).get(_SERVICE)
    return [kv.Request(slice_.metadata.namespace or "", name)] if name else []


def read_served(text: str) -> dict[str, str]:
    """Read where the ports were served, as the annotation has it."""
    pairs = (part.partition("=") for part in text.split(",") if "=" in part)
    return {key: place for key, _, place in pairs}
