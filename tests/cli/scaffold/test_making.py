"""What cannot be made is refused, with the command that would help."""

from __future__ import annotations

from pathlib import Path

import pytest

from konverge.cli.scaffold.making import make_api, make_project, make_webhook
from konverge.cli.scaffold.project import Project
from konverge.errors import ConfigError


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A project with one kind."""
    made = make_project(tmp_path, name="shop", domain="example.com", konverge="konverge==0.1.0", may_replace=None)
    make_api(made, kind="Cart", may_replace=None)
    return made


def main_of(project: Project) -> str:
    """Return the text of its main module."""
    return (project.source / "main.py").read_text(encoding="utf-8")


def test_webhooks_need_a_kind(project: Project) -> None:
    """Which `create api` makes."""
    with pytest.raises(ConfigError, match="has no Order: `konverge create api --kind Order` makes it"):
        make_webhook(project, kind="Order", validation=True, may_replace=None)
    with pytest.raises(ConfigError, match="has no Cart v2: "):
        make_webhook(project, kind="Cart", version="v2", validation=True, may_replace=None)


def test_a_conversion_needs_another_version(project: Project) -> None:
    """Which `create api` makes, too."""
    with pytest.raises(ConfigError, match="`konverge create api --kind Cart --version v2` makes another"):
        make_webhook(project, kind="Cart", conversion=True, may_replace=None)


def test_a_further_version_has_the_same_group(project: Project) -> None:
    """It begins as a copy of the stored one, without a controller of its own."""
    with pytest.raises(ConfigError, match="a further version has the same group, plural and scope"):
        make_api(project, kind="Cart", version="v2", group="other", may_replace=None)
    make_api(project, kind="Cart", version="v2", may_replace=None)
    assert project.declared("cart", "v2") == {"group": "shop.example.com", "version": "v2", "storage": False}
    assert main_of(project).count("controller(manager)") == 1
    assert "    CartV1,\n    CartV2,\n]" in main_of(project)


def test_the_same_again_changes_nothing(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    """The files are as they would be written, and the command says so."""
    before = main_of(project)
    capsys.readouterr()
    make_api(project, kind="Cart", may_replace=None)
    assert main_of(project) == before
    assert capsys.readouterr().out == "all of it is there already\n"


def test_two_kinds_cannot_share_a_module(project: Project) -> None:
    """A further version of CART would be a copy of Cart, and its webhooks would be asked about Cart."""
    with pytest.raises(ConfigError, match=r"api/v1/cart\.py: has no class CART, so it is another kind's"):
        make_api(project, kind="CART", version="v2", may_replace=None)
    with pytest.raises(ConfigError, match="has no class CART"):
        make_webhook(project, kind="CART", validation=True, may_replace=None)
