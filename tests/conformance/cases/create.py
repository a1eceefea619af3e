"""Creates: names, namespaces, what the server fills in and what it refuses."""

from __future__ import annotations

from harness.script import Cases, Script

from cases.objects import CONFIG_MAPS, NAMESPACES, SECRETS, config_map

case = Cases("create")


@case("twice")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, config_map("a"))
    s.post(CONFIG_MAPS, config_map("a"))


@case("without a name")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {}})


@case("in another namespace than the path's")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, config_map("a", metadata={"namespace": "other"}))


@case("in a namespace that is not there")
def _(s: Script) -> None:
    s.post("/api/v1/namespaces/nowhere/configmaps", config_map("a"))


@case("of another kind than the path's")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, {**config_map("a"), "kind": "Secret"})
    s.post(CONFIG_MAPS, {**config_map("a"), "apiVersion": "v2"})
    s.post(CONFIG_MAPS, {"metadata": {"name": "bare"}})


@case("with a name that breaks the rules")
def _(s: Script) -> None:
    for name in ("A", "a_b", "-a", "a" * 254, "a..b"):
        s.post(CONFIG_MAPS, config_map(name))


@case("with labels and annotations that break the rules")
def _(s: Script) -> None:
    for key, value in (("-x", "1"), ("ok", "-"), ("a/b/c", "2")):  # one at a time: the real server has no order of them
        s.post(CONFIG_MAPS, config_map("a", metadata={"labels": {key: value}}))
    s.post(CONFIG_MAPS, config_map("b", metadata={"annotations": {"UPPER/x y": "1"}}))


@case("with fields that belong to the server")
def _(s: Script) -> None:
    meta = {
        "uid": "8f1e7c1e-0000-4000-8000-000000000000",
        "generation": 7,
        "creationTimestamp": "2020-01-01T00:00:00Z",
        "selfLink": "/x",
        "deletionTimestamp": "2020-01-01T00:00:00Z",
    }
    s.post(CONFIG_MAPS, config_map("a", metadata=meta))
    s.post(CONFIG_MAPS, config_map("b", metadata={"resourceVersion": "12"}))


@case("with owner references and finalizers that break the rules")
def _(s: Script) -> None:
    owner = {"apiVersion": "v1", "kind": "ConfigMap", "name": "o", "uid": "8f1e7c1e-0000-4000-8000-000000000000"}
    s.post(CONFIG_MAPS, config_map("a", metadata={"ownerReferences": [owner]}))
    s.post(CONFIG_MAPS, config_map("b", metadata={"ownerReferences": [{**owner, "uid": ""}, {**owner, "kind": ""}]}))
    twice = [{**owner, "controller": True}, {**owner, "name": "p", "controller": True}]
    s.post(CONFIG_MAPS, config_map("c", metadata={"ownerReferences": twice}))
    s.post(CONFIG_MAPS, config_map("d", metadata={"finalizers": ["nogroup"]}))
    s.post(CONFIG_MAPS, config_map("e", metadata={"finalizers": ["Bad_/x y"]}))


@case("as a dry run")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, config_map("a"), dryRun="All")
    s.get(f"{CONFIG_MAPS}/a")
    s.post(CONFIG_MAPS, config_map("a"), dryRun="Some")


@case("with fields that the kind does not have")
def _(s: Script) -> None:
    odd = {**config_map("a"), "dat": {"x": "1"}, "more": [1]}
    for validation in ("Strict", "Warn", "Ignore", "Other"):
        s.post(CONFIG_MAPS, {**odd, "metadata": {"name": validation.lower()}}, fieldValidation=validation)


@case("with duplicate fields")
def _(s: Script) -> None:
    body = b'{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"a":"1","a":"2"},"data":{"b":"3"}}'
    s.post(CONFIG_MAPS, body, fieldValidation="Strict")
    s.post(CONFIG_MAPS, body)


@case("with unknown and duplicate fields, which are told in the order of the text")
def _(s: Script) -> None:
    head = b'{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","odd":1,"name":"b"},'
    for tail in (
        b'"more":1,"data":{"a":"1","a":"2"},"other":{"x":1,"x":2}}',
        b'"data":{"a":"1","a":"2"},"more":1,"immutable":false,"immutable":true,"more":2}',
    ):
        s.post(CONFIG_MAPS, head + tail, fieldValidation="Strict")
        s.post(CONFIG_MAPS, head + tail, fieldValidation="Warn", dryRun="All")


@case("with a body that cannot be read")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, b"{")
    s.post(CONFIG_MAPS, b"")
    s.post(CONFIG_MAPS, b"[]")
    s.post(CONFIG_MAPS, b'"text"')
    s.post(CONFIG_MAPS, config_map("a"), headers={"Content-Type": "text/plain"})


@case("in YAML")
def _(s: Script) -> None:
    body = b"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  yes: 'no'\n"
    s.post(CONFIG_MAPS, body, headers={"Content-Type": "application/yaml"})
    s.post(CONFIG_MAPS, b"a: [", headers={"Content-Type": "application/yaml"})


@case("with a value of another type")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, config_map("a", data={"a": 1}))
    s.post(CONFIG_MAPS, config_map("a", data=["x"]))
    s.post(CONFIG_MAPS, config_map("a", immutable="yes"))
    s.post(CONFIG_MAPS, config_map("a", metadata={"labels": {"a": 1}}))


@case("by a field manager whose name breaks the rules")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, config_map("a"), fieldManager="x" * 129)
    s.post(CONFIG_MAPS, config_map("b"), fieldManager="tab\there")
    s.post(CONFIG_MAPS, config_map("c"), fieldManager="mine")


@case("a namespace")
def _(s: Script) -> None:
    s.post(NAMESPACES, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "{ns}-x"}})
    s.post(NAMESPACES, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "Upper"}})
    s.get(f"{NAMESPACES}/{{ns}}-x")


@case("a secret by text and by bytes")
def _(s: Script) -> None:
    body = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}, "stringData": {"a": "b"}}
    s.post(SECRETS, body)
    s.post(SECRETS, {**body, "metadata": {"name": "b"}, "data": {"a": "!!"}})
    s.post(SECRETS, {**body, "metadata": {"name": "c"}, "data": {"x": "eA=="}, "type": "kubernetes.io/tls"})


@case("to a path that takes none")
def _(s: Script) -> None:
    s.post(f"{CONFIG_MAPS}/a", config_map("a"))
    s.post("/api/v1/configmaps", config_map("a"))
    s.post("/api/v1/namespaces/{ns}/nothings", config_map("a"))
    s.post("/apis/none.example.com/v1/things", config_map("a"))
