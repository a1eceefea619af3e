"""Custom resources: metadata, generation, status, deletion and dry runs."""

from __future__ import annotations

from typing import Any

from harness.script import Cases, Script

from cases.objects import crd, custom, custom_path, of_spec

case = Cases("custom verb")
TEXT = {"type": "string"}
HOLD = "example.com/hold"
PATH = custom_path("verbs")
A = f"{PATH}/a"
PLAIN = custom_path("plains")


def _verbs(s: Script) -> None:
    """See to a kind with a status subresource."""
    schema = of_spec(a=TEXT, n={"type": "integer"})
    schema["properties"]["status"] = {"type": "object", "properties": {"phase": TEXT}}
    schema["properties"]["extra"] = TEXT
    s.given(crd("verbs", schema, subresources={"status": {}}))


def _plains(s: Script) -> None:
    """See to a kind without one."""
    s.given(crd("plains"))


def _options(**more: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "DeleteOptions", **more}


@case("create with a generated name")
def _(s: Script) -> None:
    _verbs(s)
    made = s.post(PATH, custom("verbs", "", metadata={"generateName": "gen-"}))
    s.post(PATH, custom("verbs", "", metadata={"generateName": "Gen_"}))
    s.post(PATH, {"apiVersion": "verbs.example.com/v1", "kind": "Verb", "metadata": {}})
    s.post(PATH, custom("verbs", "named", metadata={"generateName": made["metadata"]["generateName"]}))


@case("create with names that break the rules")
def _(s: Script) -> None:
    _verbs(s)
    for name in ("A", "a_b", "-a", "a" * 254, "a b"):
        s.post(PATH, custom("verbs", name))


@case("create with metadata that breaks the rules")
def _(s: Script) -> None:
    _verbs(s)
    for metadata in (
        {"labels": {"a b": "c"}},
        {"labels": {"a": "b c"}},
        {"annotations": {"a b": "c"}},
        {"annotations": {"big": "x" * 300000}},
        {"finalizers": ["nodomain"]},
        {"finalizers": ["a b"]},
        {"ownerReferences": [{"apiVersion": "v1", "kind": "Pod", "name": "x"}]},
        {"labels": ["a"]},
        {"generation": "x"},
    ):
        s.post(PATH, custom("verbs", "a", metadata=metadata), dryRun="All")


@case("create with what belongs to the server")
def _(s: Script) -> None:
    _verbs(s)
    s.post(PATH, custom("verbs", "a", metadata={"uid": "x", "generation": 9, "selfLink": "/x"}, status={"phase": "x"}))
    s.post(PATH, custom("verbs", "b", metadata={"resourceVersion": "3"}))
    s.post(PATH, custom("verbs", "c", metadata={"deletionTimestamp": "2024-01-01T00:00:00Z", "finalizers": [HOLD]}))


@case("create of another kind, version or group")
def _(s: Script) -> None:
    _verbs(s)
    s.post(PATH, {**custom("verbs", "a", spec={"a": "x"}), "kind": "Noun"})
    s.post(PATH, {**custom("verbs", "a"), "apiVersion": "verbs.example.com/v2"})
    s.post(PATH, {**custom("verbs", "a"), "apiVersion": "nouns.example.com/v1"})
    s.post(PATH, {"metadata": {"name": "a"}})
    s.post(PATH, {**custom("verbs", "a"), "metadata": {"name": "a", "namespace": "other"}})


@case("create of what is no object")
def _(s: Script) -> None:
    _verbs(s)
    for body in (b"", b"{", b"[]", b'"x"', b"null", b"3"):
        s.post(PATH, body)


@case("create in places that are not there")
def _(s: Script) -> None:
    _verbs(s)
    s.post("/apis/verbs.example.com/v1/namespaces/nowhere/verbs", custom("verbs", "a"))
    s.post("/apis/verbs.example.com/v1/verbs", custom("verbs", "a"))
    s.post("/apis/verbs.example.com/v9/namespaces/{ns}/verbs", custom("verbs", "a"))
    s.post("/apis/verbs.example.com/v1/namespaces/{ns}/nouns", custom("verbs", "a"))
    s.post(f"{PATH}/a", custom("verbs", "a"))


@case("update with versions old and new")
def _(s: Script) -> None:
    _verbs(s)
    version = s.post(PATH, custom("verbs", "a", spec={"a": "1"}))["metadata"]["resourceVersion"]
    s.put(A, custom("verbs", "a", metadata={"resourceVersion": version}, spec={"a": "2"}))
    s.put(A, custom("verbs", "a", metadata={"resourceVersion": version}, spec={"a": "3"}))
    s.put(A, custom("verbs", "a", spec={"a": "4"}))
    s.put(A, custom("verbs", "a", metadata={"uid": "other"}, spec={"a": "5"}))
    s.put(A, custom("verbs", "b", spec={"a": "6"}))
    s.put(f"{PATH}/none", custom("verbs", "none"))


