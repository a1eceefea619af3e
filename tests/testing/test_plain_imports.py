from __future__ import annotations

import sys
from importlib.machinery import SourceFileLoader

import konverge.queue.queue as loaded
from konverge.testing.plain_imports import PlainImports, install


def test_pytest_leaves_konverge_as_it_is() -> None:
    """Modules are loaded by Python's own loader, not parsed and rewritten."""
    assert loaded.__spec__ is not None
    assert type(loaded.__spec__.loader) is SourceFileLoader


def test_it_is_asked_once() -> None:
    """Installing it twice changes nothing."""
    install()
    assert sum(isinstance(finder, PlainImports) for finder in sys.meta_path) == 1


def test_others_are_not_its_business() -> None:
    """Modules of other packages are found as ever."""
    assert PlainImports().find_spec("json", None) is None
    assert PlainImports().find_spec("konvergence", None) is None
