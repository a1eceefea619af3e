"""The user's own kubeconfig, to which `konverge up --context` adds a context while it runs, and takes it away again.

Whatever else is in the file stays; an entry of the same name that is not from here is never touched. Comments are lost,
as with `kubectl config`. What was added is known by an extension, a field that kubectl keeps and ignores.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import yaml

from konverge.cluster.identity import NAME
from konverge.cluster.private_file import write_private
from konverge.errors import ConfigError

_KINDS: Final = ("cluster", "user", "context")
_EXTENSION: Final = "konverge.dev/up"


def user_kubeconfig(env: Mapping[str, str] | None = None) -> Path:
    """Return the file that `kubectl config` would write to: the first of KUBECONFIG's that is there, or the last."""
    env = os.environ if env is None else env
    named = [Path(name) for name in env.get("KUBECONFIG", "").split(os.pathsep) if name]
    if named:
        return next((path for path in named if path.exists()), named[-1]).absolute()
    return Path(env.get("HOME") or Path.home()) / ".kube" / "config"


def require_free_name(path: Path, own: Path) -> None:
    """Raise `ConfigError` where the file, unless it is the cluster's own, has a context of this name from elsewhere."""
    if not _is_same(path, own):
        _require_ours(_read(path), path)


def add_context(path: Path, own: Path) -> None:
    """Add the entries of a cluster's own kubeconfig; the file's current context stays, if it has one."""
    if _is_same(path, own):
        return
    ours = _read(own)
    with _locked(path):
        config = {"apiVersion": "v1", "kind": "Config", **_read(path)}
        _require_ours(config, path)
        for kind in _KINDS:
            config[f"{kind}s"] = [*_others(config, kind), _marked(ours, kind)]
        if not config.get("current-context"):
            config["current-context"] = NAME
        _write(path, config)


def remove_context(path: Path, url: str) -> None:
    """Take away what was added for the server at this address, if it is still there."""
    with _locked(path):
        config = _read(path)
        if _server(config) != url:
            return
        for kind in _KINDS:
            config[f"{kind}s"] = _others(config, kind)
        if config.get("current-context") == NAME:
            config["current-context"] = ""
        _write(path, config)


def _is_same(path: Path, other: Path) -> bool:
    return path.resolve() == other.resolve()


# --- entries ---


def _entries(config: Mapping[str, Any], kind: str) -> list[dict[str, Any]]:
    return [entry for entry in config.get(f"{kind}s") or () if isinstance(entry, dict)]


def _others(config: Mapping[str, Any], kind: str) -> list[dict[str, Any]]:
    return [entry for entry in _entries(config, kind) if entry.get("name") != NAME]


def _named(config: Mapping[str, Any], kind: str) -> dict[str, Any] | None:
    return next((entry for entry in _entries(config, kind) if entry.get("name") == NAME), None)


def _marked(config: Mapping[str, Any], kind: str) -> dict[str, Any]:
    entry = _named(config, kind) or {"name": NAME}
    extension = {"name": _EXTENSION, "extension": {"by": "konverge up --context"}}
    return {"name": NAME, kind: {**entry.get(kind, {}), "extensions": [extension]}}


def _is_ours(entry: Mapping[str, Any], kind: str) -> bool:
    extensions = (entry.get(kind) or {}).get("extensions") or ()
    return any(isinstance(each, dict) and each.get("name") == _EXTENSION for each in extensions)


def _require_ours(config: Mapping[str, Any], path: Path) -> None:
    for kind in _KINDS:
        entry = _named(config, kind)
        if entry is not None and not _is_ours(entry, kind):
            raise ConfigError(
                f"{path}: has a {kind} named {NAME} that `konverge up` did not add, so it is not replaced; rename it, "
                "or leave out --context and use the kubeconfig that is written"
            )


def _server(config: Mapping[str, Any]) -> str | None:
    entry = _named(config, "cluster")
    return entry["cluster"].get("server") if entry is not None and _is_ours(entry, "cluster") else None


# --- the file ---


class _Loader(yaml.SafeLoader):
    """Reads moments as the texts that they are: written again they must look the same."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def _read(path: Path) -> dict[str, Any]:
    try:
        found = yaml.load(path.read_bytes(), _Loader)  # noqa: S506 - a SafeLoader
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from error
    except yaml.YAMLError:  # not chained: it may carry a part of the file
        raise ConfigError(
            f"{path}: is no YAML, so no context is added to it; mend it, or leave out --context"
        ) from None
    if found is not None and not isinstance(found, dict):
        raise ConfigError(f"{path}: is no kubeconfig, so no context is added to it; leave out --context")
    return found or {}


def _write(path: Path, config: Mapping[str, Any]) -> None:
    write_private(path.resolve(), yaml.safe_dump(dict(config), sort_keys=False, allow_unicode=True).encode())


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Keep kubectl from writing meanwhile, by the file that it takes for a lock itself."""
    lock = path.with_name(f"{path.name}.lock")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        os.close(os.open(lock, os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    except FileExistsError as error:
        raise ConfigError(
            f"{path}: another program is changing it; try again, or remove {lock} if none does"
        ) from error
    except OSError as error:
        raise ConfigError(f"{lock}: cannot be written: {error.strerror}; leave out --context") from error
    try:
        yield
    finally:
        lock.unlink(missing_ok=True)
