"""Kubeconfig files: read, check and merge them by kubectl's rule.

The first file to set a value wins, and a named cluster, user or context is one value: nothing of a later one with
the same name is mixed in. Each entry remembers its file, for the errors and for the relative paths in it.
No error quotes the content of a file, which is full of secrets.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import msgspec
import yaml

from konverge.errors import ConfigError

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One named cluster, user or context, not yet looked into: only the chosen ones are."""

    kind: str  # "cluster", "user" or "context"
    name: str
    file: Path
    content: Mapping[str, Any] = field(repr=False)

    def where(self, name: str = "") -> str:
        """Return the file and the field, to begin an error with."""
        return f"{self.file}: {self.kind}s[{self.name}].{self.kind}{f'.{name}' if name else ''}"

    def read(self, shape: type[_T]) -> _T:
        """Return the content as the shape, or raise a ConfigError that names the field."""
        return _convert(self.content, shape, where=self.where())

    def path(self, value: str) -> Path:
        """Return a path of this entry: a relative one starts at the folder of the file."""
        return self.file.absolute().parent / value

    def data_or_file(self, name: str, *, data: str | None, file: str | None) -> tuple[bytes | None, Path | None]:
        """Return the form of a PEM field that is given: `name`-data decoded, or the file `name` names."""
        if data and file:
            raise ConfigError(f"{self.where(name)} and {name}-data are both given: remove one")
        if data:
            return self._decoded(f"{name}-data", data), None
        return None, self.readable(name, file) if file else None

    def readable(self, name: str, value: str) -> Path:
        """Return the path of a field, or raise a ConfigError when its file cannot be read."""
        path = self.path(value)
        try:
            path.open("rb").close()
        except OSError as error:
            raise ConfigError(f"{self.where(name)}: the file {path} cannot be read: {error.strerror}") from error
        return path

    def _decoded(self, name: str, data: str) -> bytes:
        try:
            return base64.b64decode("".join(data.split()), validate=True)
        except ValueError:  # not chained: it may carry a part of the data
            raise ConfigError(f"{self.where(name)} is not valid base64") from None


@dataclass(frozen=True, slots=True, kw_only=True)
class Kubeconfig:
    """Several files as one."""

    files: tuple[Path, ...]
    current_context: str = ""
    clusters: Mapping[str, Entry] = field(default_factory=dict)
    users: Mapping[str, Entry] = field(default_factory=dict)
    contexts: Mapping[str, Entry] = field(default_factory=dict)

    def __str__(self) -> str:
        return ", ".join(map(str, self.files))


def read_kubeconfig(path: Path) -> Kubeconfig:
    """Read one file; a FileNotFoundError is left to the caller, who knows whether the file may be missing."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from error
    document = _convert(_yaml(content, path) or {}, _Document, where=f"{path}:")
    if document.kind not in (None, "", "Config"):
        raise ConfigError(f"{path}: kind must be Config: this is not a kubeconfig")
    return Kubeconfig(
        files=(path,),
        current_context=document.current_context or "",
        clusters=_entries("cluster", ((e.name, e.cluster) for e in document.clusters or ()), path),
        users=_entries("user", ((e.name, e.user) for e in document.users or ()), path),
        contexts=_entries("context", ((e.name, e.context) for e in document.contexts or ()), path),
    )


def merge(configs: Iterable[Kubeconfig]) -> Kubeconfig:
    """Make one of several, the first to set a value winning."""
    merged = Kubeconfig(files=())
    for config in configs:
        merged = Kubeconfig(
            files=(*merged.files, *config.files),
            current_context=merged.current_context or config.current_context,
            clusters={**config.clusters, **merged.clusters},
            users={**config.users, **merged.users},
            contexts={**config.contexts, **merged.contexts},
        )
    return merged


class _NamedCluster(msgspec.Struct):
    name: str
    cluster: dict[str, Any] | None = None


class _NamedUser(msgspec.Struct):
    name: str
    user: dict[str, Any] | None = None

    def __repr__(self) -> str:
        return f"_NamedUser({self.name!r})"


class _NamedContext(msgspec.Struct):
    name: str
    context: dict[str, Any] | None = None


class _Document(msgspec.Struct, rename="kebab"):
    kind: str | None = None
    current_context: str | None = None
    clusters: list[_NamedCluster] | None = None
    users: list[_NamedUser] | None = None
    contexts: list[_NamedContext] | None = None


def _entries(kind: str, named: Iterable[tuple[str, Mapping[str, Any] | None]], file: Path) -> dict[str, Entry]:
    entries: dict[str, Entry] = {}
    for name, content in named:
        if name in entries:
            raise ConfigError(f"{file}: {kind}s holds the name {name!r} twice")
        entries[name] = Entry(kind=kind, name=name, file=file, content=content or {})
    return entries


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]  # the C one where it was built
    """Plain values only, and a timestamp is the text it was written as: JSON, which kubectl goes through, has none."""

    yaml_implicit_resolvers: ClassVar[dict[str, list[tuple[str, re.Pattern[str]]]]] = {
        first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }


def _yaml(content: bytes, path: Path) -> Any:
    try:
        return yaml.load(content, _Loader)  # noqa: S506 - _Loader is a safe loader
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f": look at line {mark.line + 1}, column {mark.column + 1}" if mark else ""
    except (yaml.YAMLError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        place = ""  # PyYAML lets what a wrongly tagged value raises through as it is
    raise ConfigError(f"{path}: is not valid YAML{place}")  # not chained: the parser's error quotes the line


_KINDS = {"str": "a string", "int": "a number", "float": "a number", "bool": "true or false", "null": "empty"}
_KINDS |= {"array": "a list", "object": "a mapping", "bytes": "binary", "set": "a set", "dict": "a mapping"}
_EXPECTED = re.compile(r"Expected `(?P<expected>[^`]*)`, got `(?P<found>[^`]*)`(?: - at `\$?(?P<path>[^`]*)`)?")
_KEY = re.compile(r"at `key` in `\$(?P<path>[^`]*)`")
_MISSING = re.compile(r"Object missing required field `(?P<name>[^`]*)`(?: - at `\$(?P<path>[^`]*)`)?")


def _convert(value: Any, shape: type[_T], *, where: str) -> _T:
    try:
        return msgspec.convert(value, shape)
    except msgspec.ValidationError as error:
        message = _explain(str(error), where)
    raise ConfigError(message)  # not chained: the message above is made of its words


def _explain(message: str, where: str) -> str:
    """Put msgspec's message into the words of the file's author. It names types and places, never values."""
    if match := _MISSING.match(message):
        return f"{_join(where, match['path'])} has no {match['name']}"
    if match := _KEY.search(message):
        return f"{_join(where, match['path'])} has a key that is not a string: put it in quotes"
    match = _EXPECTED.match(message)
    if not match:
        return f"{where} cannot be understood: {message}"
    expected = " or ".join(_KINDS.get(kind, kind) for kind in match["expected"].split(" | ") if kind != "null")
    found = _KINDS.get(match["found"], match["found"])
    hint = "; put it in quotes" if expected == "a string" and found in ("a number", "true or false") else ""
    return f"{_join(where, match['path'])} must be {expected}, not {found}{hint}"


def _join(where: str, path: str | None) -> str:
    """Append a path of msgspec (`.users[...].name`) to a place; the top of a file is "it"."""
    if not path:
        return f"{where} it" if where.endswith(":") else where
    return f"{where} {path.removeprefix('.')}" if where.endswith(":") else f"{where}{path}"
