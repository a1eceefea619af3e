"""`apply`: what YAML says, brought into a cluster to test on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from konverge.api.unstructured import Unstructured
from konverge.client.client import Client
from konverge.client.until_served import until_served
from konverge.errors import ConfigError
from konverge.manifest.yaml_documents import yaml_documents

_DEFINITION: Final = "CustomResourceDefinition"
_FIRST: Final = ("Namespace", _DEFINITION)  # what others need to be there
_SUFFIXES: Final = (".yaml", ".yml", ".json")
_KUSTOMIZATION: Final = "kustomization.yaml"  # says how to build, and is no object
_OWNER: Final = "konverge-testing"

Source = Path | str | Mapping[str, Any]
"""Where objects come from: a file, a folder, YAML, or an object itself as plain dicts and lists."""


async def apply(client: Client, *sources: Source) -> list[Unstructured]:
    """Apply every object of these sources, and return them as the server has them now.

    A source is a file, a folder (its files in order of their names, those below it left out), YAML itself, with as many
    documents as it likes, or a manifest as plain dicts and lists. Namespaces and CustomResourceDefinitions go first,
    and what they define is served when the rest follows. Objects are applied (server-side, by force, so that it may be
    done again); those with a `generateName` and no name are created.
    """
    wanted = sorted((obj for source in sources for obj in _objects(source)), key=_rank)
    return [await _brought(client, obj) for obj in wanted]


def _rank(obj: Unstructured) -> int:
    return _FIRST.index(obj.kind) if obj.kind in _FIRST else len(_FIRST)


# --- reading ---


def _objects(source: Source) -> Iterator[Unstructured]:
    if isinstance(source, Mapping):
        yield from _of_document(source, "the manifest")
        return
    for name, text in _texts(source):
        for number, value in enumerate(yaml_documents(text, source=name), start=1):
            yield from _of_document(value, f"{name}, document {number}")


def _texts(source: Path | str) -> Iterable[tuple[str, str]]:
    if isinstance(source, str) and not _is_path(source):
        return [("the YAML", source)]
    path = Path(source)
    files = _files_of(path) if path.is_dir() else [path]
    return [(str(file), _read(file)) for file in files]


def _is_path(text: str) -> bool:
    """Whether a text is a path: YAML of an object has several lines, or braces."""
    return "\n" not in text and not text.lstrip().startswith("{")


def _files_of(folder: Path) -> list[Path]:
    files = sorted(file for file in folder.iterdir() if file.suffix in _SUFFIXES and file.name != _KUSTOMIZATION)
    if not files:
        raise ConfigError(f"{folder}: there is no file to apply in it, of {', '.join(_SUFFIXES)}")
    return files


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{file}: cannot be read: {error.strerror}; name a file, a folder, or give YAML") from error


def _of_document(value: Any, place: str) -> Iterator[Unstructured]:
    """Yield the object of a document, those of a List, or nothing of an empty one."""
    if value is None:
        return
    if not isinstance(value, Mapping) or not (value.get("apiVersion") and value.get("kind")):
        raise ConfigError(f"{place}: is no Kubernetes object: apiVersion and kind are missing")
    if value["kind"] == "List":
        for item in value.get("items") or ():
            yield from _of_document(item, place)
    else:
        yield Unstructured.from_dict(value)


# --- writing ---


async def _brought(client: Client, wanted: Unstructured) -> Unstructured:
    if not wanted.metadata.name and wanted.metadata.generate_name:
        return await client.create(wanted)
    found = await client.apply(wanted, force=True, field_owner=_OWNER)
    if wanted.kind == _DEFINITION:
        await until_served(client, wanted.to_dict())
    return found
