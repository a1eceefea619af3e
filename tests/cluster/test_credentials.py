from __future__ import annotations

import stat
from pathlib import Path

import pytest

from konverge.client.config.config import Config
from konverge.cluster.credentials import Credentials, token_signer
from konverge.cluster.identity import server_url, write_kubeconfig
from konverge.errors import ConfigError


def test_an_authority_is_kept_with_the_data(tmp_path: Path) -> None:
    """So a kubeconfig that was handed out stays good; its files are for their owner alone."""
    first, second = Credentials.of(tmp_path), Credentials.of(tmp_path)
    assert first.authority.certificate == second.authority.certificate
    assert {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()} == {0o600}
    assert Credentials.of(None).authority.certificate != first.authority.certificate


def test_an_authority_that_cannot_be_read_is_reported(tmp_path: Path) -> None:
    """With its file and what follows from removing it."""
    Credentials.of(tmp_path)
    (tmp_path / "ca.key").write_text("nonsense")
    with pytest.raises(ConfigError, match=r"ca\.crt and ca\.key cannot be used: .* remove both"):
        Credentials.of(tmp_path)


def test_a_kubeconfig_is_private_and_may_be_written_again(tmp_path: Path) -> None:
    """It is an administrator's."""
    file = tmp_path / "deep" / "kubeconfig"
    for port in (1, 2):
        write_kubeconfig(file, Credentials.of(None).identity("127.0.0.1").kubeconfig(server_url("127.0.0.1", port)))
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [path.name for path in file.parent.iterdir()] == ["kubeconfig"]
    assert Config.load(file).server == "https://127.0.0.1:2"


@pytest.mark.parametrize("contents", ["clusters: [{name: production}]", "{", "", "clusters: 3", "[]"])
def test_someone_elses_kubeconfig_is_never_replaced(tmp_path: Path, contents: str) -> None:
    """It may be the only copy of their access."""
    file = tmp_path / "config"
    file.write_text(contents)
    with pytest.raises(ConfigError, match="config: is not an embedded cluster's kubeconfig, so it is not replaced"):
        write_kubeconfig(file, b"")
    assert file.read_text() == contents


def test_a_place_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    """With its path."""
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match=f"{tmp_path}/file/kubeconfig: cannot be written"):
        write_kubeconfig(tmp_path / "file" / "kubeconfig", b"")


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("127.0.0.1", "https://127.0.0.1:6443"),
        ("0.0.0.0", "https://127.0.0.1:6443"),
        ("::1", "https://[::1]:6443"),
        ("localhost", "https://localhost:6443"),
    ],
)
def test_the_address_is_one_that_can_be_reached(host: str, url: str) -> None:
    """Every address is none to connect to."""
    assert server_url(host, 6443) == url


def test_the_key_of_tokens_is_kept_in_the_folder(tmp_path: Path) -> None:
    """For its owner alone: a token of one start is good in the next. Without a folder each start has its own."""
    first = token_signer(tmp_path / "data")
    assert (tmp_path / "data" / "tokens.key").stat().st_mode & 0o777 == 0o600
    assert token_signer(tmp_path / "data").verify(b"abc", first.sign(b"abc"))
    assert not token_signer(None).verify(b"abc", first.sign(b"abc"))


def test_a_key_of_tokens_that_is_none_is_named(tmp_path: Path) -> None:
    """With what to do about it, and without what is in it."""
    (tmp_path / "tokens.key").write_text("secret")
    with pytest.raises(ConfigError, match=r"tokens\.key cannot be used: .*remove it") as caught:
        token_signer(tmp_path)
    assert "secret" not in str(caught.value)
