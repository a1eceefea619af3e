"""The scale of custom resources."""

from __future__ import annotations

from typing import Any

from harness.script import Cases, Script

from cases.objects import CRDS, crd, custom, custom_path

case = Cases("scale")
WHOLE = {"type": "integer"}
TEXT = {"type": "string"}
PATHS = {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}
PATH = custom_path("scalables")
A = f"{PATH}/a"
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "spec": {"type": "object", "properties": {"replicas": {**WHOLE, "maximum": 100}, "other": TEXT}},
        "status": {"type": "object", "properties": {"replicas": WHOLE, "selector": TEXT}},
    },
}
WITH_SELECTOR = {"status": {}, "scale": {**PATHS, "labelSelectorPath": ".status.selector"}}


def _kind(s: Script) -> None:
    s.given(crd("scalables", SCHEMA, subresources=WITH_SELECTOR))


def _scale(replicas: Any, **metadata: Any) -> dict[str, Any]:
    spec = {"replicas": replicas}
    return {"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": {"name": "a", **metadata}, "spec": spec}


@case("read")
def _(s: Script) -> None:
    _kind(s)
    s.post(PATH, custom("scalables", "a", spec={"replicas": 3}))
    s.get(f"{A}/scale")
    s.patch(f"{A}/status", {"status": {"replicas": 2, "selector": "app=web"}})
    s.get(f"{A}/scale")
    s.get(f"{PATH}/none/scale")


@case("read where nothing is said")
def _(s: Script) -> None:
    _kind(s)
    s.post(PATH, custom("scalables", "a"))
    s.get(f"{A}/scale")
    s.patch(f"{A}/scale", {"spec": {"replicas": 2}})
    s.get(A)


@case("replaced")
def _(s: Script) -> None:
    _kind(s)
    made = s.post(PATH, custom("scalables", "a", spec={"replicas": 3}))["metadata"]
    s.put(f"{A}/scale", _scale(5, resourceVersion=made["resourceVersion"]))
    s.get(A)
    s.put(f"{A}/scale", _scale(6, resourceVersion=made["resourceVersion"]))
    s.put(f"{A}/scale", _scale(6))
    s.get(A)
    s.put(f"{A}/scale", _scale(6, namespace="{ns}"))
    s.put(f"{A}/scale", _scale(6, namespace="{ns}", uid=made["uid"]))
    s.put(f"{A}/scale", _scale(6, namespace="other"))
    s.put(f"{PATH}/none/scale", {**_scale(1), "metadata": {"name": "none", "namespace": "{ns}"}})
    s.get(A)


@case("patched in each way")
def _(s: Script) -> None:
    _kind(s)
    s.post(PATH, custom("scalables", "a", spec={"replicas": 3}))
    s.patch(f"{A}/scale", {"spec": {"replicas": 4}})
    s.patch(f"{A}/scale", [{"op": "replace", "path": "/spec/replicas", "value": 5}], kind="json")
    s.patch(f"{A}/scale", {"spec": {"replicas": 6}}, kind="strategic")
    s.patch(f"{A}/scale", {"spec": {"replicas": 6}})
    s.patch(f"{A}/scale", {"spec": None})
    s.patch(f"{A}/scale", {"metadata": {"labels": {"x": "y"}}, "spec": {"replicas": 7}})
    s.get(A)


@case("refused")
def _(s: Script) -> None:
    _kind(s)
    s.post(PATH, custom("scalables", "a", spec={"replicas": 3}))
    s.patch(f"{A}/scale", {"spec": {"replicas": -1}})
    s.patch(f"{A}/scale", {"spec": {"replicas": "x"}})
    s.patch(f"{A}/scale", {"spec": {"replicas": 101}})
    s.put(f"{A}/scale", {**_scale(3), "kind": "Scalable"})
    s.put(f"{A}/scale", custom("scalables", "a", spec={"replicas": 3}))
    s.patch(f"{A}/scale", {"spec": {"nonsense": 3}}, fieldValidation="Strict")
    s.delete(f"{A}/scale")
    s.post(f"{A}/scale", _scale(3))


