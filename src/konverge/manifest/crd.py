"""CRD: the CustomResourceDefinition of a kind, from the classes that are its versions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from konverge.api.custom_resource import definition_of
from konverge.api.definition import Column, Definition
from konverge.api.object import Object
from konverge.errors import RequestError
from konverge.manifest.constraint import rule_schema
from konverge.manifest.field_at import column_type, require_field
from konverge.manifest.place import Place
from konverge.manifest.schema import model_schema

Json = dict[str, Any]
_RULES = "x-kubernetes-validations"
_SHARED = ("group", "kind", "plural", "singular", "scope", "short_names", "categories")


def crd(
    kind: type[Object],
    *others: type[Object],
    conversion: Mapping[str, Any] | None = None,
    descriptions: bool = True,
) -> Json:
    """Return the CustomResourceDefinition of a kind, as plain dicts and lists.

    The other classes are other versions of the same kind; one of them all has `storage=True`. `conversion` is put
    into the spec as it is; without it the server changes nothing but the apiVersion. Without `descriptions` a schema
    with many of Kubernetes' own types is a third as long.
    """
    classes = sorted((kind, *others), key=lambda cls: definition_of(cls).version)
    definitions = [definition_of(cls) for cls in classes]
    _check_shared(classes, definitions)
    first = definitions[0]
    versions = [_version(cls, storage=cls is storage_class(classes), descriptions=descriptions) for cls in classes]
    spec: Json = {"group": first.group, "names": _names(first), "scope": first.scope, "versions": versions}
    if conversion is not None:
        spec["conversion"] = dict(conversion)
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": _metadata(definitions),
        "spec": spec,
    }


def crds_of(kinds: Iterable[type[Object]]) -> list[Json]:
    """Return the CustomResourceDefinitions of classes, of which several may be versions of one kind."""
    found: dict[tuple[str, str], list[type[Object]]] = {}
    for cls in kinds:
        found.setdefault((definition_of(cls).group, definition_of(cls).kind), []).append(cls)
    return [crd(*versions) for versions in found.values()]


def _metadata(definitions: list[Definition]) -> Json:
    found: Json = {"name": f"{definitions[0].plural}.{definitions[0].group}"}
    for what in ("annotations", "labels"):
        if values := {key: value for each in definitions for key, value in getattr(each, what)}:
            found[what] = values
    return found


def _names(definition: Definition) -> Json:
    return _without_empty(
        kind=definition.kind,
        listKind=f"{definition.kind}List",
        plural=definition.plural,
        singular=definition.singular,
        shortNames=list(definition.short_names),
        categories=list(definition.categories),
    )


def _version(cls: type[Object], *, storage: bool, descriptions: bool) -> Json:
    definition = definition_of(cls)
    schema = model_schema(Place(cls))
    if definition.rules:
        schema[_RULES] = [*map(rule_schema, definition.rules), *schema.get(_RULES, [])]
    found: Json = {"name": definition.version, "served": definition.served, "storage": storage}
    found["schema"] = {"openAPIV3Schema": schema if descriptions else _undescribed(schema)}
    return found | _without_empty(
        additionalPrinterColumns=[_column(column, schema, Place(cls)) for column in definition.columns],
        selectableFields=[_selectable(path, schema, Place(cls)) for path in definition.selectable_fields],
        subresources=_subresources(definition, schema, Place(cls)),
        deprecated=bool(definition.deprecated),
        deprecationWarning=definition.deprecated if isinstance(definition.deprecated, str) else "",
    )


def _column(column: Column, schema: Json, place: Place) -> Json:
    return _without_empty(
        name=column.name,
        jsonPath=column.path,
        type=column.type or column_type(schema, column, place),
        format=column.format,
        description=column.description,
        priority=column.priority,
    )


def _selectable(path: str, schema: Json, place: Place) -> Json:
    require_field(schema, path, types=("string", "integer", "boolean"), place=place)
    return {"jsonPath": path}


def _subresources(definition: Definition, schema: Json, place: Place) -> Json:
    found: Json = {"status": {}} if definition.status else {}
    scale = definition.scale
    if scale is not None:
        for path in (scale.spec_replicas, scale.status_replicas):
            require_field(schema, path, types=("integer",), place=place)
        paths = {"specReplicasPath": scale.spec_replicas, "statusReplicasPath": scale.status_replicas}
        found["scale"] = paths | _without_empty(labelSelectorPath=scale.label_selector)
    return found


def _without_empty(**values: Any) -> Json:
    return {name: value for name, value in values.items() if value}


# --- several versions ---


def _check_shared(classes: list[type[Object]], definitions: list[Definition]) -> None:
    """Refuse classes that are not versions of one kind."""
    first = definitions[0]
    for cls, other in zip(classes[1:], definitions[1:], strict=True):
        for name in _SHARED:
            if getattr(other, name) != getattr(first, name):
                raise RequestError(
                    f"{classes[0].__qualname__} and {cls.__qualname__} are to be versions of one kind, but their "
                    f"{name} differ ({getattr(first, name)!r}, {getattr(other, name)!r}): give both the same"
                )
    versions = [definition.version for definition in definitions]
    if len(set(versions)) != len(versions):
        raise RequestError(f"{first.kind} has the version {versions} twice: each class is a version of its own")
    if not any(definition.served for definition in definitions):
        raise RequestError(f"{first.kind} has no version with served=True, so nobody could use it: serve one")


def storage_class(classes: Sequence[type[Object]]) -> type[Object]:
    """Return the class whose version is stored."""
    chosen = [cls for cls in classes if definition_of(cls).storage]
    if not chosen and len(classes) == 1:
        return classes[0]
    if len(chosen) != 1:
        kind = definition_of(classes[0]).kind
        raise RequestError(
            f"{kind} has {len(classes)} versions and {len(chosen)} of them with storage=True: one version is stored, "
            "so say it of one"
        )
    return chosen[0]


def _undescribed(schema: Json) -> Json:
    """The schema without descriptions, at any depth; a property may have that name, and stays."""
    found = {name: value for name, value in schema.items() if name != "description"}
    for name in ("items", "additionalProperties"):
        if isinstance(found.get(name), dict):
            found[name] = _undescribed(found[name])
    if "properties" in found:
        found["properties"] = {name: _undescribed(below) for name, below in found["properties"].items()}
    return found
