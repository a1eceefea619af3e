"""What `import konverge` gives, and what it must not load."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import konverge


def test_every_public_name_is_there() -> None:
    """Each name in `__all__` can be imported, and is what its home calls by that name."""
    for name in konverge.__all__:
        assert getattr(konverge, name) is not None
    assert dir(konverge) == sorted(konverge.__all__)


def test_the_names_for_type_checkers_are_the_names_at_run_time() -> None:
    """The façade says each name three times (for type checkers, at run time, in `__all__`), and alike."""
    tree = ast.parse(Path(konverge.__file__).read_text())
    block = next(node for node in tree.body if isinstance(node, ast.If))
    homes = {
        alias.name: node.module.removeprefix("konverge.")
        for node in block.body
        if isinstance(node, ast.ImportFrom) and node.module != "konverge" and node.module
        for alias in node.names
    }
    assert homes == konverge._HOME_OF
    assert {*homes, "errors", "__version__"} == set(konverge.__all__)


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    """A misspelt name fails as it does in any module; mypy sees it too, or the comment below would be one too many."""
    with pytest.raises(AttributeError, match="has no attribute 'Cilent'"):
        konverge.Cilent  # type: ignore[attr-defined]  # noqa: B018 - the access is the point


def test_the_version_is_the_package_version() -> None:
    """The version that is imported is the one that is installed."""
    from importlib.metadata import version  # noqa: PLC0415 - of interest here alone

    assert konverge.__version__ == version("konverge")


def test_importing_konverge_loads_no_models_and_nothing_of_testing() -> None:
    """The generated kinds cost memory and time, so only who uses one pays for it."""
    code = (
        "import sys, konverge; print([n for n in sys.modules if n.startswith(('konverge.models', 'konverge.testing'))])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_a_plain_controller_loads_only_what_it_needs() -> None:
    """Start-up is a large part of a small controller's cost: what waits for its first use stays away until then."""
    absent = (
        "cryptography",  # certificates: the webhook server's, and tests'
        "http.server",  # the endpoints', where one is bound
        "konverge.client.blocking",  # a plain def reconciler's
        "konverge.models.core_v1",  # the first recorded event's
        "konverge.testing",
        "opentelemetry",  # the application's, once it has set it up
        "prometheus_client",  # the first scrape's
        "rich",
        "typer",
    )
    code = (
        "import sys, konverge as kv\n"
        "from konverge.api.object import Object\n"
        "manager = kv.Manager(kv.Config(server='https://127.0.0.1:1'), metrics_address=None)\n"
        "class Widget(Object):\n"
        "    __resource__ = kv.Resource(group='shop', version='v1', kind='Widget', plural='widgets', namespaced=True)\n"
        "async def reconcile(ctx, request): ...\n"
        "kv.new_controller(manager).for_(Widget).complete(reconcile)\n"
        f"print([name for name in {absent!r} if name in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