@case("update that changes nothing")
def _(s: Script) -> None:
    _verbs(s)
    made = s.post(PATH, custom("verbs", "a", spec={"a": "1"}))
    s.put(A, custom("verbs", "a", metadata={"resourceVersion": made["metadata"]["resourceVersion"]}, spec={"a": "1"}))
    s.patch(A, {})
    s.patch(A, [], kind="json")
    s.get(A)


@case("generation with a status subresource")
def _(s: Script) -> None:
    _verbs(s)
    s.post(PATH, custom("verbs", "a", spec={"a": "1"}))
    s.patch(A, {"metadata": {"labels": {"x": "y"}}})
    s.patch(A, {"spec": {"a": "2"}})
    s.patch(A, {"status": {"phase": "x"}})
    s.patch(A, {"extra": "x"})
    s.patch(f"{A}/status", {"status": {"phase": "x"}})
    s.patch(A, {"metadata": {"generation": 99}})


@case("generation without one")
def _(s: Script) -> None:
    _plains(s)
    s.post(PLAIN, custom("plains", "a", status={"x": 1}))
    s.patch(f"{PLAIN}/a", {"status": {"x": 2}})
    s.patch(f"{PLAIN}/a", {"metadata": {"annotations": {"x": "y"}}})
    s.patch(f"{PLAIN}/a/status", {"status": {"x": 3}})
    s.get(f"{PLAIN}/a/status")
    s.get(f"{PLAIN}/a/scale")


@case("status apart from the rest")
def _(s: Script) -> None:
    _verbs(s)
    s.post(PATH, custom("verbs", "a", spec={"a": "1"}, status={"phase": "ignored"}))
    s.put(f"{A}/status", custom("verbs", "a", metadata={"labels": {"x": "y"}}, spec={"a": "2"}, status={"phase": "x"}))
    s.put(A, custom("verbs", "a", spec={"a": "3"}, status={"phase": "y"}))
    s.patch(f"{A}/status", [{"op": "add", "path": "/status/phase", "value": "z"}], kind="json")
    s.patch(f"{A}/status", {"spec": {"a": "4"}, "extra": "x"})
    s.patch(f"{A}/status", {"status": None})
    s.get(f"{A}/status")
    s.delete(f"{A}/status")
    s.post(f"{A}/status", custom("verbs", "a"))


@case("status that is refused")
def _(s: Script) -> None:
    _verbs(s)
    made = s.post(PATH, custom("verbs", "a", spec={"a": "1"}))
    s.patch(f"{A}/status", {"status": {"phase": 1}})
    s.patch(f"{A}/status", {"status": "x"})
    s.put(f"{A}/status", custom("verbs", "b", status={"phase": "x"}))
    s.put(f"{A}/status", custom("verbs", "a", metadata={"resourceVersion": "1"}, status={"phase": "x"}))
    s.put(f"{A}/status", custom("verbs", "a", metadata={"uid": made["metadata"]["uid"]}, status={"phase": "x"}))
    s.patch(f"{PATH}/none/status", {"status": {"phase": "x"}})


@case("delete")
def _(s: Script) -> None:
    _verbs(s)
    s.post(PATH, custom("verbs", "a"))
    s.delete(A)
    s.delete(A)
    s.get(A)


@case("delete with finalizers")
def _(s: Script) -> None:
    _verbs(s)
    s.post(PATH, custom("verbs", "a", metadata={"finalizers": [HOLD]}, spec={"a": "1"}))
    s.delete(A)
    s.delete(A)
    s.post(PATH, custom("verbs", "a"))
    s.patch(A, {"spec": {"a": "2"}})
    s.patch(A, {"metadata": {"finalizers": [HOLD, "example.com/more"]}})
    s.patch(f"{A}/status", {"metadata": {"finalizers": None}})
    s.patch(A, {"metadata": {"deletionTimestamp": None}})
    s.patch(A, [{"op": "remove", "path": "/metadata/finalizers"}], kind="json")
    s.get(A)


@case("delete with preconditions")
def _(s: Script) -> None:
    _verbs(s)
    made = s.post(PATH, custom("verbs", "a"))["metadata"]
    s.delete(A, _options(preconditions={"uid": "x"}))
    s.delete(A, _options(preconditions={"resourceVersion": "1"}))
    s.delete(A, _options(preconditions={"uid": made["uid"], "resourceVersion": made["resourceVersion"]}))


