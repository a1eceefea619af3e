"""Tables of custom resources: columns of every type; and fields to select by."""

from __future__ import annotations

from typing import Any

from harness.script import Cases, Script

from cases.objects import CRDS, crd, custom, custom_path, of_spec

case = Cases("columns")
TEXT = {"type": "string"}
OPEN = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
TABLE = {"Accept": "application/json;as=Table;v=v1;g=meta.k8s.io"}


def _column(kind: str, path: str, **more: Any) -> dict[str, Any]:
    return {"name": more.pop("name", path.strip(".")), "type": kind, "jsonPath": path, **more}


@case("by default")
def _(s: Script) -> None:
    s.given(crd("agelesses"))
    path = custom_path("agelesses")
    s.get(path, headers=TABLE)
    s.post(path, custom("agelesses", "a"))
    s.get(f"{path}/a", headers={"Accept": "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"})
    s.get(path, headers={"Accept": "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"})


@case("of every type")
def _(s: Script) -> None:
    kinds = ("string", "integer", "number", "boolean", "date")
    columns = [
        _column(kind, f".spec.{kind}", description=f"a {kind}", priority=index) for index, kind in enumerate(kinds)
    ]
    columns += [_column("integer", ".spec.integer", name="formatted", format="int64")]
    s.given(crd("typeds", OPEN, additionalPrinterColumns=columns))
    path = custom_path("typeds")
    right = {"string": "x", "integer": 3, "number": 2.5, "boolean": True, "date": "2020-01-01T00:00:00Z"}
    wrong = {"string": 3, "integer": "x", "number": "y", "boolean": "z", "date": "yesterday"}
    s.post(path, custom("typeds", "a", spec=right))
    s.post(path, custom("typeds", "b", spec=wrong))
    s.post(path, custom("typeds", "c", spec={"string": {"a": [1, "x"]}, "number": 3, "integer": 2.7, "date": ""}))
    s.post(path, custom("typeds", "d"))
    s.get(path, headers=TABLE, includeObject="None")
    s.get(f"{path}/a", headers=TABLE, includeObject="Object")


@case("by paths of every form")
def _(s: Script) -> None:
    paths = (
        ".spec.list[0]", ".spec.list[*]", ".spec.list[-1]", ".spec.list[0:2]", ".spec.objects[*].name",
        ".spec.objects[?(@.name=='b')].value", ".spec.map.a", ".spec.map['a.b']", ".spec..name", ".metadata.labels.app",
        ".metadata.name", ".spec.none.deeper", ".spec.list", ".spec.map", ".spec.null", ".spec.map.*",
    )  # fmt: skip
    columns = [_column("string", path, name=f"c{index}") for index, path in enumerate(paths)]
    s.given(crd("pathways", OPEN, additionalPrinterColumns=columns))
    path = custom_path("pathways")
    spec = {
        "list": ["x", "y", "z"],
        "objects": [{"name": "a", "value": 1}, {"name": "b", "value": 2}],
        "map": {"a": "1"},
        "null": None,
    }
    s.post(path, custom("pathways", "a", metadata={"labels": {"app": "web"}}, spec=spec))
    s.post(path, custom("pathways", "b"))
    s.get(path, headers=TABLE, includeObject="None")


@case("that a CRD may not have")
def _(s: Script) -> None:
    for column in (
        {"name": "", "type": "string", "jsonPath": ".spec.a"},
        {"name": "x", "jsonPath": ".spec.a"},
        {"name": "x", "type": "text", "jsonPath": ".spec.a"},
        {"name": "x", "type": "string"},
        {"name": "x", "type": "string", "jsonPath": "spec.a"},
        {"name": "x", "type": "string", "jsonPath": ".spec[a"},
        {"name": "x", "type": "string", "jsonPath": "{.spec.a}"},
        {"name": "x", "type": "integer", "jsonPath": ".spec.a", "format": "int128"},
        {"name": "x", "type": "string", "jsonPath": ".spec.a", "priority": "high"},
        {"name": "x", "type": "string", "JSONPath": ".spec.a"},
    ):
        s.post(CRDS, crd("nocolumns", OPEN, additionalPrinterColumns=[column]), dryRun="All")


@case("of dates near and far")
def _(s: Script) -> None:
    columns = [_column("date", ".spec.when", name="When")]
    s.given(crd("dateds", OPEN, additionalPrinterColumns=columns))
    path = custom_path("dateds")
    for index, when in enumerate(("1999-12-31T23:59:59Z", "3000-01-01T00:00:00Z", "2000-01-01", 17, None)):
        s.post(path, custom("dateds", f"d{index}", spec={"when": when}))
        s.get(f"{path}/d{index}", headers=TABLE, includeObject="None")