@case("by a dry run")
def _(s: Script) -> None:
    _kind(s)
    s.post(PATH, custom("scalables", "a", spec={"replicas": 3}))
    s.patch(f"{A}/scale", {"spec": {"replicas": 9}}, dryRun="All")
    s.get(f"{A}/scale")


@case("applied")
def _(s: Script) -> None:
    _kind(s)
    s.apply(A, custom("scalables", "a", spec={"replicas": 3, "other": "x"}))
    s.apply(f"{A}/scale", _scale(4), manager="scaler")
    s.apply(f"{A}/scale", _scale(4), manager="scaler", force="true")
    s.apply(A, custom("scalables", "a", spec={"replicas": 3, "other": "x"}))
    s.apply(A, custom("scalables", "a", spec={"other": "y"}))
    s.apply(f"{A}/scale", _scale(5), manager="scaler")
    s.apply(f"{PATH}/none/scale", {**_scale(5), "metadata": {"name": "none"}}, manager="scaler")
    s.get(A)


@case("and ownership by plain writes")
def _(s: Script) -> None:
    _kind(s)
    s.post(PATH, custom("scalables", "a", spec={"replicas": 3, "other": "x"}), fieldManager="maker")
    s.patch(f"{A}/scale", {"spec": {"replicas": 4}}, fieldManager="scaler")
    s.get(A)
    s.put(f"{A}/scale", _scale(4), fieldManager="replacer")
    s.put(f"{A}/scale", _scale(3), fieldManager="replacer")
    s.get(A)
    s.put(f"{A}/scale", _scale(2), fieldManager="replacer")
    s.get(A)
    untyped = {"metadata": {"name": "a"}, "spec": {"replicas": 7}}
    s.put(f"{A}/scale", untyped, fieldManager="forgetter")
    s.get(A)
    s.patch(A, {"spec": {"replicas": 5}}, fieldManager="maker")
    s.get(A)
    s.apply(A, custom("scalables", "a", spec={"replicas": 6}), manager="applier")


@case("as a table and as metadata")
def _(s: Script) -> None:
    _kind(s)
    s.post(PATH, custom("scalables", "a", spec={"replicas": 3}))
    s.get(f"{A}/scale", headers={"Accept": "application/json;as=Table;v=v1;g=meta.k8s.io"})
    s.get(f"{A}/scale", headers={"Accept": "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"})


@case("where the path leads nowhere")
def _(s: Script) -> None:
    deep = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    paths = {"specReplicasPath": ".spec.a.b", "statusReplicasPath": ".status.c", "labelSelectorPath": ".spec.sel"}
    s.given(crd("deeps", deep, subresources={"scale": paths}))
    path = custom_path("deeps")
    s.post(path, custom("deeps", "a", spec={"a": {"b": 2}, "sel": "x=y"}, status={"c": 1}))
    s.post(path, custom("deeps", "b", spec={"a": 3}))
    s.post(path, custom("deeps", "c", spec={"a": {"b": "two"}}))
    for name in ("a", "b", "c"):
        s.get(f"{path}/{name}/scale")
        s.patch(f"{path}/{name}/scale", {"spec": {"replicas": 4}})
        s.get(f"{path}/{name}")


@case("paths that a CRD may not have")
def _(s: Script) -> None:
    for wrong in (
        {"specReplicasPath": ".status.replicas", "statusReplicasPath": ".status.replicas"},
        {"specReplicasPath": "spec.replicas", "statusReplicasPath": ".status.replicas"},
        {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".spec.replicas"},
        {"specReplicasPath": ".spec.list[0]", "statusReplicasPath": ".status.replicas"},
        {"specReplicasPath": ".spec.replicas"},
        {"statusReplicasPath": ".status.replicas"},
        {**PATHS, "labelSelectorPath": ".metadata.labels"},
        {**PATHS, "labelSelectorPath": ""},
        {},
    ):
        s.post(CRDS, crd("misscaled", SCHEMA, subresources={"scale": wrong}), dryRun="All")
    s.post(CRDS, crd("misscaled", SCHEMA, subresources={"scale": None, "status": None}), dryRun="All")
