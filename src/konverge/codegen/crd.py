"""Definitions out of CustomResourceDefinitions: every served version of each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from konverge.codegen.definition import Definition
from konverge.codegen.names import class_name
from konverge.codegen.values import Kind
from konverge.errors import ConfigError

_GROUP = "apiextensions.k8s.io"


def definitions(documents: Iterable[Any], *, source: str) -> list[Definition]:
    """Return the definitions of all CRDs among the documents; the `source` names the file in errors."""
    found = [item for document in documents for item in _definitions(document, source=source)]
    if not found:
        raise ConfigError(f"{source}: there is no CustomResourceDefinition with a served version in it")
    return found


def _definitions(document: Any, *, source: str) -> Iterator[Definition]:
    if not isinstance(document, Mapping):
        return
    if str(document.get("kind", "")).endswith("List") and isinstance(document.get("items"), list):
        for item in document["items"]:
            yield from _definitions(item, source=source)
    if document.get("kind") == "CustomResourceDefinition":
        yield from _of_crd(document, source=source)


def _of_crd(crd: Mapping[str, Any], *, source: str) -> Iterator[Definition]:
    metadata = crd.get("metadata")
    name = metadata.get("name", "without a name") if isinstance(metadata, Mapping) else "without a name"
    if crd.get("apiVersion") != f"{_GROUP}/v1":
        raise ConfigError(f"{source}: the CRD {name} is of {crd.get('apiVersion')}: convert it to {_GROUP}/v1 first")
    try:
        yield from _versions(crd["spec"])
    except (KeyError, TypeError, AttributeError) as error:
        raise ConfigError(f"{source}: the CRD {name} is not complete: {_missing(error)}") from error


def _missing(error: Exception) -> str:
    return f"it has no {error}" if isinstance(error, KeyError) else "a part of it has the wrong type"


def _versions(spec: Mapping[str, Any]) -> Iterator[Definition]:
    group, names = spec["group"], spec["names"]
    words = [group, names["kind"], names["plural"], *(version["name"] for version in spec["versions"])]
    if not all(isinstance(word, str) and word for word in words):
        raise TypeError("a name that is no text")
    for version in spec["versions"]:
        if version.get("served", True):
            kind = Kind(
                group=group,
                version=version["name"],
                kind=names["kind"],
                plural=names["plural"],
                namespaced=spec["scope"] == "Namespaced",
                subresources=tuple(sorted(version.get("subresources") or {})),
            )
            yield Definition(
                name=f"{group}/{version['name']}.{kind.kind}",
                class_name=class_name(kind.kind),
                group=group,
                version=version["name"],
                schema=version["schema"]["openAPIV3Schema"],
                kind=kind,
            )
