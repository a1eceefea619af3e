"""`konverge models`: typed modules for any kind, from CRD files or from what a live cluster says about itself."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable, Hashable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer
import yaml
from rich.console import Console

from konverge.client.client import Client
from konverge.client.config.config import Config
from konverge.codegen import crd, openapi, shipped
from konverge.codegen.build import build
from konverge.codegen.definition import Definition
from konverge.codegen.emit import GENERATED
from konverge.codegen.generate import package, sources
from konverge.codegen.values import Module
from konverge.errors import ConfigError

try:
    from yaml import CSafeLoader as _SafeLoader  # a bundle of CRDs may have megabytes
except ImportError:  # a PyYAML that was built without libyaml
    from yaml import SafeLoader as _SafeLoader  # type: ignore[assignment]  # the same but for its speed

Fetch = Callable[[str], Awaitable[bytes]]


def models(
    files: Annotated[
        list[Path] | None, typer.Argument(metavar="FILE", help="YAML files with CRDs; - is the standard input.")
    ] = None,
    *,
    cluster: Annotated[bool, typer.Option("--cluster", help="Ask the cluster of the current context instead.")] = False,
    out: Annotated[Path, typer.Option(metavar="DIR", help="The package to write the modules to.")] = Path("models"),
    group: Annotated[list[str] | None, typer.Option(metavar="GROUP", help="Only this group; may be repeated.")] = None,
    context: Annotated[str | None, typer.Option(help="With --cluster: a context of the kubeconfig.")] = None,
) -> None:
    """Write typed modules from CRDs or from a live cluster.

    One module per group and version, named after the first label of the group and the version: cert_manager_v1.
    Kinds that konverge ships are imported from konverge.models, not written again.
    """
    if cluster == bool(files):
        raise ConfigError("say where the kinds come from: FILE... or --cluster, one of the two")
    groups = frozenset(group or ())
    if cluster:
        found, source = asyncio.run(_of_context(context, groups)), "a cluster's OpenAPI documents"
    else:
        found, source = _of_files(files or [], groups), "CustomResourceDefinitions"
    _report(out, write(out, build(found, source=source, shipped=shipped.find)))


# --- files ---


def _of_files(files: Iterable[Path], groups: frozenset[str]) -> list[Definition]:
    found = [item for file in files for item in crd.definitions(documents(file), source=_name(file))]
    return _selected(found, groups)


def documents(file: Path) -> list[Any]:
    """Return the documents of a YAML file; a ConfigError says where it cannot be read."""
    try:
        text = sys.stdin.read() if str(file) == "-" else file.read_text(encoding="utf-8")
        return list(yaml.load_all(text, _Loader))
    except OSError as error:
        raise ConfigError(f"{_name(file)}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{_name(file)}: is not UTF-8 text") from error
    except yaml.YAMLError as error:
        raise ConfigError(f"{_name(file)}: is not YAML: {_position(error)}") from error
    except (ValueError, RecursionError) as error:  # what PyYAML lets through: a number that is none, endless nesting
        raise ConfigError(f"{_name(file)}: cannot be read as YAML: {type(error).__name__}: {error}") from error


def _name(file: Path) -> str:
    return "the standard input" if str(file) == "-" else str(file)


def _position(error: yaml.YAMLError) -> str:
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark:
        mark = error.problem_mark
        return f"line {mark.line + 1}, column {mark.column + 1}: {error.problem}"
    return " ".join(str(error).split())


class _Loader(_SafeLoader):
    """A safe loader whose keys are strings, as JSON has them, and that takes a bare `=` or a date as the string it is.

    CRDs list `=` among the operators of a matcher, and a property may be called `on`.
    """

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:  # noqa: FBT001, FBT002 - PyYAML's signature
        found = super().construct_mapping(node, deep=deep)
        return {key if isinstance(key, str) else json.dumps(key, default=str): value for key, value in found.items()}


for _tag in ("value", "timestamp"):  # JSON has no times: a date is the text it is, and 2020-13-45 is no error
    _Loader.add_constructor(f"tag:yaml.org,2002:{_tag}", lambda _, node: node.value)


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


def write(out: Path, modules: Sequence[Module]) -> Mapping[Path, Module | None]:
    """Write the modules into a package and return what each file holds; never over a file of another origin."""
    try:
        return _written(out, modules)
    except OSError as error:
        raise ConfigError(
            f"{error.filename or out}: cannot be written: {error.strerror}; choose another --out"
        ) from error


def _written(out: Path, modules: Sequence[Module]) -> Mapping[Path, Module | None]:
    files = sources(modules)
    mark = GENERATED.encode()
    foreign = [name for name in files if (out / name).exists() and mark not in (out / name).read_bytes()]
    if foreign:
        raise ConfigError(
            f"{out / foreign[0]}: was not generated, so it is not replaced: move it, or choose another --out"
        )
    out.mkdir(parents=True, exist_ok=True)
    if not (out / "__init__.py").exists():
        files = {"__init__.py": package(), **files}
    for name, source in files.items():
        (out / name).write_text(source, encoding="utf-8")
    by_file = {f"{module.name}.py": module for module in modules}
    return {out / name: by_file.get(name) for name in files}


def _report(out: Path, written: Mapping[Path, Module | None]) -> None:
    console = Console(highlight=False, soft_wrap=True)
    for path, module in written.items():
        if module:
            kinds = ", ".join(cls.name for cls in module.kinds)
            console.print(f"[green]wrote[/] [bold]{path}[/] [dim]{module.api_version}:[/] {kinds}")
    console.print(f"{len([module for module in written.values() if module])} modules in {out}")
