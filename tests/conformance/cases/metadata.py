"""Metadata: what its fields may be when an object is made. One fault a request: Go tells several in any order."""

from __future__ import annotations

from typing import Any

from harness.script import Cases, Script

from cases.objects import CONFIG_MAPS, NAMESPACES, SECRETS, SERVICES, config_map

case = Cases("metadata")

OWNER = {"apiVersion": "v1", "kind": "ConfigMap", "name": "o", "uid": "8f1e7c1e-0000-4000-8000-000000000000"}


def _each(s: Script, *metadata: Any) -> None:
    for one in metadata:
        s.post(CONFIG_MAPS, {"metadata": one}, dryRun="All")


@case("names")
def _(s: Script) -> None:
    _each(s, *({"name": name} for name in ("a", "a.b", "1", "A", "a_b", "-a", "a-", "a..b", "x" * 253, "x" * 254)))


@case("names that paths cannot have")
def _(s: Script) -> None:
    _each(s, {"name": "."}, {"name": ".."}, {"name": "a/b"}, {"name": "a%b"}, {"name": " a"}, {"name": "é"})


@case("no name at all")
def _(s: Script) -> None:
    _each(s, {}, {"name": ""}, None, {"name": None}, {"generateName": ""})


@case("names of kinds with stricter rules")
def _(s: Script) -> None:
    service = {"spec": {"ports": [{"port": 80}]}}
    for name in ("a.b", "1a", "x" * 64, "A"):
        s.post(SERVICES, {"metadata": {"name": name}, **service}, dryRun="All")
        s.post(NAMESPACES, {"metadata": {"name": name}}, dryRun="All")


@case("names of kinds with looser rules")
def _(s: Script) -> None:
    roles = "/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/roles"
    for name in ("system:odd", "Upper Case", "a/b", "a%b", ".."):
        s.post(roles, {"metadata": {"name": name}}, dryRun="All")


@case("generated names")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, {"metadata": {"generateName": "gen-"}})
    s.post(CONFIG_MAPS, {"metadata": {"generateName": "gen-", "name": "given"}})
    _each(s, {"generateName": "Gen-"})


@case("labels that are allowed")
def _(s: Script) -> None:
    _each(s, {"name": "a", "labels": {"a": "", "b.c/d": "E_f-1.2", "x" * 63: "y" * 63, "1": "2"}})


@case("keys of labels that are not")
def _(s: Script) -> None:
    for key in ("", "-a", "a/b/c", "/a", "a/", "x" * 64, "UP.case/x", "é", "a b"):
        _each(s, {"name": "a", "labels": {key: "v"}})


@case("values of labels that are not")
def _(s: Script) -> None:
    for value in ("-a", "a b", "x" * 64, "a/b", "é", "."):
        _each(s, {"name": "a", "labels": {"k": value}})


@case("annotations")
def _(s: Script) -> None:
    _each(s, {"name": "a", "annotations": {"A.B/c": "any text\n é", "x": ""}})
    for key in ("", "-a", "a/b/c", "x" * 64, "a b"):
        _each(s, {"name": "a", "annotations": {key: "v"}})


@case("annotations that are too large")
def _(s: Script) -> None:
    _each(s, {"name": "a", "annotations": {"a": "x" * (256 * 1024 - 1)}})
    _each(s, {"name": "a", "annotations": {"a": "x" * (256 * 1024)}})


@case("finalizers")
def _(s: Script) -> None:
    _each(s, {"name": "a", "finalizers": ["example.com/a", "orphan"]}, {"name": "a", "finalizers": []})
    for name in ("plain", "a b/c", "kubernetes", "foregroundDeletion", "example.com/", "/a", ""):
        _each(s, {"name": "a", "finalizers": [name]})


@case("the finalizers of two policies")
def _(s: Script) -> None:
    _each(s, {"name": "a", "finalizers": ["orphan", "foregroundDeletion"]})
    _each(s, {"name": "a", "finalizers": ["example.com/a", "example.com/a"]})


@case("owners")
def _(s: Script) -> None:
    _each(
        s, {"name": "a", "ownerReferences": [OWNER]}, {"name": "a", "ownerReferences": [{**OWNER, "controller": True}]}
    )


