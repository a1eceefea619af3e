"""The context in the user's own kubeconfig."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import Any

import pytest
import yaml

from konverge.cli.user_kubeconfig import add_context, remove_context, require_free_name, user_kubeconfig
from konverge.client.config import Config
from konverge.errors import ConfigError

OWN = """\
apiVersion: v1
kind: Config
clusters: [{name: konverge, cluster: {server: 'https://127.0.0.1:1'}}]
users: [{name: konverge, user: {token: t}}]
contexts: [{name: konverge, context: {cluster: konverge, user: konverge}}]
current-context: konverge
"""
THEIRS = """\
apiVersion: v1
kind: Config
clusters: [{name: prod, cluster: {server: 'https://prod', insecure-skip-tls-verify: true}}]
users: [{name: ann, user: {auth-provider: {name: x, config: {expiry: 2026-01-01T00:00:00Z}}}}]
contexts: [{name: prod, context: {cluster: prod, user: ann}}]
current-context: prod
preferences: {colors: true}
"""


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """The kubeconfig that a cluster writes for itself."""
    (tmp_path / "own").write_text(OWN)
    return tmp_path / "own"


def parsed(path: Path) -> Any:
    """Return what stands in a file, moments as texts."""
    return yaml.load(path.read_text(), yaml.BaseLoader)


def test_a_context_comes_and_goes_and_all_else_stays(tmp_path: Path, own: Path) -> None:
    """The current context is the user's choice; moments and booleans are written as they were."""
    path = tmp_path / "config"
    path.write_text(THEIRS)
    add_context(path, own)
    found = parsed(path)
    assert [each["name"] for each in found["clusters"]] == ["prod", "konverge"]
    assert found["current-context"] == "prod"
    assert Config.load(path, context="konverge").server == "https://127.0.0.1:1"
    add_context(path, own)
    assert parsed(path) == found
    remove_context(path, "https://127.0.0.1:2")
    assert parsed(path) == found
    remove_context(path, "https://127.0.0.1:1")
    assert parsed(path) == parsed_text(THEIRS)
    assert not path.with_name("config.lock").exists()


def parsed_text(text: str) -> Any:
    """Return what stands in a text, moments as texts."""
    return yaml.load(text, yaml.BaseLoader)


def test_a_file_that_is_not_there_is_made(tmp_path: Path, own: Path) -> None:
    """For its owner alone, and with the context as the current one."""
    path = tmp_path / ".kube" / "config"
    add_context(path, own)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert Config.load(path).server == "https://127.0.0.1:1"
    remove_context(path, "https://127.0.0.1:1")
    assert parsed(path)["current-context"] == ""


def test_a_link_stays_a_link(tmp_path: Path, own: Path) -> None:
    """Who keeps the file elsewhere has the context there."""
    (tmp_path / "kept").write_text(THEIRS)
    link = tmp_path / "config"
    link.symlink_to(tmp_path / "kept")
    add_context(link, own)
    assert link.is_symlink()
    assert "konverge" in (tmp_path / "kept").read_text()


@pytest.mark.parametrize("kind", ["cluster", "user", "context"])
def test_what_somebody_else_named_so_is_never_replaced(tmp_path: Path, own: Path, kind: str) -> None:
    """It may be the only copy of someone's access."""
    path = tmp_path / "config"
    text = f"{kind}s: [{{name: konverge, {kind}: {{}}}}]\n"
    path.write_text(text)
    for refused in (require_free_name, add_context):
        with pytest.raises(ConfigError, match=f"has a {kind} named konverge that `konverge up` did not add"):
            refused(path, own)
    assert path.read_text() == text


@pytest.mark.parametrize(
    ("text", "words"), [("a: [", "is no YAML"), ("- a", "is no kubeconfig"), ("token: {secret", "is no YAML")]
)
def test_a_file_that_is_no_kubeconfig_is_left_alone(tmp_path: Path, own: Path, text: str, words: str) -> None:
    """And nothing of it is told, since it may be secret."""
    path = tmp_path / "config"
    path.write_text(text)
    with pytest.raises(ConfigError, match=words) as refusal:
        add_context(path, own)
    assert "secret" not in str(refusal.value)
    assert path.read_text() == text


def test_a_program_that_writes_it_now_is_not_disturbed(tmp_path: Path, own: Path) -> None:
    """The lock is kubectl's own."""
    path = tmp_path / "config"
    path.with_name("config.lock").touch()
    with pytest.raises(ConfigError, match=r"another program is changing it; try again, or remove .*config\.lock"):
        add_context(path, own)
    assert not path.exists()


def test_the_own_kubeconfig_has_the_context_already(own: Path) -> None:
    """As in a shell that uses it."""
    require_free_name(own, own)
    add_context(own, own)
    remove_context(own, "https://127.0.0.1:1")
    assert own.read_text() == OWN


def test_the_file_is_the_one_that_kubectl_would_write(tmp_path: Path) -> None:
    """The first that is there, else the last that is named, else the one in the home folder."""
    there = tmp_path / "there"
    there.touch()
    assert user_kubeconfig({"HOME": "/home/ann"}) == Path("/home/ann/.kube/config")
    assert user_kubeconfig({"KUBECONFIG": f"/nowhere:{there}:/last"}) == there
    assert user_kubeconfig({"KUBECONFIG": "/nowhere::/last"}) == Path("/last")
