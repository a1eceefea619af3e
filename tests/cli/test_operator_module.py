"""Which manager of which module, imported and not run."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import konverge as kv
from konverge.cli.operator_module import load
from konverge.errors import ConfigError

ADDING = """
import konverge as kv
from konverge.models import core_v1

async def reconcile(ctx, request): ...

def add_to(manager):
    kv.new_controller(manager).for_(core_v1.ConfigMap).complete(reconcile)
"""
KIND = """
import konverge as kv

class CartSpec(kv.Spec):
    size: int = 1

@kv.resource(group="carts.konverge.dev", version="{version}", storage={storage}, kind="Cart")
class Cart(kv.CustomResource[CartSpec, None]): ...
"""


@pytest.fixture(autouse=True)
def _own_modules() -> Iterator[None]:
    before, path = set(sys.modules), list(sys.path)
    yield
    for name in set(sys.modules) - before:
        if not name.startswith("konverge"):
            del sys.modules[name]
    sys.path[:] = path


@pytest.mark.parametrize("name", ["manager", "make_manager"])
def test_a_manager_is_found_by_its_name(tmp_path: Path, name: str) -> None:
    """A value, or a function that returns one; without any cluster to connect to."""
    value = "kv.Manager()" if name == "manager" else "kv.Manager"
    (tmp_path / "plain_program.py").write_text(f"import konverge as kv\n{name} = {value}\n")
    before = os.environ.get("KUBECONFIG")
    found = load(str(tmp_path / "plain_program.py"))
    assert isinstance(found.manager, kv.Manager)
    assert (found.name, found.command) == ("plain-program", ("python", "plain_program.py"))
    assert os.environ.get("KUBECONFIG") == before


def test_a_function_may_add_to_a_manager(tmp_path: Path) -> None:
    """Then it is given one."""
    (tmp_path / "adding.py").write_text(ADDING)
    assert list(load(f"{tmp_path / 'adding.py'}:add_to").manager.controllers) == ["configmap"]


def test_a_file_may_be_called_as_a_module_of_python_is(tmp_path: Path) -> None:
    """operator.py is a likely name."""
    (tmp_path / "operator.py").write_text("import konverge as kv\nmanager = kv.Manager()\n")
    assert load(str(tmp_path / "operator.py")).name == "operator"


def test_all_versions_in_a_package_are_kinds_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also those that no controller names; found from `src`."""
    package = tmp_path / "src" / "cart_operator"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "v1.py").write_text(KIND.format(version="v1", storage=True))
    (package / "v2.py").write_text(KIND.format(version="v2", storage=False))
    (package / "main.py").write_text(
        "import konverge as kv\nfrom cart_operator import v1, v2\nmanager = kv.Manager()\n"
    )
    monkeypatch.chdir(tmp_path)
    found = load("cart_operator.main")
    assert (found.name, found.command) == ("cart-operator", ("python", "-m", "cart_operator.main"))
    ((key, classes),) = found.kinds().items()
    assert key == ("carts.konverge.dev", "Cart")
    assert sorted(cls.__resource__.version for cls in classes) == ["v1", "v2"]


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("", "manager and make_manager gave no kv.Manager: write `manager = kv.Manager"),
        ("manager = 1", "gave no kv.Manager"),
        ("def make_manager(a, b): ...", "make_manager needs more than a manager"),
        ("manager = None\nmanager.run()", r"line 2: manager.run\(\) would run when the module is imported"),
    ],
)
def test_a_module_without_a_manager_is_told_what_to_write(tmp_path: Path, source: str, said: str) -> None:
    """Nothing of it runs that would not end."""
    (tmp_path / "wrong_program.py").write_text(source)
    with pytest.raises(ConfigError, match=said):
        load(str(tmp_path / "wrong_program.py"))


@pytest.mark.parametrize(
    ("target", "said"), [("no_such.module", "there is no module no_such.module"), ("gone.py", "there is no such file")]
)
def test_a_module_that_is_not_there_is_named(target: str, said: str) -> None:
    """By what was asked for."""
    with pytest.raises(ConfigError, match=said):
        load(target)


def test_what_fails_in_a_module_is_shown_from_there_on(tmp_path: Path) -> None:
    """The author's lines and the error; how this command came to import them is left out."""
    (tmp_path / "failing_part.py").write_text("def size():\n    return {}['size']\n")
    (tmp_path / "failing_operator.py").write_text("import failing_part\nfailing_part.size()\n")
    with pytest.raises(ConfigError) as error:
        load(str(tmp_path / "failing_operator.py"))
    said = str(error.value).splitlines()
    assert said[0] == f"{tmp_path}/failing_operator.py cannot be imported: Traceback (most recent call last):"
    assert [line.strip() for line in said if line.startswith("  File ")] == [
        f'File "{tmp_path}/failing_operator.py", line 2, in <module>',
        f'File "{tmp_path}/failing_part.py", line 2, in size',
    ]
    assert said[-1] == "KeyError: 'size'"


def test_what_fails_in_a_function_is_shown_the_same_way(tmp_path: Path) -> None:
    """It is called by us, and its fault is its own."""
    (tmp_path / "late_failure.py").write_text("def make_manager():\n    return 1 / 0\n")
    with pytest.raises(ConfigError, match=r"line 2, in make_manager(.|\n)*ZeroDivisionError: division by zero$"):
        load(str(tmp_path / "late_failure.py"))