@case("delete by propagation")
def _(s: Script) -> None:
    _verbs(s)
    for name, policy in (("a", "Background"), ("b", "Foreground"), ("c", "Orphan"), ("d", "Nonsense")):
        s.post(PATH, custom("verbs", name))
        s.delete(f"{PATH}/{name}", propagationPolicy=policy)
    s.post(PATH, custom("verbs", "e"))
    s.delete(f"{PATH}/e", _options(orphanDependents=True, propagationPolicy="Orphan"))
    s.delete(f"{PATH}/e", _options(gracePeriodSeconds=30))


@case("delete of a collection")
def _(s: Script) -> None:
    _verbs(s)
    for name, labels in (("a", {"x": "1"}), ("b", {"x": "2"}), ("c", {"x": "1"})):
        s.post(PATH, custom("verbs", name, metadata={"labels": labels}))
    s.delete(PATH, labelSelector="x=1", dryRun="All")
    s.delete(PATH, labelSelector="x=1")
    s.get(PATH)
    s.delete(PATH)
    s.delete(PATH)


@case("dry runs of all verbs")
def _(s: Script) -> None:
    _verbs(s)
    s.post(PATH, custom("verbs", "a", spec={"a": "1"}))
    s.post(PATH, custom("verbs", "b"), dryRun="All")
    s.put(A, custom("verbs", "a", spec={"a": "2"}), dryRun="All")
    s.patch(A, {"spec": {"a": "3"}}, dryRun="All")
    s.patch(f"{A}/status", {"status": {"phase": "x"}}, dryRun="All")
    s.apply(A, custom("verbs", "a", spec={"n": 1}), dryRun="All")
    s.apply(f"{PATH}/c", custom("verbs", "c", spec={"n": 1}), dryRun="All")
    s.delete(A, dryRun="All")
    s.delete(A, _options(dryRun=["All"]))
    s.get(PATH)


@case("methods that there are not")
def _(s: Script) -> None:
    _verbs(s)
    s.ask("PUT", PATH, custom("verbs", "a"))
    s.ask("PATCH", PATH, {"a": 1}, headers={"Content-Type": "application/merge-patch+json"})
    s.patch(A, {"spec": {}}, kind="strategic")
    s.patch(A, {"spec": {}}, headers={"Content-Type": "text/plain"})


@case("owners and managers")
def _(s: Script) -> None:
    _verbs(s)
    owner = s.post(PATH, custom("verbs", "owner"))["metadata"]["uid"]
    kind = {"apiVersion": "verbs.example.com/v1", "kind": "Verb"}
    reference = {**kind, "name": "owner", "uid": owner, "controller": True}
    s.post(PATH, custom("verbs", "a", metadata={"ownerReferences": [reference]}), fieldManager="maker")
    s.patch(A, {"metadata": {"ownerReferences": [reference, {**reference, "uid": "x"}]}})
    s.patch(A, {"spec": {"a": "x"}}, fieldManager="a" * 129)
    s.patch(A, {"spec": {"a": "x"}}, fieldManager="a\nb")
    s.patch(A, {"spec": {"a": "x"}}, fieldManager="other")


@case("patches that tell more than they may")
def _(s: Script) -> None:
    _verbs(s)
    s.post(PATH, custom("verbs", "a", spec={"a": "1"}))
    s.patch(A, {"kind": "Noun"})
    s.patch(A, {"apiVersion": "verbs.example.com/v2"})
    s.patch(A, {"metadata": {"name": "b"}})
    s.patch(A, {"metadata": {"namespace": "other"}})
    s.patch(A, {"metadata": None})
    s.patch(A, {"spec": None})
    s.patch(A, [{"op": "remove", "path": "/metadata/name"}], kind="json")
    s.patch(A, [{"op": "replace", "path": "", "value": {"a": 1}}], kind="json")
    s.patch(A, [{"op": "replace", "path": "", "value": [1]}], kind="json")
    s.patch(A, [{"op": "remove", "path": "/kind"}], kind="json")
    s.patch(A, [{"op": "remove", "path": "/apiVersion"}], kind="json")
    s.patch(A, [{"op": "test", "path": "/spec", "value": {}}], kind="json")


@case("objects that are too large")
def _(s: Script) -> None:
    _plains(s)
    s.post(PLAIN, custom("plains", "a", spec={"x": "y" * (3 * 1024 * 1024 + 1)}))
