"""Generate: the files of a package of typed kinds, as a mapping of names to sources."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from konverge.codegen.definition import Definition
from konverge.codegen.emit import GENERATED, WIDTH, emit, note
from konverge.codegen.markers import as_tuple, quoted
from konverge.codegen.values import Module


def sources(modules: Iterable[Module]) -> dict[str, str]:
    """Return the source of each module by its file name."""
    return {f"{module.name}.py": emit(module) for module in modules}


def package() -> str:
    """Return the source of an `__init__.py` for the modules."""
    return f'"""Typed kinds.\n\n{GENERATED}.\n"""\n'


def index(modules: Iterable[Module], definitions: Iterable[Definition]) -> str:
    """Return the source of the index that finds a kind's module without importing it."""
    ordered = list(modules)
    files = {(module.group, module.version): module.name for module in ordered}
    packages = {item.name.rpartition(".")[0]: files[item.group, item.version] for item in definitions}
    lines = [
        f'"""Where each built-in kind lives.\n\n{note(ordered[0].source)}\n"""',
        "",
        "# By group and version: the module, and the kinds in it, which are its classes of the same names.",
        "KINDS: dict[tuple[str, str], tuple[str, tuple[str, ...]]] = {",
        *(line for module in ordered for line in _entry(module)),
        "}",
        "",
        "# The module that holds the classes of a package of the server's schemas.",
        "PACKAGES: dict[str, str] = {",
        *(f"    {quoted(package)}: {quoted(name)}," for package, name in sorted(packages.items())),
        "}",
    ]
    return "\n".join(lines) + "\n"


def _entry(module: Module) -> Iterator[str]:
    kinds = tuple(cls.name for cls in module.kinds)
    yield f"    ({quoted(module.group)}, {quoted(module.version)}): ("
    yield f"        {quoted(module.name)},"
    line = f"        {as_tuple(kinds)},"
    yield from (
        [line]
        if len(line) <= WIDTH
        else ["        (", *(f"            {quoted(kind)}," for kind in kinds), "        ),"]
    )
    yield "    ),"
