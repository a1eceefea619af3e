"""Project files: what `konverge init` writes."""

from __future__ import annotations

from typing import Final

from konverge.cli.scaffold.project import Project
from konverge.cli.scaffold.template import rendered

_FILES: Final = {
    "pyproject.toml": "pyproject.toml",
    "Makefile": "Makefile",
    "README.md": "README.md",
    "Dockerfile": "Dockerfile",
    ".dockerignore": "dockerignore",
    ".gitignore": "gitignore",
    ".github/workflows/ci.yaml": "ci.yaml",
    "src/{package}/main.py": "main.py",
    "tests/conftest.py": "conftest.py",
    "tests/test_main.py": "test_main.py",
}
_PACKAGES: Final = {
    "": "The {name} operator.",
    "/api": "The kinds of this operator, a package for each version.",
    "/controllers": "What this operator does about its kinds, a module for each.",
    "/webhooks": "What the API server asks this operator before it stores its kinds, a module for each.",
}
# Hatchling refuses a dependency by its place unless it is told that this is meant.
_DIRECT: Final = "\n[tool.hatch.metadata]\nallow-direct-references = true\n"


def project_files(project: Project, konverge: str) -> dict[str, str]:
    """Return the texts of a new project by path; `konverge` is the requirement that it has of konverge."""
    values = {
        "name": project.name,
        "package": project.package,
        "domain": project.domain,
        "konverge": konverge,
        "direct": _DIRECT if " @ " in konverge else "",
    }
    found = {
        path.format(package=project.package): rendered(f"project/{template}", values)
        for path, template in _FILES.items()
    }
    for place, docstring in _PACKAGES.items():
        found[f"src/{project.package}{place}/__init__.py"] = package_text(docstring.format(name=project.name))
    return found


def package_text(docstring: str) -> str:
    """Return the `__init__.py` of a package."""
    return rendered("project/package.py", {"docstring": docstring})
