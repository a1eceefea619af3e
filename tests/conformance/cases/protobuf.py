"""Bodies in protobuf, as Go's clients send them; written by hand here, so that they can be wrong as well."""

from __future__ import annotations

from typing import Final

from harness.script import Cases, Reference, Script

from cases.objects import CONFIG_MAPS
from konverge.cluster.apiserver.openapi.protobuf import length_delimited, text, varint

case = Cases("protobuf")
PROTOBUF: Final = {"Content-Type": "application/vnd.kubernetes.protobuf"}
PREFIX: Final = b"k8s\x00"


def envelope(kind: str, api_version: str, raw: bytes) -> bytes:
    """Return a body."""
    return PREFIX + length_delimited(1, text(1, api_version) + text(2, kind)) + length_delimited(2, raw)


def number(field: int, value: int) -> bytes:
    """Return a field that is a number, zero as well."""
    return varint(field << 3) + varint(value)


def config_map(name: str, **data: str) -> bytes:
    """Return a config map's message."""
    entries = [length_delimited(2, text(1, key) + length_delimited(2, value.encode())) for key, value in data.items()]
    return length_delimited(1, text(1, name)) + b"".join(entries)


def send(s: Script, body: bytes, *, path: str = CONFIG_MAPS) -> Reference:
    """Create something."""
    return s.post(path, body, headers=PROTOBUF)


@case("a config map is created and replaced")
def _(s: Script) -> None:
    send(s, envelope("ConfigMap", "v1", config_map("a", one="1", empty="")))
    s.put(f"{CONFIG_MAPS}/a", envelope("ConfigMap", "v1", config_map("a", two="2")), headers=PROTOBUF)
    s.get(f"{CONFIG_MAPS}/a")


@case("an envelope that does not say what is in it")
def _(s: Script) -> None:
    send(s, envelope("", "", config_map("a")))
    send(s, envelope("ConfigMap", "", config_map("b")))
    send(s, envelope("", "v1", config_map("c")))


@case("an envelope of another kind")
def _(s: Script) -> None:
    send(s, envelope("Secret", "v1", config_map("a")))
    send(s, envelope("Deployment", "apps/v1", b""))
    send(s, envelope("Widget", "example.com/v1", b""))
    send(s, envelope("ConfigMap", "v2", config_map("a")))


@case("bodies that are no protobuf")
def _(s: Script) -> None:
    for body in (b"", b"k8s\x00", b"k8s", b'{"kind": "ConfigMap"}', b"k8s\x00\x0a", b"k8s\x00\x0a\x80\x01"):
        send(s, body)


@case("messages that are broken")
def _(s: Script) -> None:
    send(s, envelope("ConfigMap", "v1", b"\x0a\x05\x0a"))
    send(s, envelope("ConfigMap", "v1", number(1, 3)))
    send(s, envelope("ConfigMap", "v1", b"\x0a" + b"\xff" * 11))
    send(s, envelope("ConfigMap", "v1", b"\x00\x00"))
    send(s, envelope("ConfigMap", "v1", config_map("a") + b"\x0e"))
    send(s, envelope("ConfigMap", "v1", config_map("a") + b"\x0c"))


@case("fields that nobody knows are passed over")
def _(s: Script) -> None:
    send(s, envelope("ConfigMap", "v1", config_map("a") + number(99, 7) + text(98, "more")))
    group = varint(97 << 3 | 3) + number(1, 1) + varint(97 << 3 | 4)
    send(s, envelope("ConfigMap", "v1", config_map("b") + group))


@case("a field that stands twice")
def _(s: Script) -> None:
    labelled = length_delimited(1, length_delimited(11, text(1, "a") + text(2, "1")))
    send(s, envelope("ConfigMap", "v1", config_map("a", one="1") + labelled + config_map("a", one="2")))


@case("a patch in protobuf")
def _(s: Script) -> None:
    s.ask("PATCH", f"{CONFIG_MAPS}/a", envelope("ConfigMap", "v1", b""), headers=PROTOBUF)


@case("options of a deletion")
def _(s: Script) -> None:
    for name in ("a", "b", "c", "d"):
        send(s, envelope("ConfigMap", "v1", config_map(name)))
    s.delete(f"{CONFIG_MAPS}/a", envelope("DeleteOptions", "v1", text(4, "Foreground")), headers=PROTOBUF)
    s.delete(f"{CONFIG_MAPS}/b", envelope("DeleteOptions", "v1", text(4, "Sideways")), headers=PROTOBUF)
    wrong = length_delimited(2, text(1, "no-such-uid"))
    s.delete(f"{CONFIG_MAPS}/b", envelope("DeleteOptions", "v1", wrong), headers=PROTOBUF)
    s.delete(f"{CONFIG_MAPS}/b", envelope("DeleteOptions", "apps/v1", number(1, 0)), headers=PROTOBUF)
    s.delete(f"{CONFIG_MAPS}/c", envelope("ConfigMap", "v1", b""), headers=PROTOBUF)
    s.delete(f"{CONFIG_MAPS}/c", b"k8s", headers=PROTOBUF)
    s.delete(f"{CONFIG_MAPS}/c", envelope("DeleteOptions", "v1", b"\x0a\x05"), headers=PROTOBUF)
    s.delete(f"{CONFIG_MAPS}/d", envelope("", "", b""), headers=PROTOBUF)
