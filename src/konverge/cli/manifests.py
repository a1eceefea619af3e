"""`konverge manifests`: an operator's CRDs, roles, Deployment and the rest, made from its code."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from konverge.cli import authored_file
from konverge.cli.models import documents
from konverge.cli.operator_module import OperatorModule, load
from konverge.errors import ConfigError
from konverge.manifest.breaking import breaking_changes
from konverge.manifest.operator import Operator, OwnKind
from konverge.manifest.project import crds, project_files
from konverge.manifest.rules import grants

Json = Mapping[str, Any]
_CRD = "CustomResourceDefinition"


def manifests(
    module: Annotated[
        str, typer.Argument(metavar="MODULE[:manager]", help="The operator: shop.main, src/main.py, main.py:make.")
    ],
    *,
    output: Annotated[Path, typer.Option(metavar="DIR", help="Where the folders are written.")] = Path("config"),
    against: Annotated[
        Path | None,
        typer.Option(
            metavar="OLD", help="Compare with these CRDs (a file or a folder) first; end if stored objects break."
        ),
    ] = None,
    name: Annotated[str | None, typer.Option(help="What names begin with; the package's name unless given.")] = None,
    namespace: Annotated[str | None, typer.Option(help="Where it is to run; NAME-system unless given.")] = None,
    image: Annotated[str, typer.Option(help="The image of the Deployment.")] = "controller:latest",
    force: Annotated[bool, typer.Option("--force", help="Write over files that were edited, too.")] = False,
) -> None:
    """Write what a cluster needs to run an operator.

    The operator is imported, not run: its module has a `manager`, or a `make_manager()` that returns one, and runs it
    below `if __name__ == "__main__"`. A file that was edited is kept, unless you agree to lose the edit.

    Then: kubectl apply --server-side -f config/install.yaml, or kubectl apply -k config/default.
    """
    found = load(module)
    chosen = name or found.name
    operator = describe(found, name=chosen, namespace=namespace or f"{chosen}-system", image=image)
    console = Console(highlight=False, soft_wrap=True)
    if against is not None and (breaks := breaking(against, crds(operator))):
        for line in breaks:
            console.print(line, markup=False)
        raise typer.Exit(1)
    asking = None if force else _ask if sys.stdin.isatty() else _keep
    write(output, project_files(operator), may_replace=asking, console=console)


# --- from a manager to a value ---


def describe(found: OperatorModule, *, name: str, namespace: str, image: str) -> Operator:
    """Return all that the manifests of an operator are made of."""
    manager, election = found.manager, found.manager.leader_election
    accesses = [controller.access for controller in manager.controllers.values()]
    wanted = grants(accesses, namespaces=lambda form: manager.cache.selection_of(form).namespaces)
    return Operator(
        name=name,
        namespace=namespace,
        image=image,
        command=found.command,
        kinds=tuple(OwnKind(tuple(versions)) for versions in found.kinds().values()),
        grants=tuple(wanted),
        lease=election.id if election else "",
        lease_namespace=election.namespace if election else "",
        ports=tuple((name, port) for name, port in manager.ports.items() if port),
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
    read = [each for file in files for each in documents(file)]
    found: dict[str, Json] = {
        each["metadata"]["name"]: each for each in read if isinstance(each, dict) and each.get("kind") == _CRD
    }
    if not found:
        raise ConfigError(f"{place}: there is no CustomResourceDefinition in it to compare with")
    return found


# --- writing ---


def write(
    folder: Path, files: Mapping[str, str], *, may_replace: Callable[[Path], bool] | None, console: Console
) -> None:
    """Write files, but over an author's edit only if allowed (None: always); tell of each that changed or was kept."""
    kept = 0
    for name, text in files.items():
        path = folder / name
        if may_replace is not None and authored_file.is_authored(path) and not may_replace(path):
            kept += 1
            console.print(f"[yellow]kept[/] [bold]{path}[/] [dim]it was edited; --force writes it anew[/]")
        elif authored_file.write(path, text):
            console.print(f"[green]wrote[/] [bold]{path}[/]")
    console.print(f"{len(files) - kept} of {len(files)} files in {folder} are up to date")


def _ask(path: Path) -> bool:
    return typer.confirm(f"{path} was edited. Write it anew?", default=False)


def _keep(path: Path) -> bool:  # noqa: ARG001 - nobody is there to ask
    return False
