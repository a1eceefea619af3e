"""CRDs over their life: conditions, changes, stored versions, deletion, and what others see of them."""

from __future__ import annotations

from typing import Any

from harness.script import Cases, Script

from cases.objects import CRDS, crd, custom, custom_path, of_spec

case = Cases("CRD life")
ESTABLISHED = '"reason":"InitialNamesAccepted"'
TEXT = {"type": "string"}
HOLD = "example.com/hold"
FOREGROUND = {"apiVersion": "v1", "kind": "DeleteOptions", "propagationPolicy": "Foreground"}


def _at(plural: str) -> str:
    return f"{CRDS}/{plural}.{plural}.example.com"


def _versions(*names: str, stored: str, unserved: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    schema = {"openAPIV3Schema": of_spec(a=TEXT)}
    return [
        {"name": name, "served": name not in unserved, "storage": name == stored, "schema": schema} for name in names
    ]


@case("what stands in it once it is served")
def _(s: Script) -> None:
    s.define(crd("freshes", of_spec(a=TEXT)))
    s.until(_at("freshes"), holding=ESTABLISHED)
    s.get(_at("freshes"))
    s.get(f"{_at('freshes')}/status")
    s.get("/apis/freshes.example.com")
    s.get("/apis/freshes.example.com/v1")
    s.get("/apis/freshes.example.com/v2")


@case("names and subresources in discovery")
def _(s: Script) -> None:
    scale = {"specReplicasPath": ".spec.n", "statusReplicasPath": ".status.n"}
    made = crd("listeds", of_spec(n={"type": "integer"}), subresources={"status": {}, "scale": scale})
    made["spec"]["names"] |= {"shortNames": ["lst"], "categories": ["all"]}
    s.define(made)
    s.until("/apis/listeds.example.com/v1", holding="listeds/scale")
    s.get("/apis/listeds.example.com/v1")


@case("a scope of the whole cluster")
def _(s: Script) -> None:
    made = crd("wides")
    made["spec"]["scope"] = "Cluster"
    s.given(made)
    path = "/apis/wides.example.com/v1/wides"
    s.post(path, custom("wides", "a"))
    s.post(path, custom("wides", "b", metadata={"namespace": "{ns}"}))
    s.get(f"{path}/a")
    s.get(custom_path("wides"))
    s.post(custom_path("wides"), custom("wides", "c"))
    s.get("/apis/wides.example.com/v1")


@case("OpenAPI of a new kind")
def _(s: Script) -> None:
    s.define(crd("openapis", of_spec(a={"type": "string", "description": "told"}, b={"type": "integer", "default": 3})))
    s.until("/openapi/v3/apis/openapis.example.com/v1", holding="told")
    s.get("/openapi/v3/apis/openapis.example.com/v1")


@case("a kind that another CRD of the group has")
def _(s: Script) -> None:
    s.define(crd("firsts"))
    second = crd("seconds")
    second["metadata"]["name"] = "seconds.firsts.example.com"
    second["spec"]["group"] = "firsts.example.com"
    second["spec"]["names"] |= {"kind": "First", "listKind": "SecondList", "singular": "first", "shortNames": ["sc"]}
    s.post(CRDS, second)
    s.until(f"{CRDS}/seconds.firsts.example.com", holding='"NamesAccepted"')
    s.get(f"{CRDS}/seconds.firsts.example.com")
    s.get("/apis/firsts.example.com/v1/seconds")
    s.delete(f"{CRDS}/seconds.firsts.example.com")


@case("names that are changed")
def _(s: Script) -> None:
    s.define(crd("renameds"))
    s.until(_at("renameds"), holding=ESTABLISHED)
    s.patch(_at("renameds"), {"spec": {"names": {"shortNames": ["rn"], "singular": "renamedone"}}})
    s.until("/apis/renameds.example.com/v1", holding="renamedone")
    s.get(_at("renameds"))
    s.patch(_at("renameds"), {"spec": {"names": {"plural": "others"}}})
    s.patch(_at("renameds"), {"spec": {"names": {"kind": "Other"}}})
    s.patch(_at("renameds"), {"spec": {"group": "other.example.com"}})
    s.patch(_at("renameds"), {"spec": {"scope": "Cluster"}})


@case("a schema that is changed")
def _(s: Script) -> None:
    s.given(crd("reshapeds", of_spec(a=TEXT)))
    path = custom_path("reshapeds")
    s.post(path, custom("reshapeds", "a", spec={"a": "x", "b": 1}))
    schema = of_spec(a={"type": "string", "maxLength": 3}, b={"type": "integer", "default": 7})
    change = [{"op": "replace", "path": "/spec/versions/0/schema/openAPIV3Schema", "value": schema}]
    s.patch(_at("reshapeds"), change, kind="json")
    s.until(f"{path}/a", holding='"b":7')
    s.get(f"{path}/a")
    s.post(path, custom("reshapeds", "b", spec={"a": "long"}))
    s.post(path, custom("reshapeds", "b", spec={"a": "ok", "b": 1}))
    s.patch(f"{path}/a", {"metadata": {"labels": {"x": "y"}}})


@case("a schema that forbids what is stored")
def _(s: Script) -> None:
    s.given(crd("narroweds", of_spec(a=TEXT, b=TEXT)))
    path = custom_path("narroweds")
    s.post(path, custom("narroweds", "a", spec={"a": "long text", "b": "x"}))
    schema = of_spec(a={"type": "string", "maxLength": 3}, b=TEXT, c={"type": "integer", "default": 1})
    change = [{"op": "replace", "path": "/spec/versions/0/schema/openAPIV3Schema", "value": schema}]
    s.patch(_at("narroweds"), change, kind="json")
    s.until(f"{path}/a", holding='"c":1')
    s.patch(f"{path}/a", {"spec": {"b": "y"}})
    s.patch(f"{path}/a", {"spec": {"a": "longer text"}})
    s.patch(f"{path}/a", {"spec": {"a": "ok"}})


@case("a field that is pruned from what is stored")
def _(s: Script) -> None:
    s.given(crd("droppeds", of_spec(a=TEXT, b=TEXT)))
    path = custom_path("droppeds")
    s.post(path, custom("droppeds", "a", spec={"a": "x", "b": "y"}))
    change = [{"op": "replace", "path": "/spec/versions/0/schema/openAPIV3Schema", "value": of_spec(a=TEXT)}]
    s.patch(_at("droppeds"), change, kind="json")
    s.until(f"{path}/a", lacking='"b":"y"')
    s.get(f"{path}/a")
    s.patch(f"{path}/a", {"metadata": {"labels": {"x": "y"}}})
    s.patch(_at("droppeds"), [{**change[0], "value": of_spec(a=TEXT, b=TEXT, c={**TEXT, "default": "z"})}], kind="json")
    s.until(f"{path}/a", holding='"c":"z"')
    s.get(f"{path}/a")


@case("a change that breaks the rules")
def _(s: Script) -> None:
    s.define(crd("unruleds", of_spec(a=TEXT)))
    s.patch(_at("unruleds"), {"spec": {"versions": []}})
    s.patch(_at("unruleds"), {"spec": {"versions": _versions("v2", stored="v2")}})
    s.patch(_at("unruleds"), [{"op": "remove", "path": "/spec/versions/0/schema"}], kind="json")
    broken = of_spec(a={"type": "string", "pattern": "["})
    change = [{"op": "replace", "path": "/spec/versions/0/schema/openAPIV3Schema", "value": broken}]
    s.patch(_at("unruleds"), change, kind="json")


@case("versions that are added and no longer stored")
def _(s: Script) -> None:
    s.define(crd("movings", of_spec(a=TEXT)))
    s.until(_at("movings"), holding=ESTABLISHED)
    s.patch(_at("movings"), {"spec": {"versions": _versions("v1", "v2", stored="v2")}})
    s.until("/apis/movings.example.com/v2/movings")
    s.get(_at("movings"))
    s.patch(_at("movings"), {"spec": {"versions": _versions("v2", stored="v2")}})
    s.patch(f"{_at('movings')}/status", {"status": {"storedVersions": ["v3"]}})
    s.patch(f"{_at('movings')}/status", {"status": {"storedVersions": ["v1"]}})
    s.patch(f"{_at('movings')}/status", {"status": {"storedVersions": ["v2"]}})
    s.patch(_at("movings"), {"spec": {"versions": _versions("v2", stored="v2")}})
    s.until("/apis/movings.example.com/v1/movings", status=404)
    s.get("/apis/movings.example.com/v1/movings")


@case("a version that is no longer served")
def _(s: Script) -> None:
    made = crd("hiddens")
    made["spec"]["versions"] = _versions("v1", "v2", stored="v1")
    s.given(made)
    s.post(custom_path("hiddens"), custom("hiddens", "a", spec={"a": "x"}))
    s.patch(_at("hiddens"), {"spec": {"versions": _versions("v1", "v2", stored="v1", unserved=("v1",))}})
    s.until("/apis/hiddens.example.com/v1/hiddens", status=404)
    s.get(f"{custom_path('hiddens')}/a")
    s.get(f"{custom_path('hiddens', 'v2')}/a")
    s.until("/apis/hiddens.example.com", lacking='"version":"v1"')
    s.get("/apis/hiddens.example.com")


@case("its status, written by a client")
def _(s: Script) -> None:
    s.define(crd("statuseds"))
    s.until(_at("statuseds"), holding=ESTABLISHED)
    s.patch(_at("statuseds"), {"status": {"storedVersions": []}})
    s.patch(f"{_at('statuseds')}/status", {"status": {"storedVersions": []}})
    s.patch(f"{_at('statuseds')}/status", {"spec": {"scope": "Cluster"}})
    s.patch(f"{_at('statuseds')}/status", {"metadata": {"labels": {"a": "b"}}})


@case("generation")
def _(s: Script) -> None:
    s.define(crd("counteds"))
    s.until(_at("counteds"), holding=ESTABLISHED)
    s.patch(_at("counteds"), {"metadata": {"labels": {"a": "b"}}})
    s.patch(_at("counteds"), {"spec": {"names": {"categories": ["all"]}}})
    s.until("/apis/counteds.example.com/v1", holding='"categories":["all"]')
    s.patch(_at("counteds"), {"spec": {"names": {"categories": ["all"]}}})


@case("deleted while it is empty")
def _(s: Script) -> None:
    s.define(crd("empties"))
    s.until(_at("empties"), holding=ESTABLISHED)
    s.delete(_at("empties"))
    s.until(_at("empties"), status=404)
    s.get(_at("empties"))
    s.until(custom_path("empties"), status=404)
    s.get(custom_path("empties"))
    s.until("/apis/empties.example.com", status=404)
    s.get("/apis/empties.example.com")


@case("deleted with objects, and made again")
def _(s: Script) -> None:
    s.define(crd("fulls"))
    s.until(_at("fulls"), holding=ESTABLISHED)
    path = custom_path("fulls")
    s.post(path, custom("fulls", "a"))
    s.post(path, custom("fulls", "b"))
    s.delete(_at("fulls"))
    s.until(_at("fulls"), status=404)
    s.until(path, status=404)
    s.define(crd("fulls"))
    s.get(path)


@case("deleted with an object that is held")
def _(s: Script) -> None:
    s.given(crd("helds"))
    s.until(_at("helds"), holding=ESTABLISHED)
    path = custom_path("helds")
    s.post(path, custom("helds", "a", metadata={"finalizers": [HOLD]}))
    s.delete(_at("helds"))
    s.until(_at("helds"), holding="InstanceDeletionInProgress")
    s.until(f"{path}/a", holding="deletionTimestamp")
    s.until(path, status=403, method="POST", body=custom("helds", "b"), query={"dryRun": "All"})
    s.get(f"{path}/a")
    s.post(path, custom("helds", "b"))
    s.apply(f"{path}/b", custom("helds", "b"))
    s.patch(f"{path}/a", {"spec": {"still": "writable"}})
    s.delete(_at("helds"))
    s.patch(f"{path}/a", {"metadata": {"finalizers": None}})


@case("held itself by a finalizer")
def _(s: Script) -> None:
    made = crd("kepts")
    made["metadata"]["finalizers"] = [HOLD]
    s.define(made)
    s.until(_at("kepts"), holding=ESTABLISHED)
    s.delete(_at("kepts"), FOREGROUND)
    s.until(_at("kepts"), holding="InstanceDeletionCompleted")
    # As a table: who owns the time of the last condition depends on whether a second has passed in between.
    table = {"Accept": "application/json;as=Table;v=v1;g=meta.k8s.io"}
    s.patch(_at("kepts"), {"metadata": {"finalizers": None}}, headers=table, includeObject="None")
    s.get(_at("kepts"))


@case("deleted by a dry run and with wrong preconditions")
def _(s: Script) -> None:
    s.define(crd("sures"))
    s.until(_at("sures"), holding=ESTABLISHED)
    s.delete(_at("sures"), dryRun="All")
    options = {"apiVersion": "v1", "kind": "DeleteOptions", "preconditions": {"uid": "none"}}
    s.delete(_at("sures"), options)
    s.get(_at("sures"))


@case("changed by a dry run")
def _(s: Script) -> None:
    s.define(crd("dries", of_spec(a=TEXT)))
    s.until(_at("dries"), holding=ESTABLISHED)
    s.patch(_at("dries"), {"spec": {"names": {"shortNames": ["dr"]}}}, dryRun="All")
    got = s.get(_at("dries"))
    s.put(_at("dries"), {**crd("dries"), "metadata": got["metadata"]}, dryRun="All")
    s.get(_at("dries"))


@case("replaced")
def _(s: Script) -> None:
    s.define(crd("replaceds", of_spec(a=TEXT)))
    s.until(_at("replaceds"), holding=ESTABLISHED)
    s.put(_at("replaceds"), crd("replaceds", of_spec(a=TEXT, b=TEXT)))
    version = s.get(_at("replaceds"))["metadata"]["resourceVersion"]
    made = crd("replaceds", of_spec(a=TEXT, b=TEXT))
    made["metadata"]["resourceVersion"] = version
    s.put(_at("replaceds"), made)


@case("applied")
def _(s: Script) -> None:
    s.apply(_at("applieds"), crd("applieds", of_spec(a=TEXT)))
    s.until(_at("applieds"), holding=ESTABLISHED)
    s.apply(_at("applieds"), crd("applieds", of_spec(a=TEXT, b=TEXT)))
    s.apply(_at("applieds"), crd("applieds", of_spec(a={"type": "integer"})), manager="other")
    s.apply(_at("applieds"), crd("applieds", of_spec(a={"type": "integer"})), manager="other", force="true")


@case("as a table")
def _(s: Script) -> None:
    s.define(crd("tabulars"))
    s.get(_at("tabulars"), headers={"Accept": "application/json;as=Table;v=v1;g=meta.k8s.io"})


@case("a watch of its changes")
def _(s: Script) -> None:
    name = "watcheds.watcheds.example.com"
    with s.watch(CRDS, events=3, fieldSelector=f"metadata.name={name}") as during:
        during.define(crd("watcheds"))
        during.until(_at("watcheds"), holding=ESTABLISHED)
    with s.watch(CRDS, events=4, fieldSelector=f"metadata.name={name}") as during:
        during.delete(_at("watcheds"))
        during.until(_at("watcheds"), status=404)
