"""How a new project depends on konverge."""

from __future__ import annotations

from pathlib import Path

import pytest

from konverge.cli.scaffold.requirement import installed_from, requirement
from konverge.errors import ConfigError

ROOT = Path(__file__).resolve().parents[3]


def test_a_version_or_a_checkout_may_be_named() -> None:
    """A release is pinned; a checkout is named by its place."""
    assert requirement("0.1.0") == "konverge==0.1.0"
    assert requirement(str(ROOT)) == f"konverge @ {ROOT.as_uri()}"


def test_by_default_it_is_what_is_installed_here() -> None:
    """In a checkout that is the checkout."""
    assert installed_from() == ROOT
    assert requirement(None) == f"konverge @ {ROOT.as_uri()}"


def test_anything_else_is_refused(tmp_path: Path) -> None:
    """With both that it could be."""
    with pytest.raises(ConfigError, match="is neither a version, such as"):
        requirement(str(tmp_path))
