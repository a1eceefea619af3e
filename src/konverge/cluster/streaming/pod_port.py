"""A connection to a port of a pod, or why there is none in a kubelet's words."""

from __future__ import annotations

import asyncio

from konverge.cluster.pod_runtime import PodRef, PodRuntime, RuntimeRefusal
from konverge.cluster.streaming.dial_error import dial_error

_FAILED = 500


async def open_port(runtime: PodRuntime, pod: PodRef, port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Connect to a port. Raises `RuntimeRefusal`."""
    try:
        address = await runtime.address(pod)
    except RuntimeRefusal as refusal:
        raise _refusal(pod, port, str(refusal)) from refusal
    try:
        return await asyncio.open_connection(address, port)
    except OSError as error:
        raise _refusal(pod, port, dial_error(error, address, port)) from error


def _refusal(pod: PodRef, port: int, why: str) -> RuntimeRefusal:
    return RuntimeRefusal(_FAILED, f"error forwarding port {port} to pod {pod}, uid {pod.uid}: {why}")
