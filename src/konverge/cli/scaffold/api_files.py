"""API files: what `konverge create api` writes for a version of a kind, and the lines that it adds to `main.py`."""

from __future__ import annotations

from collections.abc import Iterator

from konverge.cli.scaffold.declared_kind import further_version
from konverge.cli.scaffold.kind_name import KindName
from konverge.cli.scaffold.main_module import Import, Wiring
from konverge.cli.scaffold.project import Project
from konverge.cli.scaffold.project_files import package_text
from konverge.cli.scaffold.template import rendered


def api_files(project: Project, kind: KindName, *, controller: bool) -> dict[str, str]:
    """Return the texts of a new kind by path."""
    values = {"package": project.package, **kind.values(), "options": "\n".join(_options(kind))}
    source = f"src/{project.package}"
    found = _types(project, kind, rendered("api/kind.py", values))
    if controller:
        found[f"{source}/controllers/{kind.module}.py"] = rendered("api/controller.py", values)
        found[f"tests/test_{kind.module}.py"] = rendered("api/test_controller.py", values)
    return found


def version_files(project: Project, kind: KindName, stored: str) -> dict[str, str]:
    """Return the texts of a further version of a kind, which begins as a copy of the one that is stored."""
    return _types(project, kind, further_version(project.types(kind.module, stored), kind.version))


def _types(project: Project, kind: KindName, text: str) -> dict[str, str]:
    folder = f"src/{project.package}/api/{kind.version}"
    found = {f"{folder}/{kind.module}.py": text}
    if not (project.folder / folder / "__init__.py").exists():
        found[f"{folder}/__init__.py"] = package_text(f"The kinds of version {kind.version}.")
    return found


def _options(kind: KindName) -> Iterator[str]:
    yield f'    group="{kind.group}",'
    yield f'    version="{kind.version}",'
    if kind.plural:
        yield f'    plural="{kind.plural}",'
    if kind.cluster_scoped:
        yield '    scope="Cluster",'
    yield "    storage=True,"


def api_wiring(project: Project, kind: KindName, *, controller: bool) -> Wiring:
    """Return what `main.py` has to say of it."""
    alias = f"{kind.kind}{kind.version.capitalize()}"
    imports = [Import(f"{project.package}.api.{kind.version}.{kind.module}", kind.kind, alias)]
    calls = []
    if controller:
        calls.append(f"add_{kind.module}_controller")
        imports.append(Import(f"{project.package}.controllers.{kind.module}", calls[0]))
    return Wiring(tuple(imports), kinds=(alias,), calls=tuple(calls))
