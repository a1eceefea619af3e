"""The sample: what the real server's documents say of a custom resource, with names that are to be replaced.

Captured from two CRDs, one with namespaces and one without (`tools/capture_apis.py`), so paths, parameters and
descriptions are the real ones word by word.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import msgspec

from konverge.cluster.apiserver.builtin import captured
from konverge.cluster.apiserver.resource import Resource

JsonObject = dict[str, Any]
_VOWELS: Final = "aeiouAEIOU"
_K8S: Final = ".k8s.io"


class Sample(msgspec.Struct, frozen=True):
    """What was captured; `v3` and `v2` hold the paths by scope, as texts with the sample's names."""

    info: JsonObject
    v3: dict[str, dict[str, msgspec.Raw]]
    v2: dict[str, dict[str, msgspec.Raw]]
    kinds: dict[str, list[JsonObject]]  # the kinds of a schema that the documents of custom resources list differently
    schema: JsonObject
    of_list: msgspec.Raw = msgspec.field(name="list")


@cache
def sample() -> Sample:
    """Return the sample, read once."""
    return msgspec.json.decode(captured.read("custom.json"), type=Sample)


def type_meta() -> JsonObject:
    """Return the properties that the server adds to every kind: apiVersion, kind and metadata."""
    return {name: found for name, found in sample().schema["properties"].items() if name != "embedded"}


def embedded_meta() -> JsonObject:
    """Return the properties that the server adds to an embedded resource."""
    found: JsonObject = sample().schema["properties"]["embedded"]["properties"]
    return found


class Names:
    """Puts a resource's names in place of the sample's."""

    def __init__(self, resource: Resource) -> None:
        group, version, kind = resource.group, resource.version, resource.kind
        short = group.removesuffix(_K8S)
        self.model = ".".join((*reversed(group.split(".")), version, ""))
        # In this order: a longer name before one that is a part of it.
        self._replaced = (
            (" a Zkind", _article(kind) + kind),
            ("ZgroupZdomain", _camel(short, is_first_upper=True)),
            ("zgroupZdomain_v9alpha9", f"{_camel(short)}_{_camel(version)}"),
            ("zgroup.zdomain", group),
            ("zdomain.zgroup.v9alpha9.", self.model),
            ("V9alpha9", _camel(version, is_first_upper=True)),
            ("v9alpha9", version),
            ("Zkind", kind),
            ("Zlisted", resource.list_kind),
            ("zplurals", resource.plural),
        )

    def replaced(self, text: str) -> str:
        """Return a text of the sample with the resource's names."""
        for old, new in self._replaced:
            text = text.replace(old, new)
        return text


def paths(resource: Resource, form: dict[str, dict[str, msgspec.Raw]]) -> JsonObject:
    """Return a custom resource's paths in one of the forms of the sample (`v3`, `v2`)."""
    names = Names(resource)
    found: JsonObject = {}
    for path, item in form["Namespaced" if resource.namespaced else "Cluster"].items():
        if path.endswith("/status") and not resource.has_status:
            continue
        if path.endswith("/scale") and resource.scale is None:
            continue
        found[names.replaced(path)] = msgspec.Raw(names.replaced(bytes(item).decode()).encode())
    return found


def list_schema(resource: Resource) -> JsonObject:
    """Return the schema of a custom resource's list, as v3 shows it."""
    schema: JsonObject = msgspec.json.decode(Names(resource).replaced(bytes(sample().of_list).decode()))
    return {**schema, **selectable(resource)}


def selectable(resource: Resource) -> JsonObject:
    """Return the extension that names the fields a selector may name; empty where there are none."""
    fields = [{"fieldPath": path} for path in resource.selectable_fields.values()]
    return {"x-kubernetes-selectable-fields": fields} if fields else {}


def _article(kind: str) -> str:
    if kind.endswith("s") and not kind.endswith("ss"):
        return " "  # a plural has none
    return " an " if kind[0] in _VOWELS else " a "


def _camel(text: str, *, is_first_upper: bool = False) -> str:
    """Return a name as operation ids spell it: letters, digits and underscores; what follows another one is upper."""
    found: list[str] = []
    is_upper = is_first_upper
    for index, char in enumerate(text):
        if char.isalpha() or char == "_" or (index and char.isdigit()):
            found.append(char.upper() if is_upper else char)
            is_upper = False
        else:
            is_upper = True
    return "".join(found)
