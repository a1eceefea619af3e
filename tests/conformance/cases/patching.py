"""JSON patches and merge patches in depth, on several kinds."""

from __future__ import annotations

from typing import Any, Final

from harness.script import Cases, Script

from cases.objects import CONFIG_MAPS, LEASES, NAMESPACES, SECRETS, SERVICES, config_map

case = Cases("json patch")

A: Final = f"{CONFIG_MAPS}/a"


def _made(s: Script, **more: Any) -> None:
    s.post(CONFIG_MAPS, config_map("a", **more))


def _op(s: Script, *operations: dict[str, Any], **more: Any) -> None:
    s.patch(A, list(operations), kind="json", **more)


@case("add")
def _(s: Script) -> None:
    _made(s)
    _op(s, {"op": "add", "path": "/data/b", "value": "2"})
    _op(s, {"op": "add", "path": "/data/a", "value": "again"})
    _op(s, {"op": "add", "path": "/metadata/labels/x", "value": "y"})
    _op(s, {"op": "add", "path": "/metadata/labels", "value": {"x": "y"}})
    _op(s, {"op": "add", "path": "/data/c"})


@case("add to a list")
def _(s: Script) -> None:
    _made(s, metadata={"finalizers": ["example.com/a", "example.com/b"]})
    for place in ("-", "0", "4", "9", "-1", "x", "01"):
        _op(s, {"op": "add", "path": f"/metadata/finalizers/{place}", "value": f"example.com/at{place}".rstrip("-")})


@case("remove")
def _(s: Script) -> None:
    _made(s, metadata={"finalizers": ["example.com/a", "example.com/b"]})
    for path in ("/data/a", "/data/a", "/metadata/finalizers/1", "/metadata/finalizers/7", "/none/below", ""):
        _op(s, {"op": "remove", "path": path})


@case("replace")
def _(s: Script) -> None:
    _made(s)
    _op(s, {"op": "replace", "path": "/data/a", "value": "2"})
    _op(s, {"op": "replace", "path": "/data/none", "value": "2"})
    _op(s, {"op": "replace", "path": "/data", "value": {"z": "1"}})
    _op(s, {"op": "replace", "path": "/data", "value": None})
    _op(s, {"op": "replace", "path": "", "value": {"x": 1}})


@case("move and copy")
def _(s: Script) -> None:
    _made(s, data={"a": "1", "b": "2"})
    _op(s, {"op": "move", "from": "/data/a", "path": "/data/z"})
    _op(s, {"op": "move", "from": "/data/none", "path": "/data/z"})
    _op(s, {"op": "copy", "from": "/data/z", "path": "/metadata/labels"})
    _op(s, {"op": "copy", "from": "/data", "path": "/metadata/annotations"})
    _op(s, {"op": "copy", "path": "/data/z"})


@case("test")
def _(s: Script) -> None:
    _made(s)
    _op(s, {"op": "test", "path": "/data/a", "value": "1"}, {"op": "add", "path": "/data/b", "value": "ok"})
    _op(s, {"op": "test", "path": "/data/a", "value": "2"}, {"op": "add", "path": "/data/c", "value": "no"})
    _op(s, {"op": "test", "path": "/data/none", "value": None})
    _op(s, {"op": "test", "path": "/data/none", "value": "x"})
    _op(s, {"op": "test", "path": "/data", "value": {"b": "ok", "a": "1"}})


@case("paths with escapes")
def _(s: Script) -> None:
    _made(s, metadata={"annotations": {"a/b": "1", "c~d": "2"}})
    _op(s, {"op": "replace", "path": "/metadata/annotations/a~1b", "value": "x"})
    _op(s, {"op": "replace", "path": "/metadata/annotations/c~0d", "value": "y"})
    _op(s, {"op": "replace", "path": "/metadata/annotations/a~2b", "value": "z"})


@case("operations that are none")
def _(s: Script) -> None:
    _made(s)
    _op(s, {"op": "Add", "path": "/data/b", "value": "2"})
    _op(s, {"path": "/data/b", "value": "2"})
    _op(s, {"op": "add", "value": "2"})
    _op(s, {"op": 1, "path": "/data/b"})
    _op(s, {"op": "add", "path": 1, "value": "2"})
    _op(s, {"op": "add", "path": "data/b", "value": "2"})
    _op(s, {})


@case("texts that are no patch")
def _(s: Script) -> None:
    _made(s)
    for body in (b"{}", b"null", b"[1]", b"[null]", b'"x"', b"[", b'[{"op":"add","path":"/data/b","value":"1"}] x'):
        s.patch(A, body, kind="json")


@case("fields of operations that there are not")
def _(s: Script) -> None:
    _made(s)
    odd = {"op": "add", "path": "/data/b", "value": "2", "odd": 1}
    for validation in ("Strict", "Warn", "Ignore"):
        _op(s, odd, fieldValidation=validation)


@case("the result breaks the type")
def _(s: Script) -> None:
    _made(s)
    _op(s, {"op": "add", "path": "/data/b", "value": 2})
    _op(s, {"op": "replace", "path": "/data", "value": []})
    _op(s, {"op": "replace", "path": "/metadata", "value": "x"})
    _op(s, {"op": "add", "path": "/immutable", "value": "x"})


@case("the type itself")
def _(s: Script) -> None:
    _made(s)
    _op(s, {"op": "replace", "path": "/kind", "value": "Other"})
    _op(s, {"op": "remove", "path": "/kind"})
    _op(s, {"op": "replace", "path": "/apiVersion", "value": "v2"})
    _op(s, {"op": "remove", "path": "/apiVersion"})