@case("in another version of the kind")
def _(s: Script) -> None:
    made = crd("viewers", OPEN, additionalPrinterColumns=[_column("string", ".spec.a")])
    schema = made["spec"]["versions"][0]["schema"]
    columns = [_column("integer", ".spec.b")]
    other = {"name": "v2", "served": True, "storage": False, "schema": schema, "additionalPrinterColumns": columns}
    made["spec"]["versions"].append(other)
    s.given(made)
    s.post(custom_path("viewers"), custom("viewers", "a", spec={"a": "x", "b": 2}))
    s.get(custom_path("viewers"), headers=TABLE, includeObject="None")
    s.get(custom_path("viewers", "v2"), headers=TABLE, includeObject="None")


@case("in a watch")
def _(s: Script) -> None:
    s.given(crd("streameds", OPEN, additionalPrinterColumns=[_column("string", ".spec.a")]))
    path = custom_path("streameds")
    version = s.get(path)["metadata"]["resourceVersion"]
    with s.watch(path, events=3, resourceVersion=version, headers=TABLE, includeObject="None") as during:
        during.post(path, custom("streameds", "a", spec={"a": "x"}))
        during.patch(f"{path}/a", {"spec": {"a": "y"}})
        during.delete(f"{path}/a")


@case("fields to select by")
def _(s: Script) -> None:
    properties = {"colour": TEXT, "size": {"type": "integer"}, "on": {"type": "boolean"}, "deep": of_spec(a=TEXT)}
    paths = [{"jsonPath": path} for path in (".spec.colour", ".spec.size", ".spec.on", ".spec.deep.spec.a")]
    s.given(crd("selects", of_spec(**properties), selectableFields=paths))
    path = custom_path("selects")
    s.post(path, custom("selects", "a", spec={"colour": "red", "size": 3, "on": True, "deep": {"spec": {"a": "x"}}}))
    s.post(path, custom("selects", "b", spec={"colour": "blue", "size": 4, "on": False}))
    s.post(path, custom("selects", "c"))
    for selector in (
        "spec.colour=red", "spec.colour!=red", "spec.colour=", "spec.size=3", "spec.on=false", "spec.on=true",
        "spec.deep.spec.a=x", "spec.colour=red,spec.size=4", "metadata.name=b,spec.colour=blue", "spec.none=1",
        "spec.size=x", "metadata.labels=x", "metadata.namespace={ns}", "status.phase=x",
    ):  # fmt: skip
        s.get(path, fieldSelector=selector, headers=TABLE, includeObject="None")
    s.delete(path, fieldSelector="spec.colour=red")
    s.get(path)


@case("fields to select by that a CRD may not have")
def _(s: Script) -> None:
    properties = {"a": TEXT, "l": {"type": "array", "items": TEXT}, "o": {"type": "object"}, "f": {"type": "number"}}
    for path in (".spec.none", ".spec.l", ".spec.l[0]", ".spec.o", ".metadata.name", "spec.a", "", ".spec.f", ".spec"):
        s.post(CRDS, crd("unselects", of_spec(**properties), selectableFields=[{"jsonPath": path}]), dryRun="All")
    twice = [{"jsonPath": ".spec.a"}, {"jsonPath": ".spec.a"}]
    s.post(CRDS, crd("unselects", of_spec(**properties), selectableFields=twice), dryRun="All")
    many = [{"jsonPath": f".spec.a{index}"} for index in range(9)]
    schema = of_spec(**{f"a{index}": TEXT for index in range(9)})
    s.post(CRDS, crd("unselects", schema, selectableFields=many), dryRun="All")


@case("a watch by a field to select by")
def _(s: Script) -> None:
    s.given(crd("chosens", of_spec(a=TEXT), selectableFields=[{"jsonPath": ".spec.a"}]))
    path = custom_path("chosens")
    version = s.get(path)["metadata"]["resourceVersion"]
    with s.watch(path, events=4, resourceVersion=version, fieldSelector="spec.a=x") as during:
        during.post(path, custom("chosens", "a", spec={"a": "x"}))
        during.patch(f"{path}/a", {"spec": {"a": "y"}})
        during.patch(f"{path}/a", {"spec": {"a": "x"}})
        during.delete(f"{path}/a")
