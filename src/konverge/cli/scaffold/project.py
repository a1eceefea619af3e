"""Project: the operator's project that a command works in: its name, its package and the domain of its groups.

`konverge init` writes them to `pyproject.toml`, from where every other command reads them.
"""

from __future__ import annotations

import keyword
import re
import sys
import tomllib
from pathlib import Path
from typing import Any, Final

import msgspec

from konverge.cli.scaffold.declared_kind import class_names, declared
from konverge.errors import ConfigError

FILE: Final = "pyproject.toml"
_NAME: Final = re.compile(r"[a-z]([-a-z0-9]{0,30}[a-z0-9])?")  # with all that manifests put behind it, still a label
_DOMAIN: Final = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
# Packages that the project needs by these names, for itself or for what it depends on.
_TAKEN: Final = (
    "aiohttp",
    "cryptography",
    "hatchling",
    "konverge",
    "msgspec",
    "mypy",
    "prometheus_client",
    "pytest",
    "pytest_asyncio",
    "rich",
    "ruff",
    "src",
    "test",
    "tests",
    "typer",
    "yaml",
)


class Project(msgspec.Struct, frozen=True, kw_only=True):
    """An operator's project."""

    folder: Path
    name: str
    domain: str
    main: str  # the module with its manager

    @property
    def package(self) -> str:
        """The package that its code is in."""
        return self.main.partition(".")[0]

    @property
    def source(self) -> Path:
        """The folder of that package."""
        return self.folder / "src" / self.package

    def versions(self, module: str) -> tuple[str, ...]:
        """Return the versions that a kind has, told by the files of its types; the one that is stored comes first."""
        found = sorted(path.parent.name for path in (self.source / "api").glob(f"*/{module}.py"))
        return tuple(sorted(found, key=lambda version: self.declared(module, version).get("storage") is False))

    def types(self, module: str, version: str) -> str:
        """Return the text of a kind's types."""
        return (self.source / "api" / version / f"{module}.py").read_text(encoding="utf-8")

    def require_class(self, module: str, kind: str) -> None:
        """Refuse a kind whose modules would be another's: Cart and CART are both in cart.py."""
        for version in self.versions(module):
            path = self.source / "api" / version / f"{module}.py"
            if kind not in class_names(self.types(module, version)):
                raise ConfigError(f"{path}: has no class {kind}, so it is another kind's: choose another --kind")

    def declared(self, module: str, version: str) -> dict[str, object]:
        """Return what a kind's types say of it to Kubernetes."""
        try:
            return declared(self.types(module, version))
        except SyntaxError as error:
            raise ConfigError(f"{self.source}/api/{version}/{module}.py, line {error.lineno}: {error.msg}") from error


def new_project(folder: Path, *, name: str | None, domain: str) -> Project:
    """Return the project that is to be made in a folder, named as that is unless a name is given."""
    chosen = name or folder.resolve().name.lower().replace("_", "-")
    if not _NAME.fullmatch(chosen):
        raise ConfigError(f"{chosen!r} cannot be an operator's name: give --name, up to 32 of a-z, 0-9 and -")
    if not _DOMAIN.fullmatch(domain):
        raise ConfigError(f"{domain!r} is no domain: groups of kinds end in it, as in --domain example.com")
    package = chosen.replace("-", "_")
    if keyword.iskeyword(package) or package in sys.stdlib_module_names or package in _TAKEN:
        raise ConfigError(f"a package {package} would hide Python's, or another's, of that name: give another --name")
    return Project(folder=folder, name=chosen, domain=domain, main=f"{package}.main")


def project_of(folder: Path) -> Project:
    """Return the project whose folder this is; a ConfigError says what is missing."""
    found = settings_of(folder)
    if found is None:
        raise ConfigError(
            f"{folder / FILE}: is no konverge project's: call this in one's folder, or `konverge init` first"
        )
    try:
        return Project(folder=folder, name=found["name"], domain=found["domain"], main=found["main"])
    except (KeyError, TypeError) as error:
        raise ConfigError(
            f'{folder / FILE}: [tool.konverge] needs domain = "example.com" and main = "shop.main"'
        ) from error


def settings_of(folder: Path) -> dict[str, Any] | None:
    """Return what `[tool.konverge]` says, with the project's name; None where there is no such table."""
    try:
        found = tomllib.loads((folder / FILE).read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        raise ConfigError(f"{folder / FILE}: cannot be read: {error}") from error
    own = found.get("tool", {}).get("konverge")
    return None if own is None else {"name": found.get("project", {}).get("name"), **own}


def module_of_project(folder: Path, command: str) -> str:
    """Return the module that a command works on where none is named: that of the folder's project."""
    found = settings_of(folder)
    if found is None or not isinstance(found.get("main"), str):
        raise ConfigError(
            f"say which operator, as in `konverge {command} shop.main` or `konverge {command} main.py`: this folder "
            "has no pyproject.toml with [tool.konverge] main"
        )
    return str(found["main"])
