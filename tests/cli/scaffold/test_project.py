"""Which project a command works in."""

from __future__ import annotations

from pathlib import Path

import pytest

from konverge.cli.scaffold.project import new_project, project_of, settings_of
from konverge.errors import ConfigError


def test_a_project_is_named_as_its_folder(tmp_path: Path) -> None:
    """With what a package's name needs."""
    project = new_project(tmp_path / "My_Shop", name=None, domain="example.com")
    assert (project.name, project.package, project.main) == ("my-shop", "my_shop", "my_shop.main")


@pytest.mark.parametrize(
    ("name", "domain", "said"),
    [
        ("Shop!", "example.com", "'Shop!' cannot be an operator's name: give --name"),
        ("a" * 33, "example.com", "up to 32 of a-z"),
        ("shop", "no domain", "'no domain' is no domain"),
        ("asyncio", "example.com", "a package asyncio would hide Python's"),
        ("konverge", "example.com", "give another --name"),
        ("class", "example.com", "give another --name"),
        ("pytest", "example.com", "give another --name"),
    ],
)
def test_a_name_that_cannot_work_is_refused(tmp_path: Path, name: str, domain: str, said: str) -> None:
    """Before anything is written."""
    with pytest.raises(ConfigError) as error:
        new_project(tmp_path, name=name, domain=domain)
    assert said in str(error.value)


def test_a_project_is_read_from_its_file(tmp_path: Path) -> None:
    """Its main module may have been moved."""
    (tmp_path / "pyproject.toml").write_text(
        '[project]\nname = "shop"\n[tool.konverge]\ndomain = "example.com"\nmain = "other.run.main"\n'
    )
    project = project_of(tmp_path)
    assert (project.name, project.package, project.main) == ("shop", "other", "other.run.main")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "is no konverge project's"),
        ("[project]\n", "is no konverge project's"),
        ("[tool.konverge]\n", "[tool.konverge] needs domain"),
        ("[tool", "cannot be read"),
    ],
)
def test_a_folder_that_is_no_project_says_so(tmp_path: Path, text: str | None, said: str) -> None:
    """With the file, and what would make it one."""
    if text is not None:
        (tmp_path / "pyproject.toml").write_text(text)
    with pytest.raises(ConfigError) as error:
        project_of(tmp_path)
    assert said in str(error.value)
    assert "pyproject.toml" in str(error.value)


def test_settings_are_none_without_a_table(tmp_path: Path) -> None:
    """Commands that can do without a project ask this."""
    assert settings_of(tmp_path) is None
    assert settings_of(tmp_path / "absent") is None


def test_the_stored_version_comes_first(tmp_path: Path) -> None:
    """Whatever the others are called; a file that is broken is named."""
    project = new_project(tmp_path, name="shop", domain="example.com")
    for version, storage in (("v1", "False"), ("v1beta1", "True"), ("v2", "False")):
        (project.source / "api" / version).mkdir(parents=True)
        text = f'@kv.resource(version="{version}", storage={storage})\nclass Cart: ...\n'
        (project.source / "api" / version / "cart.py").write_text(text)
    assert project.versions("cart") == ("v1beta1", "v1", "v2")
    assert project.versions("absent") == ()
    (project.source / "api" / "v2" / "cart.py").write_text("class (\n")
    with pytest.raises(ConfigError, match=r"v2/cart\.py, line 1"):
        project.versions("cart")
