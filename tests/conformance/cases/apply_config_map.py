"""Server-side apply on ConfigMaps, and the way from updates to apply."""

from __future__ import annotations

from typing import Any

from harness.script import Cases, Script

from cases.objects import CONFIG_MAPS

case = Cases("apply to ConfigMaps")
A = f"{CONFIG_MAPS}/a"


def _map(data: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    metadata = {"name": "a", **more.pop("metadata", {})}
    made: dict[str, Any] = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata}
    return {**made, **({} if data is None else {"data": data}), **more}


@case("by three managers")
def _(s: Script) -> None:
    s.apply(A, _map({"a": "1"}), manager="one")
    s.apply(A, _map({"b": "1"}), manager="two")
    s.apply(A, _map({"a": "2", "b": "2"}), manager="three")
    s.apply(A, _map({"a": "2", "b": "2"}), manager="three", force="true")
    s.apply(A, _map(), manager="one")
    s.apply(A, _map({}), manager="three")


@case("by one who made it by an update")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, _map({"a": "1", "b": "1"}), fieldManager="tester")
    s.apply(A, _map({"a": "2"}))
    s.apply(A, _map({"a": "2"}), force="true")
    s.apply(A, _map({"b": "1"}))
    s.get(A)


@case("by one who used kubectl apply before")
def _(s: Script) -> None:
    last = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","annotations":{}},"data":{"a":"1","b":"1"}}'
    key = "kubectl.kubernetes.io/last-applied-configuration"
    made = _map({"a": "1", "b": "1"}, metadata={"annotations": {key: last}})
    s.post(CONFIG_MAPS, made, fieldManager="kubectl-client-side-apply")
    s.apply(A, _map({"a": "2"}), manager="kubectl")
    s.get(A)


@case("of fields that do not exist")
def _(s: Script) -> None:
    s.apply(A, _map({"a": "1"}, datum={"x": "y"}))
    s.apply(A, _map({"a": 1}))
    s.apply(A, _map({"a": None}))
    s.apply(A, _map({"a": "1"}, metadata={"labels": "x"}))


@case("of an immutable one")
def _(s: Script) -> None:
    s.apply(A, _map({"a": "1"}, immutable=True))
    s.apply(A, _map({"a": "2"}, immutable=True))
    s.apply(A, _map({"a": "1"}))


@case("of binary data and text with one key")
def _(s: Script) -> None:
    s.apply(A, _map({"a": "1"}, binaryData={"b": "eA=="}))
    s.apply(A, _map({"a": "1"}, binaryData={"a": "eA=="}), manager="other")
    s.apply(A, _map({"a": "1"}, binaryData={"b": "not base64"}))


@case("by a dry run")
def _(s: Script) -> None:
    s.apply(A, _map({"a": "1"}), dryRun="All")
    s.get(A)
    s.apply(A, _map({"a": "1"}))
    s.apply(A, _map({"a": "2"}), dryRun="All", manager="other")
    s.apply(A, _map({"a": "2"}), dryRun="All", manager="other", force="true")
    s.get(A)


@case("seen by a watch")
def _(s: Script) -> None:
    version = s.get(CONFIG_MAPS)["metadata"]["resourceVersion"]
    with s.watch(CONFIG_MAPS, events=3, resourceVersion=version) as during:
        during.apply(A, _map({"a": "1"}))
        during.apply(A, _map({"a": "1"}))
        during.apply(A, _map({"a": "1"}), manager="other")
        during.delete(A)
