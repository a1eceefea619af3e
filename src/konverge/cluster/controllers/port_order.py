"""The order of several ports, in Endpoints and in slices: that of a hash of Go's dump of each, as in a real cluster.

The order means nothing, but an object that differs from the real one in nothing else should not differ in this.
"""

from __future__ import annotations

from konverge.models import core_v1, discovery_v1


def rank_in_endpoints(port: core_v1.EndpointPort) -> int:
    """Return the place of a port among those of a subset."""
    fields = f"Name:(string){port.name or ''} Port:(int32){port.port} Protocol:(v1.Protocol){port.protocol}"
    return _hash(f"{fields} AppProtocol:(*string){_text(port.app_protocol)}")


def rank_in_slice(port: discovery_v1.EndpointPort) -> int:
    """Return the place of a port among those of a slice."""
    fields = f"Name:(*string){_text(port.name)} Protocol:(*v1.Protocol){_text(port.protocol)}"
    return _hash(f"{fields} Port:(*int32){_text(port.port)} AppProtocol:(*string){_text(port.app_protocol)}")


def _text(value: str | int | None) -> str:
    return "<nil>" if value is None else str(value)


def _hash(fields: str) -> int:
    """FNV-1a with 128 bits."""
    value = 0x6C62272E07BB014262B821756295C58D
    for byte in f"(v1.EndpointPort){{{fields}}}".encode():
        value = (value ^ byte) * 0x1000000000000000000013B & ((1 << 128) - 1)
    return value