@case("owners that lack something")
def _(s: Script) -> None:
    for name in OWNER:
        _each(s, {"name": "a", "ownerReferences": [{**OWNER, name: ""}]})
    _each(s, {"name": "a", "ownerReferences": [{}]})


@case("owners of odd types")
def _(s: Script) -> None:
    for version in ("a/b/c", "apps/v1", "/", "v1/"):
        _each(s, {"name": "a", "ownerReferences": [{**OWNER, "apiVersion": version}]})
    _each(s, {"name": "a", "ownerReferences": [{**OWNER, "kind": "Event"}]})


@case("two controllers")
def _(s: Script) -> None:
    other = {**OWNER, "name": "p", "uid": "8f1e7c1e-0000-4000-8000-000000000001"}
    _each(s, {"name": "a", "ownerReferences": [{**OWNER, "controller": True}, {**other, "controller": True}]})


@case("one owner twice")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, {"metadata": {"name": "a", "ownerReferences": [OWNER, OWNER]}})
    s.patch(f"{CONFIG_MAPS}/a", {"metadata": {"ownerReferences": [OWNER, {**OWNER, "name": "p"}]}})


@case("what belongs to the server")
def _(s: Script) -> None:
    own = {"uid": "mine", "creationTimestamp": "2020-01-01T00:00:00Z", "generation": 7, "selfLink": "/x"}
    s.post(CONFIG_MAPS, config_map("a", metadata=own))
    s.post(CONFIG_MAPS, config_map("b", metadata={"deletionTimestamp": "2020-01-01T00:00:00Z"}))
    s.post(CONFIG_MAPS, config_map("c", metadata={"deletionGracePeriodSeconds": 5}))


@case("a version of a new object")
def _(s: Script) -> None:
    for version in ("1", "0", "", "x", "-1"):
        s.post(
            CONFIG_MAPS, config_map(f"a{len(version)}{version == '0'}".lower(), metadata={"resourceVersion": version})
        )


@case("another namespace than the path's")
def _(s: Script) -> None:
    _each(s, {"name": "a", "namespace": "other"}, {"name": "a", "namespace": ""}, {"name": "a", "namespace": "{ns}"})
    s.post(NAMESPACES, {"metadata": {"name": "{ns}-n", "namespace": "x"}}, dryRun="All")


@case("managedFields of a new object")
def _(s: Script) -> None:
    entry = {"manager": "m", "operation": "Update", "apiVersion": "v1", "fieldsType": "FieldsV1", "fieldsV1": {}}
    _each(
        s,
        {"name": "a", "managedFields": [entry]},
        {"name": "a", "managedFields": [{}]},
        {"name": "a", "managedFields": []},
    )
    wrong: tuple[Any, ...] = (
        {"operation": "Other"},
        {"fieldsType": "V2"},
        {"fieldsV1": {"x": {}}},
        {"manager": "x" * 129},
    )
    for odd in wrong:
        _each(s, {"name": "a", "managedFields": [{**entry, **odd}]})


@case("values of other types")
def _(s: Script) -> None:
    for name, value in (
        ("name", 1),
        ("labels", []),
        ("labels", {"a": 1}),
        ("labels", {"a": None}),
        ("annotations", {"a": True}),
        ("finalizers", "x"),
        ("finalizers", [None]),
        ("ownerReferences", {}),
        ("generation", "1"),
        ("creationTimestamp", "yesterday"),
        ("deletionGracePeriodSeconds", 1.5),
        ("namespace", {}),
    ):
        _each(s, {"name": "a", name: value})


@case("fields that there are not")
def _(s: Script) -> None:
    s.post(SECRETS, {"metadata": {"name": "a", "clusterName": "x", "nonsense": {"deep": [1]}}})
    s.post(SECRETS, {"metadata": {"name": "b", "nonsense": 1}}, fieldValidation="Strict")
    s.post(SECRETS, {"metadata": {"name": "c", "ownerReferences": [{**OWNER, "odd": 1}]}}, fieldValidation="Strict")


@case("letters in another case")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, b'{"metadata":{"Name":"a","name":"b"}}')
    s.post(CONFIG_MAPS, b'{"Metadata":{"name":"c"}}')
    s.post(CONFIG_MAPS, b'{"metadata":{"name":"d"},"Data":{"a":"1"}}', fieldValidation="Strict")
