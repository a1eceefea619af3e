"""Conversion webhooks: objects written in one version, stored in another, and read in either."""

from __future__ import annotations

from typing import Any

from harness.script import CRDS, Cases, Script

case = Cases("conversion webhook")
GROUP = "convert.konverge.dev"


def _version(name: str, spec: dict[str, Any], *, storage: bool = False) -> dict[str, Any]:
    schema = {"type": "object", "properties": {"spec": {"type": "object", "properties": spec}, "status": _STATUS}}
    subresources = {
        "status": {},
        "scale": {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"},
    }
    return {
        "name": name,
        "served": True,
        "storage": storage,
        "schema": {"openAPIV3Schema": schema},
        "subresources": subresources,
        "selectableFields": [{"jsonPath": ".spec.replicas" if storage else ".spec.color"}],
    }


_STATUS = {"type": "object", "properties": {"phase": {"type": "string"}, "replicas": {"type": "integer"}}}
_MORE = {"color": {"type": "string", "default": "red"}, "replicas": {"type": "integer"}}


def _definition(plural: str, path: str, **webhook: Any) -> dict[str, Any]:
    kind = plural.capitalize().removesuffix("s")
    client = {"url": f"{{hook}}{path}", "caBundle": "{ca}"}
    asked = {"clientConfig": client, "conversionReviewVersions": ["v1"], **webhook}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{GROUP}"},
        "spec": {
            "group": GROUP,
            "scope": "Namespaced",
            "names": {"plural": plural, "kind": kind, "singular": kind.lower(), "listKind": f"{kind}List"},
            "versions": [
                _version("v1", {"size": {"type": "integer"}, **_MORE}),
                _version("v2", {"sizes": {"type": "array", "items": {"type": "integer"}}, **_MORE}, storage=True),
            ],
            "conversion": {"strategy": "Webhook", "webhook": asked},
        },
    }


def _path(version: str, plural: str) -> str:
    return f"/apis/{GROUP}/{version}/namespaces/{{ns}}/{plural}"


def _object(version: str, plural: str, name: str, **spec: Any) -> dict[str, Any]:
    kind = plural.capitalize().removesuffix("s")
    return {"apiVersion": f"{GROUP}/{version}", "kind": kind, "metadata": {"name": name}, "spec": spec}


@case("converts what is written, read, listed and changed in another version")
def _(s: Script) -> None:
    s.define(_definition("lots", "/convert"))
    old, new = _path("v1", "lots"), _path("v2", "lots")
    s.post(old, _object("v1", "lots", "a", size=1))
    s.post(new, _object("v2", "lots", "b", sizes=[2, 3]))
    for path in (old, new):
        s.get(f"{path}/a")
        s.get(f"{path}/b")
        s.get(path)
    s.get(old, fieldSelector="spec.color=red")
    s.patch(f"{old}/a", {"spec": {"size": 5}})
    s.get(f"{new}/a")
    found = s.get(f"{old}/b")
    changed = {**_object("v1", "lots", "b", size=9), "metadata": {"name": "b"}}
    changed["metadata"]["resourceVersion"] = found["metadata"]["resourceVersion"]
    s.put(f"{old}/b", changed)
    s.get(f"{new}/b")
    s.patch(f"{old}/a", {"spec": {"size": 5}})
    s.patch(f"{old}/a/status", {"status": {"phase": "Done"}})
    s.patch(f"{old}/a/scale", {"spec": {"replicas": 4}})
    s.get(f"{new}/a")
    s.post(old, _object("v1", "lots", "c", size=1), dryRun="All")
    s.delete(f"{old}/a")
    s.delete(new)
    s.get(old)


@case("applies in both versions")
def _(s: Script) -> None:
    s.define(_definition("parts", "/convert"))
    old, new = _path("v1", "parts"), _path("v2", "parts")
    s.apply(f"{old}/a", _object("v1", "parts", "a", size=1), manager="one")
    s.apply(f"{new}/a", _object("v2", "parts", "a", color="blue"), manager="two", force=True)
    s.apply(f"{new}/a", _object("v2", "parts", "a", sizes=[4]), manager="two")
    s.apply(f"{old}/a", _object("v1", "parts", "a", size=2), manager="one")
    s.get(f"{new}/a")


@case("converts what a watch shows")
def _(s: Script) -> None:
    s.define(_definition("watchs", "/convert"))
    old, new = _path("v1", "watchs"), _path("v2", "watchs")
    s.post(new, _object("v2", "watchs", "a", sizes=[2, 3]))
    with s.watch(old, events=4) as during:
        during.post(new, _object("v2", "watchs", "b", sizes=[7]))
        during.patch(f"{new}/b", {"spec": {"sizes": [8]}})
        during.delete(f"{new}/b")


@case("knows the old version of reviews")
def _(s: Script) -> None:
    s.define(_definition("olds", "/convert", conversionReviewVersions=["v9", "v1beta1"]))
    s.post(_path("v1", "olds"), _object("v1", "olds", "a", size=1))
    s.get(f"{_path('v2', 'olds')}/a")


@case("changes with its definition")
def _(s: Script) -> None:
    s.define(_definition("turns", "/convert-failed"))
    s.post(_path("v2", "turns"), _object("v2", "turns", "a", sizes=[1]))
    s.get(f"{_path('v1', 'turns')}/a")
    s.patch(f"{CRDS}/turns.{GROUP}", {"spec": {"conversion": {"webhook": {"clientConfig": {"url": "{hook}/convert"}}}}})
    s.until(f"{_path('v1', 'turns')}/a")
    s.get(f"{_path('v1', 'turns')}/a")
    s.patch(f"{CRDS}/turns.{GROUP}", {"spec": {"conversion": {"strategy": "None", "webhook": None}}})
    s.until(f"{_path('v1', 'turns')}/a", lacking='"size":')
    s.get(f"{_path('v1', 'turns')}/a")


_FAULTS = (
    *("labels", "bad-label", "number-label", "list-label", "name", "uid", "no-metadata", "kind", "version"),
    *("unknown-field", "fewer", "failed", "failed-silently", "other-uid", "no-response", "other-review"),
    *("garbage", "500", "empty"),
)
for _name in _FAULTS:

    @case(f"that does what it may not, or may ({_name})")
    def _(s: Script, name: str = _name) -> None:
        s.given(_definition("faults", "/convert-by-color"))
        s.post(_path("v1", "faults"), _object("v1", "faults", "a", size=1, color=name))
        s.post(_path("v2", "faults"), _object("v2", "faults", "b", sizes=[1], color=name))
        s.get(f"{_path('v1', 'faults')}/b")
        s.delete(f"{_path('v2', 'faults')}/b")
        s.delete(f"{_path('v2', 'faults')}/a")
