"""Typed modules: what `konverge models` does: reads CRDs or asks a cluster, and writes a package."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from rich.console import Console

from konverge.cli import authored_file
from konverge.cli.scaffold.writing import MayReplace
from konverge.client.client import Client
from konverge.client.config.config import Config
from konverge.codegen import crd, openapi, shipped
from konverge.codegen.build import build
from konverge.codegen.definition import Definition
from konverge.codegen.emit import GENERATED
from konverge.codegen.generate import package, sources
from konverge.codegen.values import Module
from konverge.errors import ConfigError
from konverge.manifest.yaml_documents import yaml_documents

Fetch = Callable[[str], Awaitable[bytes]]


def run(
    files: Sequence[Path],
    *,
    cluster: bool,
    out: Path,
    groups: frozenset[str],
    context: str | None,
    may_replace: MayReplace | None,
) -> None:
    """Write the modules of CRDs, or of what a cluster serves, and say which."""
    if cluster:
        found, source = asyncio.run(_of_context(context, groups)), "a cluster's OpenAPI documents"
    else:
        found, source = _of_files(files, groups), "CustomResourceDefinitions"
    _report(out, write(out, build(found, source=source, shipped=shipped.find), may_replace=may_replace))


# --- files ---


def _of_files(files: Iterable[Path], groups: frozenset[str]) -> list[Definition]:
    found = [item for file in files for item in crd.definitions(documents(file), source=_name(file))]
    return _selected(found, groups)


def documents(file: Path) -> list[Any]:
    """Return the documents of a YAML file; a ConfigError says where it cannot be read."""
    try:
        text = sys.stdin.read() if str(file) == "-" else file.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{_name(file)}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{_name(file)}: is not UTF-8 text") from error
    return yaml_documents(text, source=_name(file))


def _name(file: Path) -> str:
    return "the standard input" if str(file) == "-" else str(file)


# --- a cluster ---


async def _of_context(context: str | None, groups: frozenset[str]) -> list[Definition]:
    async with Client.connect(Config.load(context=context)) as client:
        return await of_cluster(client.get_raw, groups)


async def of_cluster(fetch: Fetch, groups: frozenset[str] = frozenset()) -> list[Definition]:
    """Return what a server defines and konverge does not ship; `fetch` gets a path of the server."""
    paths = msgspec.json.decode(await fetch("/openapi/v3"))["paths"]
    served = openapi.group_version_paths(paths)
    wanted = [
        path
        for path, (group, version) in served.items()
        if (group in groups or not groups) and not shipped.is_shipped(group, version)
    ]
    bodies = [msgspec.json.decode(await fetch(paths[path]["serverRelativeURL"])) for path in wanted]
    found = [item for item in openapi.definitions(bodies) if not shipped.is_shipped(item.group, item.version)]
    if not found:
        raise ConfigError(f"the cluster serves no kind of {_what(groups)} that konverge.models does not have already")
    return _selected(found, groups)


def _what(groups: frozenset[str]) -> str:
    return f"the groups {', '.join(sorted(groups))}" if groups else "any group"


def _selected(found: list[Definition], groups: frozenset[str]) -> list[Definition]:
    """Keep the groups that were asked for; one that is not there is a mistake worth a word."""
    missing = groups - {item.group for item in found}
    if missing:
        there = ", ".join(sorted({item.group for item in found}))
        raise ConfigError(f"there is no group {', '.join(sorted(missing))}; there are: {there}")
    return [item for item in found if not groups or item.group in groups]


# --- output ---


def write(out: Path, modules: Sequence[Module], *, may_replace: MayReplace | None) -> Mapping[Path, Module | None]:
    """Write the modules into a package and return what each file holds.

    Never over a file of another origin, and over one that was edited only by leave; None: nobody can be asked.
    """
    try:
        return _written(out, modules, may_replace)
    except OSError as error:
        raise ConfigError(
            f"{error.filename or out}: cannot be written: {error.strerror}; choose another --out"
        ) from error


def _written(out: Path, modules: Sequence[Module], may_replace: MayReplace | None) -> Mapping[Path, Module | None]:
    files = sources(modules)
    mark = GENERATED.encode()
    foreign = [name for name in files if (out / name).exists() and mark not in (out / name).read_bytes()]
    if foreign:
        raise ConfigError(
            f"{out / foreign[0]}: was not generated, so it is not replaced: move it, or choose another --out"
        )
    kept = [name for name in files if authored_file.is_edited(out / name) and not _is_given_up(out / name, may_replace)]
    files = {name: authored_file.headed(text, command="models") for name, text in files.items() if name not in kept}
    out.mkdir(parents=True, exist_ok=True)
    if not (out / "__init__.py").exists():
        files = {"__init__.py": package(), **files}
    for name, source in files.items():
        (out / name).write_text(source, encoding="utf-8")
    by_file = {f"{module.name}.py": module for module in modules}
    return {out / name: by_file.get(name) for name in files}


def _is_given_up(path: Path, may_replace: MayReplace | None) -> bool:
    if may_replace is None:
        raise ConfigError(f"{path}: was edited, so nothing was written; --force writes it anew")
    return may_replace(path)


def _report(out: Path, written: Mapping[Path, Module | None]) -> None:
    console = Console(highlight=False, soft_wrap=True)
    for path, module in written.items():
        if module:
            kinds = ", ".join(cls.name for cls in module.kinds)
            console.print(f"[green]wrote[/] [bold]{path}[/] [dim]{module.api_version}:[/] {kinds}")
    console.print(f"{len([module for module in written.values() if module])} modules in {out}")
