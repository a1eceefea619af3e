"""Operator module: the manager of an author's module, which is imported and never run.

`MODULE` is a dotted name (found from the current folder, or from `src` in it) or a path to a file. In it, `manager` is
a `kv.Manager`, or `make_manager` a function that returns one; `MODULE:name` names another, of either sort, or a
function that adds controllers to the manager it is given. A module runs its manager below `if __name__ == "__main__"`
alone.

`load` is for looking at it: while it is imported KUBECONFIG names a server that is not there, so that the same comes
out with any cluster or none. `load_to_run` leaves KUBECONFIG as it is.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import inspect
import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any, Final

import msgspec

from konverge.api.object import Object
from konverge.errors import ConfigError, KonvergeError
from konverge.manager.manager import Manager

_NAMES: Final = ("manager", "make_manager")
_NOT_THEIRS: Final = ("<frozen ", importlib.__file__, __file__)  # files of frames between the command and a module
_NOWHERE: Final = """
apiVersion: v1
kind: Config
current-context: nowhere
contexts: [{name: nowhere, context: {cluster: nowhere, user: nobody}}]
clusters: [{name: nowhere, cluster: {server: "https://127.0.0.1:1"}}]
users: [{name: nobody, user: {}}]
"""


class OperatorModule(msgspec.Struct, frozen=True):
    """An author's module and the manager in it."""

    module: ModuleType
    manager: Manager
    command: tuple[str, ...]  # what runs it

    @property
    def name(self) -> str:
        """A name for the operator: that of its outermost package, or of its file."""
        return self.module.__name__.partition(".")[0].strip("_").replace("_", "-").lower()

    def kinds(self) -> dict[tuple[str, str], list[type[Object]]]:
        """Return the classes of its own kinds by group and kind: those it reconciles, and those of its packages."""
        reconciled = [found.access.reconciles for found in self.manager.controllers.values()]
        modules = [self.module.__name__, *(form.cls.__module__ for form in reconciled if form is not None)]
        packages = {name.partition(".")[0] for name in modules} - {"konverge"}
        found: dict[tuple[str, str], list[type[Object]]] = {}
        for cls in _custom_resources(Object):
            if cls.__module__.partition(".")[0] in packages:
                found.setdefault((cls.__resource__.group, cls.__resource__.kind), []).append(cls)
        return dict(sorted(found.items()))


def _custom_resources(cls: type[Object]) -> Iterator[type[Object]]:
    for below in cls.__subclasses__():
        if "__definition__" in below.__dict__:
            yield below
        yield from _custom_resources(below)


def load(target: str) -> OperatorModule:
    """Import `MODULE[:name]` and return its manager, which has not been started."""
    with _no_cluster():
        return load_to_run(target)


def load_to_run(target: str) -> OperatorModule:
    """Do the same with the cluster that the environment names."""
    place, _, name = target.partition(":")
    try:
        with _no_bytecode():
            module, command = _imported(place)
            return OperatorModule(module, _manager_of(module, name), command)
    except SyntaxError as error:
        raise ConfigError(f"{error.filename}, line {error.lineno}: {error.msg}") from error
    except KonvergeError:
        raise
    except Exception as error:
        raise ConfigError(f"{target} cannot be imported: {_own_stack(error)}") from error


def _own_stack(error: Exception) -> str:
    """Return where an author's code failed, without the frames of this command and of Python's imports."""
    found = traceback.TracebackException.from_exception(error)
    own = [frame for frame in found.stack if not frame.filename.startswith(_NOT_THEIRS)]
    found.stack = traceback.StackSummary.from_list(own)
    return "".join(found.format()).rstrip()


@contextmanager
def _no_bytecode() -> Iterator[None]:
    """Leave no bytecode: it is known by a file's size and second of change, which the author's next edit may keep."""
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        yield
    finally:
        sys.dont_write_bytecode = before


@contextmanager
def _no_cluster() -> Iterator[None]:
    before = os.environ.get("KUBECONFIG")
    with TemporaryDirectory() as folder:
        file = Path(folder) / "kubeconfig"
        file.write_text(_NOWHERE, encoding="utf-8")
        os.environ["KUBECONFIG"] = str(file)
        try:
            yield
        finally:
            os.environ.pop("KUBECONFIG")
            if before is not None:
                os.environ["KUBECONFIG"] = before


# --- importing ---


def _imported(place: str) -> tuple[ModuleType, tuple[str, ...]]:
    path = Path(place)
    if path.suffix == ".py":
        return _import_file(path), ("python", path.name)
    for folder in ("src", "."):  # the last one is first in the search
        if (found := str(Path(folder).resolve())) not in sys.path:
            sys.path.insert(0, found)
    return _import_name(place), ("python", "-m", place)


def _import_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise ConfigError(f"{path}: there is no such file")
    _refuse_running(path)
    folder, name = str(path.resolve().parent), path.stem
    if folder not in sys.path:
        sys.path.insert(0, folder)
    if name in sys.modules or name in sys.stdlib_module_names:  # it is called operator.py, for one
        name = f"_{name}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ConfigError(f"{path}: is no Python module")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # where annotations of its classes are looked up
    spec.loader.exec_module(module)
    return module


def _import_name(name: str) -> ModuleType:
    try:
        spec = importlib.util.find_spec(name)
    except (ModuleNotFoundError, ValueError):
        spec = None
    if spec is None:
        raise ConfigError(f"there is no module {name}: name one that can be imported from here, or a file (main.py)")
    if spec.origin and Path(spec.origin).suffix == ".py":
        _refuse_running(Path(spec.origin))
    return importlib.import_module(name)


def _refuse_running(path: Path) -> None:
    """Refuse a module that would run its manager as soon as it is imported."""
    for statement in ast.parse(path.read_bytes(), str(path)).body:
        match statement:
            case ast.Expr(ast.Call(ast.Attribute(attr="run"), args=[], keywords=[])):
                raise ConfigError(
                    f"{path}, line {statement.lineno}: {ast.unparse(statement)} would run when the module is "
                    f'imported: put it below if __name__ == "__main__":'
                )


# --- its manager ---


def _manager_of(module: ModuleType, name: str) -> Manager:
    names = (name,) if name else _NAMES
    found = next((getattr(module, each) for each in names if hasattr(module, each)), None)
    made = _called(found) if callable(found) else found
    if isinstance(made, Manager):
        return made
    raise ConfigError(
        f"{module.__name__}: {' and '.join(names)} gave no kv.Manager: write `manager = kv.Manager(…)` or "
        f"`def make_manager() -> kv.Manager`, or name what there is as in {module.__name__}:operator"
    )


def _called(function: Any) -> Any:
    """Return the manager of a function: what it returns, or what it was given to add to."""
    needed = [
        each
        for each in inspect.signature(function).parameters.values()
        if each.default is each.empty and each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)
    ]
    if not needed:
        return function()
    if len(needed) > 1:
        raise ConfigError(f"{function.__name__} needs more than a manager: write one that needs less")
    manager = Manager()
    function(manager)
    return manager
