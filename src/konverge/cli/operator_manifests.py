"""Operator manifests: what `konverge manifests` does: load, describe, compare, write."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, Literal

import msgspec
import typer
from rich.console import Console

from konverge.cli import authored_file
from konverge.cli.operator_module import OperatorModule, load
from konverge.cli.operator_webhooks import webhook_part
from konverge.cli.typed_modules import documents
from konverge.errors import ConfigError
from konverge.manager.grants import controller_grants, webhook_grants
from konverge.manifest.breaking import breaking_changes
from konverge.manifest.operator import Operator, OwnKind
from konverge.manifest.project import INSTALL, crds, install_text, project_files

Json = Mapping[str, Any]
Certificates = Literal["konverge", "cert-manager"]
_CRD: Final = "CustomResourceDefinition"
_NAME: Final = re.compile(r"[a-z]([-a-z0-9]{0,30}[a-z0-9])?")  # with all that is put behind it, still a label


class Options(msgspec.Struct, frozen=True):
    """What the command was asked for."""

    output: Path
    against: Path | None = None
    name: str | None = None
    namespace: str | None = None
    image: str = "controller:latest"
    force: bool = False
    certificates: Certificates = "konverge"


def run(module: str, options: Options) -> None:
    """Write the manifests of an operator, unless they would break what is stored."""
    operator = describe(load(module), options)
    console = Console(highlight=False, soft_wrap=True)
    if options.against is not None and (breaks := breaking(options.against, crds(operator))):
        for line in breaks:
            console.print(line, markup=False)
        raise typer.Exit(1)
    asking = None if options.force else _ask if sys.stdin.isatty() else _keep
    write(options.output, project_files(operator), may_replace=asking, console=console)
    for line in advice(operator):
        console.print(line, markup=False)


# --- from a manager to a value ---


def describe(found: OperatorModule, options: Options) -> Operator:
    """Return all that the manifests of an operator are made of."""
    name, namespace = options.name or found.name, options.namespace
    if not _NAME.fullmatch(name):
        raise ConfigError(f"{name!r} cannot begin the names of objects: give --name, up to 32 of a-z, 0-9 and -")
    cert_manager = options.certificates == "cert-manager"
    webhooks = webhook_part(found.manager, cert_manager=cert_manager)
    if cert_manager and webhooks is None:
        raise ConfigError("--certificates cert-manager: the operator has no webhooks that a Service leads to")
    if webhooks is not None and namespace not in (None, webhooks.namespace):
        raise ConfigError(
            f'the Service of the webhooks is in namespace "{webhooks.namespace}", so the operator cannot run in '
            f'"{namespace}": name one namespace in WebhookService(…) and in --namespace'
        )
    manager, election = found.manager, found.manager.leader_election
    return Operator(
        name=name,
        namespace=namespace or (webhooks.namespace if webhooks else f"{name}-system"),
        image=options.image,
        command=found.command,
        kinds=tuple(OwnKind(tuple(versions)) for versions in found.kinds().values()),
        grants=(*controller_grants(manager), *(webhook_grants(manager) if webhooks else ())),
        lease=election.id if election else "",
        lease_namespace=election.namespace if election else "",
        ports=tuple((name, port) for name, port in manager.ports.items() if port),
        webhooks=webhooks,
    )


def advice(operator: Operator) -> Iterator[str]:
    """Say what is missing from the code that a Deployment could do with."""
    if not operator.port("health"):
        yield 'The Deployment has no probes: kv.Manager(health_address=":8081") would answer them.'
    if operator.port("webhook") and operator.webhooks is None:
        yield (
            "The webhooks are left out: kv.WebhookServing(target=kv.WebhookService(namespace=…, name=…)) would say by "
            "which Service the API server reaches them."
        )


# --- what breaks ---


def breaking(old: Path, new: Iterable[Json]) -> list[str]:
    """Return what breaks where new CRDs take the place of those of a file or a folder, a line each."""
    after = {crd["metadata"]["name"]: crd for crd in new}
    found = []
    for name, before in _crds_of(old).items():
        if name not in after:
            found.append(f"{name}: the kind is gone: deleting its CRD deletes all of its objects")
        else:
            found += [f"{name}: {change}" for change in breaking_changes(before, after[name])]
    return found


def _crds_of(place: Path) -> dict[str, Json]:
    files = sorted((*place.rglob("*.yaml"), *place.rglob("*.yml"))) if place.is_dir() else [place]
    found = {_name_of(each, file): each for file in files for each in _listed(documents(file))}
    if not found:
        raise ConfigError(f"{place}: there is no CustomResourceDefinition in it to compare with")
    return found


def _listed(found: Iterable[Any]) -> Iterator[Json]:
    """Yield the CRDs among documents, and those in lists such as `kubectl get crds -o yaml` prints."""
    for each in found:
        if isinstance(each, dict) and isinstance(each.get("items"), list):
            yield from _listed(each["items"])
        elif isinstance(each, dict) and each.get("kind") == _CRD:
            yield each


def _name_of(crd: Json, file: Path) -> str:
    try:
        name, _ = str(crd["metadata"]["name"]), [version["name"] for version in crd["spec"]["versions"]]
    except (KeyError, TypeError) as error:
        raise ConfigError(
            f"{file}: a CustomResourceDefinition in it is not complete: give one that a server has"
        ) from error
    return name


# --- writing ---


def write(
    folder: Path, files: Mapping[str, str], *, may_replace: Callable[[Path], bool] | None, console: Console
) -> None:
    """Write files, but over an author's edit only if allowed (None: always); tell of each that changed or was kept."""
    writer = _Writer(folder, may_replace, console)
    written = {name: writer.write(name, text) for name, text in files.items()}
    writer.write(INSTALL, install_text(written))
    writer.tell_former({INSTALL, *files})
    console.print(f"{len(files) + 1 - writer.kept} of {len(files) + 1} files in {folder} are as the code has them")


class _Writer:
    """Writes files into one folder, and counts those it was not to touch."""

    def __init__(self, folder: Path, may_replace: Callable[[Path], bool] | None, console: Console) -> None:
        self._folder, self._may_replace, self._console = folder, may_replace, console
        self.kept = 0

    def write(self, name: str, text: str) -> str:
        """Write a file or keep the author's, and return what it says now."""
        path, allowed = self._folder / name, self._may_replace
        if allowed is not None and authored_file.is_authored(path) and not allowed(path):
            self.kept += 1
            self._console.print(f"[yellow]kept[/] [bold]{path}[/] [dim]it was edited; --force writes it anew[/]")
            return authored_file.body(path)
        if authored_file.write(path, text):
            self._console.print(f"[green]wrote[/] [bold]{path}[/]")
        return text

    def tell_former(self, names: Collection[str]) -> None:
        """Tell of files that were written here once, and that the code no longer has."""
        for path in sorted(self._folder.rglob("*.yaml")):
            if path.relative_to(self._folder).as_posix() not in names and authored_file.is_written(path):
                self._console.print(f"[yellow]left[/] [bold]{path}[/] [dim]the code no longer has it: delete it[/]")


def _ask(path: Path) -> bool:
    return typer.confirm(f"{path} was edited. Write it anew?", default=False)


def _keep(path: Path) -> bool:  # noqa: ARG001 - nobody is there to ask
    return False
