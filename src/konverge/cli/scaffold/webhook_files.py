"""Webhook files: what `konverge create webhook` writes for a kind, and the lines that it adds to `main.py`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import msgspec

from konverge.cli.scaffold.kind_name import KindName
from konverge.cli.scaffold.main_module import Import, Wiring
from konverge.cli.scaffold.project import Project
from konverge.cli.scaffold.template import rendered

_LONGEST: Final = "LONGEST_NAME = 52  # names of what is made for it are longer, and the values of labels end at 63"


class Hooks(msgspec.Struct, frozen=True, kw_only=True):
    """Which webhooks a kind is to have."""

    defaulting: bool = False
    validation: bool = False
    spokes: tuple[str, ...] = ()  # the versions that are converted; none: no conversion

    def parts(self) -> Iterator[str]:
        """Return the parts that have templates of their own."""
        for name, wanted in (("defaulting", self.defaulting), ("validation", self.validation)):
            if wanted:
                yield name


def webhook_files(project: Project, kind: KindName, hooks: Hooks) -> dict[str, str]:
    """Return the texts by path."""
    values = {"package": project.package, "name": project.name, **kind.values()}
    folder = f"src/{project.package}/webhooks"
    found = {
        f"{folder}/{kind.module}.py": _webhooks(kind, hooks, values),
        f"tests/test_{kind.module}_webhooks.py": _tests(kind, hooks, values),
    }
    if hooks.spokes:
        found[f"{folder}/{kind.module}_conversion.py"] = _conversion(kind, hooks, values)
    return found


def webhook_wiring(project: Project, kind: KindName) -> Wiring:
    """Return what `main.py` has to say of it."""
    call = f"add_{kind.module}_webhooks"
    return Wiring((Import(f"{project.package}.webhooks.{kind.module}", call),), calls=(call,))


# --- handlers ---


def _webhooks(kind: KindName, hooks: Hooks, values: dict[str, str]) -> str:
    imports = ["", _kind_import(values, kind.version)]
    calls = []
    if hooks.spokes:
        imports.append("from {package}.webhooks.{module}_conversion import SPOKES".format_map(values))
    if hooks.validation:
        imports += ["", _LONGEST]
    if hooks.defaulting:
        calls.append(f"    webhooks.with_defaulter({kind.kind}Defaults())")
    if hooks.validation:
        calls.append(f"    webhooks.with_validator({kind.kind}Validator())")
    if hooks.spokes:
        calls.append("    webhooks.with_conversion(*SPOKES)")
    handlers = "".join(rendered(f"webhook/{part}.py", values) for part in hooks.parts())
    lines = {"imports": "\n".join(imports), "calls": "\n".join(calls), "handlers": handlers}
    return rendered("webhook/webhooks.py", {**values, **lines})


def _kind_import(values: dict[str, str], version: str, *, alias: bool = False) -> str:
    line = f"from {values['package']}.api.{version}.{values['module']} import {values['kind']}"
    return f"{line} as {_spoke(values, version)}" if alias else line


def _spoke(values: dict[str, str], version: str) -> str:
    return f"{values['kind']}{version.capitalize()}"


# --- conversion ---


def _conversion(kind: KindName, hooks: Hooks, values: dict[str, str]) -> str:
    lines = {version: _kind_import(values, version, alias=version != kind.version) for version in _sorted(kind, hooks)}
    functions = (_functions(values, version) for version in hooks.spokes)
    spokes = (
        f"    kv.Spoke({_spoke(values, version)}, to_hub=from_{version}, from_hub=to_{version}),"
        for version in hooks.spokes
    )
    return rendered(
        "webhook/conversion.py",
        {
            **values,
            "imports": "\n".join(lines.values()),
            "functions": "\n\n".join(functions),
            "spokes": "\n".join(spokes),
        },
    )


def _sorted(kind: KindName, hooks: Hooks) -> list[str]:
    return sorted((kind.version, *hooks.spokes))


def _functions(values: dict[str, str], version: str) -> str:
    spoke = _spoke(values, version)
    return rendered("webhook/functions.py", {**values, "spoke": spoke, "spoke_version": version})


# --- tests ---


def _tests(kind: KindName, hooks: Hooks, values: dict[str, str]) -> str:
    values = {**values, "spoke_classes": ", ".join(_spoke(values, version) for version in hooks.spokes)}
    parts = [*hooks.parts(), *(["conversion"] if hooks.spokes else [])]
    tests = "".join(rendered(f"webhook/test_{part}.py", values) for part in parts)
    imports = "\n".join(_test_imports(kind, hooks, values))
    return rendered("webhook/test_webhooks.py", {**values, "imports": imports, "tests": tests.rstrip("\n")})


def _test_imports(kind: KindName, hooks: Hooks, values: dict[str, str]) -> Iterator[str]:
    if hooks.validation or hooks.spokes:
        yield "import pytest"
    if hooks.validation:
        yield "from konverge.errors import Invalid"
    yield ""
    for version in _sorted(kind, hooks):
        yield _kind_import(values, version, alias=version != kind.version)
    if hooks.validation:
        yield "from {package}.webhooks.{module} import LONGEST_NAME".format_map(values)
