"""What nobody asks on purpose."""

from __future__ import annotations

from harness.script import Cases, Script

from cases.objects import CONFIG_MAPS, config_map, crd, custom_path, of_spec

case = Cases("oddity")


@case("the old paths of watches and proxies, which name nothing")
def _(s: Script) -> None:
    for path in ("/api/v1/watch", "/api/v1/proxy", "/apis/apps/v1/watch", "/apis/none/v1/watch/"):
        s.get(path)
        s.get(path, bare=True)
    s.post("/api/v1/watch", {}, a="b")
    s.get("/api/v1/watch/nothing")
    s.get("/api/v1/proxy/nothing")
    s.get("/api/v1/proxy/namespaces/{ns}/pods/a")


@case("seconds of grace that are no whole number")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, config_map("a"))
    headers = {"Content-Type": "application/json"}
    for text in (b"1e18", b"1e2", b"1.0", b"1.5", b"1e19", b"9223372036854775808", b'"1"'):
        s.delete(f"{CONFIG_MAPS}/a", b'{"gracePeriodSeconds":' + text + b"}", headers=headers)
    s.delete(f"{CONFIG_MAPS}/a", b'{"gracePeriodSeconds":1000000000000000000}', headers=headers)


SAME = (("a", b"4", b"4.0"), ("a", b"4.0", b"4"), ("i", b"4", b"4.0"), ("b", b'{"c":4}', b'{"c":4.0}'))


def _body(name: str, value: bytes) -> bytes:
    head = b'{"apiVersion":"example.com/v1","kind":"Four","metadata":{"name":"a"},"spec":{"'
    return head + name.encode() + b'":' + value + b"}}"


def _add_numbers(name: str, first: bytes, second: bytes) -> None:
    @case(f"{first.decode()} and {second.decode()} in the field {name} of a custom resource")
    def _(s: Script) -> None:
        free = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
        s.given(crd("fours", of_spec(a={"type": "number"}, i={"type": "integer"}, b=free)))
        path = custom_path("fours")
        s.post(path, _body(name, first), fieldManager="a")
        s.put(f"{path}/a", _body(name, second), fieldManager="b")
        s.patch(f"{path}/a", _body(name, first), fieldManager="c")
        s.apply(f"{path}/a", _body(name, second), manager="d")


for each in SAME:
    _add_numbers(*each)