@case("the metadata")
def _(s: Script) -> None:
    _made(s)
    _op(s, {"op": "replace", "path": "/metadata/name", "value": "b"})
    _op(s, {"op": "replace", "path": "/metadata/uid", "value": "b"})
    _op(s, {"op": "remove", "path": "/metadata/creationTimestamp"})
    _op(s, {"op": "replace", "path": "/metadata/resourceVersion", "value": "1"})
    _op(s, {"op": "remove", "path": "/metadata/resourceVersion"})
    _op(s, {"op": "remove", "path": "/metadata/managedFields"})
    _op(s, {"op": "replace", "path": "/metadata/managedFields", "value": [{}]})


@case("many operations")
def _(s: Script) -> None:
    _made(s)
    _op(s, *({"op": "add", "path": f"/data/k{index}", "value": "v"} for index in range(50)))
    _op(s, *({"op": "test", "path": "/kind", "value": "ConfigMap"} for _ in range(10_001)))


@case("merge: deep and shallow nulls")
def _(s: Script) -> None:
    _made(s, data={"a": "1", "b": "2"}, metadata={"labels": {"x": "y"}, "annotations": {"n": "m"}})
    s.patch(A, {"data": {"a": None}, "metadata": {"labels": None}})
    s.patch(A, {"data": {"new": None, "c": "3"}})
    s.patch(A, {"immutable": None, "data": None, "metadata": {"annotations": {"n": None}}})


@case("merge: lists are replaced")
def _(s: Script) -> None:
    _made(s, metadata={"finalizers": ["example.com/a", "example.com/b"]})
    s.patch(A, {"metadata": {"finalizers": ["example.com/c"]}})
    s.patch(A, {"metadata": {"finalizers": []}})
    ports = [{"name": "a", "port": 80}, {"name": "b", "port": 81}]
    s.post(SERVICES, {"metadata": {"name": "s"}, "spec": {"clusterIP": "None", "ports": ports}})
    s.patch(f"{SERVICES}/s", {"spec": {"ports": [{"name": "c", "port": 82}]}})


@case("merge: texts that are no patch")
def _(s: Script) -> None:
    _made(s)
    for body in (b"null", b"1", b'"x"', b"{", b"{} x", b"", b'{"data":{"a":}}'):
        s.patch(A, body)


@case("merge: the type and the metadata")
def _(s: Script) -> None:
    _made(s)
    s.patch(A, {"kind": "Other"})
    s.patch(A, {"kind": None})
    s.patch(A, {"apiVersion": "v9"})
    s.patch(A, {"metadata": None})
    s.patch(A, {"metadata": {"name": None}})
    s.patch(A, {"metadata": {"namespace": "other"}})
    s.patch(A, {"metadata": {"creationTimestamp": None, "generation": 7, "selfLink": "x"}})


@case("merge: a version that must be the newest")
def _(s: Script) -> None:
    made = s.post(CONFIG_MAPS, config_map("a"))
    version = made["metadata"]["resourceVersion"]
    s.patch(A, {"metadata": {"resourceVersion": version}, "data": {"b": "2"}})
    s.patch(A, {"metadata": {"resourceVersion": version}, "data": {"c": "3"}})
    s.patch(A, {"metadata": {"resourceVersion": "x"}})
    s.patch(A, {"metadata": {"resourceVersion": "0"}, "data": {"d": "4"}})
    s.patch(A, {"metadata": {"resourceVersion": None}, "data": {"e": "5"}})


@case("merge: fields that there are not")
def _(s: Script) -> None:
    _made(s)
    for validation in ("Strict", "Warn", "Ignore"):
        s.patch(A, {"dat": {"x": 1}, "metadata": {"odd": 2}}, fieldValidation=validation)
    s.patch(A, b'{"data":{"a":"1","a":"2"}}')
    s.patch(A, b'{"data":{"a":"1","a":"2"}}', fieldValidation="Strict")


@case("merge: nothing, and nothing new")
def _(s: Script) -> None:
    _made(s)
    s.patch(A, {})
    s.patch(A, {"data": {"a": "1"}})
    s.patch(A, {"data": {"a": "1"}}, fieldManager="other")
    s.get(A)


@case("merge: an object that is being deleted")
def _(s: Script) -> None:
    _made(s, metadata={"finalizers": ["example.com/a"]})
    s.delete(A)
    s.patch(A, {"data": {"b": "2"}})
    s.patch(A, {"metadata": {"deletionTimestamp": None}})
    s.patch(A, {"metadata": {"finalizers": ["example.com/a", "example.com/b"]}})
    s.patch(A, {"metadata": {"finalizers": None}, "data": {"last": "word"}})


@case("of kinds that a PUT would make")
def _(s: Script) -> None:
    s.patch(f"{LEASES}/none", {"spec": {}})
    s.patch(f"{LEASES}/none", [], kind="json")
    s.patch(f"{LEASES}/none", {}, kind="strategic")


@case("of a secret")
def _(s: Script) -> None:
    s.post(SECRETS, {"metadata": {"name": "s"}, "data": {"a": "eA=="}})
    s.patch(f"{SECRETS}/s", [{"op": "add", "path": "/data/b", "value": "eQ=="}], kind="json")
    s.patch(f"{SECRETS}/s", [{"op": "add", "path": "/data/b", "value": "not base64"}], kind="json")
    s.patch(f"{SECRETS}/s", {"stringData": {"a": "new"}})
    s.patch(f"{SECRETS}/s", {"type": "other"})


@case("of a namespace")
def _(s: Script) -> None:
    path = f"{NAMESPACES}/{{ns}}"
    s.patch(path, [{"op": "add", "path": "/metadata/annotations", "value": {"a": "b"}}], kind="json")
    s.patch(path, {"metadata": {"labels": {"kubernetes.io/metadata.name": None}}})
    s.patch(path, {"metadata": {"labels": {"kubernetes.io/metadata.name": "other"}}})
