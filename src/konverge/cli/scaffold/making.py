"""Making: what `konverge init`, `create api` and `create webhook` do: decide the files, write them, wire them."""

from __future__ import annotations

from pathlib import Path

from konverge.cli.scaffold.api_files import api_files, api_wiring, version_files
from konverge.cli.scaffold.kind_name import KindName, whole_group
from konverge.cli.scaffold.project import Project, new_project
from konverge.cli.scaffold.project_files import project_files
from konverge.cli.scaffold.webhook_files import Hooks, webhook_files, webhook_wiring
from konverge.cli.scaffold.writing import MayReplace, Writing
from konverge.errors import ConfigError


def make_project(
    folder: Path, *, name: str | None, domain: str, konverge: str, may_replace: MayReplace | None
) -> Project:
    """Write a new project, with this requirement of konverge, and return it."""
    project = new_project(folder, name=name, domain=domain)
    Writing(folder, may_replace).write(project_files(project, konverge))
    return project


def make_api(
    project: Project,
    *,
    kind: str,
    version: str = "v1",
    group: str | None = None,
    plural: str = "",
    cluster_scoped: bool = False,
    controller: bool = True,
    may_replace: MayReplace | None,
) -> None:
    """Write a kind, or a further version of one that is there."""
    whole = whole_group(project.name if group is None else group, project.domain)
    named = KindName(kind=kind, version=version, group=whole, plural=plural, cluster_scoped=cluster_scoped)
    project.require_class(named.module, kind)
    stored = next(iter(project.versions(named.module)), version)
    if stored == version:
        files = api_files(project, named, controller=controller)
    elif group is not None or plural or cluster_scoped:
        raise ConfigError(f"{kind} is there in {stored}: a further version has the same group, plural and scope")
    else:
        controller, files = False, version_files(project, named, stored)
    writing = Writing(project.folder, may_replace)
    writing.write(files)
    writing.wire(project, api_wiring(project, named, controller=controller))
    writing.end()


def make_webhook(
    project: Project,
    *,
    kind: str,
    version: str | None = None,
    defaulting: bool = False,
    validation: bool = False,
    conversion: bool = False,
    may_replace: MayReplace | None,
) -> None:
    """Write the webhooks of a kind that is there."""
    named = KindName(kind=kind, version=version or "v1")
    project.require_class(named.module, kind)
    versions = project.versions(named.module)
    chosen = version or next(iter(versions), "")
    if chosen not in versions:
        what = f"{kind} {chosen}".rstrip()
        raise ConfigError(f"{project.source}: has no {what}: `konverge create api --kind {kind}` makes it")
    others = tuple(each for each in versions if each != chosen)
    if conversion and not others:
        raise ConfigError(
            f"{kind} has one version, {chosen}, so there is nothing to convert: "
            f"`konverge create api --kind {kind} --version v2` makes another"
        )
    hooks = Hooks(defaulting=defaulting, validation=validation, spokes=others if conversion else ())
    scope = project.declared(named.module, chosen).get("scope")
    named = KindName(kind=kind, version=chosen, cluster_scoped=scope == "Cluster")
    writing = Writing(project.folder, may_replace)
    writing.write(webhook_files(project, named, hooks))
    writing.wire(project, webhook_wiring(project, named))
    writing.end()
