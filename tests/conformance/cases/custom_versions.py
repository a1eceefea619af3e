"""Custom resources: several versions of a kind, with conversion None."""

from __future__ import annotations

from typing import Any

from harness.script import Cases, Script

from cases.objects import CRDS, crd, custom, custom_path, of_spec

case = Cases("custom version")
TEXT = {"type": "string"}


def _crd(plural: str, stored: str = "v1", **schemas: dict[str, Any]) -> dict[str, Any]:
    """Return a CRD whose versions have these properties in their specs."""
    made = crd(plural)
    made["spec"]["versions"] = [
        {
            "name": name,
            "served": True,
            "storage": name == stored,
            "schema": {"openAPIV3Schema": of_spec(**schema)},
            "subresources": {"status": {}},
        }
        for name, schema in schemas.items()
    ]
    return made


def _of(version: str, plural: str, name: str, **more: Any) -> dict[str, Any]:
    return {**custom(plural, name, **more), "apiVersion": f"{plural}.example.com/{version}"}


@case("read in each")
def _(s: Script) -> None:
    s.given(_crd("pairs", v1={"a": TEXT}, v2={"a": TEXT, "b": {**TEXT, "default": "x"}}))
    s.post(custom_path("pairs"), _of("v1", "pairs", "a", spec={"a": "1"}))
    s.post(custom_path("pairs", "v2"), _of("v2", "pairs", "b", spec={"a": "1", "b": "y"}))
    for version in ("v1", "v2"):
        s.get(custom_path("pairs", version))
        s.get(f"{custom_path('pairs', version)}/a")
        s.get(f"{custom_path('pairs', version)}/b")


@case("written in one and changed in the other")
def _(s: Script) -> None:
    s.given(_crd("crosses", v1={"a": TEXT}, v2={"a": TEXT, "b": TEXT}))
    one, two = (f"{custom_path('crosses', version)}/a" for version in ("v1", "v2"))
    s.post(custom_path("crosses", "v2"), _of("v2", "crosses", "a", spec={"a": "1", "b": "2"}))
    s.patch(one, {"spec": {"a": "3"}})
    s.patch(two, {"spec": {"b": "4"}})
    s.put(one, _of("v1", "crosses", "a", spec={"a": "5"}))
    s.put(two, _of("v1", "crosses", "a", spec={"a": "5"}))
    s.patch(f"{two}/status", {"status": {}})
    s.get(two)
    s.delete(two)


@case("applied in both")
def _(s: Script) -> None:
    s.given(_crd("appliers", v1={"a": TEXT, "b": TEXT}, v2={"a": TEXT, "b": TEXT}))
    one, two = (f"{custom_path('appliers', version)}/a" for version in ("v1", "v2"))
    s.apply(one, _of("v1", "appliers", "a", spec={"a": "1"}))
    s.apply(two, _of("v2", "appliers", "a", spec={"b": "2"}), manager="other")
    s.apply(two, _of("v2", "appliers", "a", spec={"a": "3"}), manager="other")
    s.apply(two, _of("v2", "appliers", "a", spec={"a": "1", "b": "2"}))
    s.apply(one, _of("v1", "appliers", "a", spec={}))


@case("watched in each")
def _(s: Script) -> None:
    s.given(_crd("lookers", v1={"a": TEXT}, v2={"a": TEXT, "b": {**TEXT, "default": "x"}}))
    path = custom_path("lookers")
    for version in ("v1", "v2"):
        start = s.get(path)["metadata"]["resourceVersion"]
        with s.watch(custom_path("lookers", version), events=3, resourceVersion=start) as during:
            during.post(path, _of("v1", "lookers", f"from-{version}", spec={"a": "1"}))
            during.patch(f"{path}/from-{version}", {"spec": {"a": "2"}})
            during.delete(f"{path}/from-{version}")


@case("stored anew in another")
def _(s: Script) -> None:
    made = _crd("movers", v1={"a": TEXT}, v2={"a": TEXT, "b": TEXT})
    s.given(made)
    s.post(custom_path("movers"), _of("v1", "movers", "a", spec={"a": "1"}))
    new = {**TEXT, "default": "new"}
    versions = _crd("movers", "v2", v1={"a": TEXT, "c": new}, v2={"a": TEXT, "b": new})["spec"]["versions"]
    s.patch(f"{CRDS}/movers.movers.example.com", {"spec": {"versions": versions}})
    s.until(f"{custom_path('movers')}/a", holding='"c":"new"')
    s.get(f"{custom_path('movers')}/a")
    s.get(f"{custom_path('movers', 'v2')}/a")
    s.patch(f"{custom_path('movers')}/a", {"spec": {"a": "2"}})
    s.get(f"{custom_path('movers', 'v2')}/a")
    s.get(f"{CRDS}/movers.movers.example.com")


@case("with warnings of one that is old")
def _(s: Script) -> None:
    made = _crd("warneds", v1={"a": TEXT}, v1beta1={"a": TEXT}, v1alpha1={"a": TEXT})
    made["spec"]["versions"][1] |= {"deprecated": True}
    made["spec"]["versions"][2] |= {"deprecated": True, "deprecationWarning": "use v1, please"}
    s.given(made)
    for version in ("v1", "v1beta1", "v1alpha1"):
        path = custom_path("warneds", version)
        s.post(path, _of(version, "warneds", f"a-{version}"))
        s.get(path)
        s.patch(f"{path}/a-{version}", {"spec": {"a": "x"}})
        s.delete(f"{path}/a-{version}")


@case("validated by their own schemas")
def _(s: Script) -> None:
    s.given(_crd("ownrules", v1={"a": TEXT}, v2={"a": {"type": "string", "maxLength": 2}}))
    s.post(custom_path("ownrules"), _of("v1", "ownrules", "a", spec={"a": "long"}))
    s.post(custom_path("ownrules", "v2"), _of("v2", "ownrules", "b", spec={"a": "long"}))
    s.patch(f"{custom_path('ownrules', 'v2')}/a", {"metadata": {"labels": {"x": "y"}}})
    s.patch(f"{custom_path('ownrules', 'v2')}/a", {"spec": {"a": "other"}})


@case("in discovery, in order")
def _(s: Script) -> None:
    names = ("v1", "v2alpha1", "v10", "v1beta2", "v1alpha1", "v2", "v1beta1", "foo1")
    schemas: dict[str, Any] = {name: {"a": TEXT} for name in names}
    s.given(_crd("orders", **schemas))
    s.until("/apis/orders.example.com", holding="foo1")
    s.get("/apis/orders.example.com")


@case("with a subresource in one alone")
def _(s: Script) -> None:
    made = _crd("halves", v1={"a": TEXT}, v2={"a": TEXT})
    del made["spec"]["versions"][1]["subresources"]
    s.given(made)
    one, two = (f"{custom_path('halves', version)}/a" for version in ("v1", "v2"))
    s.post(custom_path("halves"), _of("v1", "halves", "a", spec={"a": "1"}, status={}))
    s.patch(two, {"status": {}})
    s.patch(f"{two}/status", {"status": {}})
    s.patch(one, {"status": None})
    s.patch(f"{one}/status", {"status": None})
