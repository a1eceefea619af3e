from __future__ import annotations

import logging
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from konverge.client.config import TokenFile, load
from konverge.errors import ConfigError


def rewrite_unseen(path: Path, text: str) -> None:
    """Write in place, so that time, size and inode stay as they were: the worst a rotation can do."""
    before = path.stat()
    path.write_text(text)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


async def test_a_changed_file_is_read_at_once(tmp_path: Path) -> None:
    """The kubelet replaces the file; the next request has the new token."""
    path = tmp_path / "token"
    path.write_text("one\n")
    credentials = TokenFile(path)
    assert await credentials.authorization() == "Bearer one"
    (tmp_path / "new").write_text("two\n")
    (tmp_path / "new").replace(path)
    assert await credentials.authorization() == "Bearer two"
    assert await credentials.client_certificate() is None


def test_an_unseen_change_is_read_after_ten_seconds(tmp_path: Path, run_with_jumps: Callable[..., None]) -> None:
    """A rewrite that looks unchanged from outside is found by age."""
    path = tmp_path / "token"
    path.write_text("one")

    async def main(jump: Callable[[float], None]) -> None:
        credentials = TokenFile(path)
        assert await credentials.authorization() == "Bearer one"
        rewrite_unseen(path, "two")
        jump(5)
        assert await credentials.authorization() == "Bearer one"
        jump(10)
        assert await credentials.authorization() == "Bearer two"

    run_with_jumps(main)


async def test_a_refused_token_is_read_again(tmp_path: Path) -> None:
    """After a 401 the file is read, unless the refused token is an old one already."""
    path = tmp_path / "token"
    path.write_text("one")
    credentials = TokenFile(path)
    await credentials.authorization()
    rewrite_unseen(path, "two")
    credentials.invalidate("Bearer older")
    assert await credentials.authorization() == "Bearer one"
    credentials.invalidate("Bearer one")
    assert await credentials.authorization() == "Bearer two"
    rewrite_unseen(path, "six")
    credentials.invalidate()
    assert await credentials.authorization() == "Bearer six"


async def test_a_token_outlives_its_file(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """While the file is gone the last token serves, which is told once."""
    path = tmp_path / "token"
    path.write_text("one")
    credentials = TokenFile(path)
    await credentials.authorization()
    path.unlink()
    with caplog.at_level(logging.WARNING):
        assert [await credentials.authorization() for _ in range(3)] == ["Bearer one"] * 3
    assert [record.getMessage() for record in caplog.records] == [
        f"token file {path} cannot be read: No such file or directory; the last known token stays in use"
    ]
    path.write_text("two")
    assert await credentials.authorization() == "Bearer two"


@pytest.mark.parametrize(
    ("content", "message"),
    [(None, "No such file"), (b"", "is empty"), (b"\xff\xfe", "is not text"), (b"s3cr3t\ns3cr3t", "cannot be sent")],
)
async def test_an_unusable_file_is_named(tmp_path: Path, content: bytes | None, message: str) -> None:
    """The error has the path and the reason, and not the token."""
    path = tmp_path / "token"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ConfigError, match=f"token file {path} .*{message}") as caught:
        await TokenFile(path).authorization()
    assert "s3cr3t" not in str(caught.value)
    assert repr(TokenFile(path)) == f"TokenFile({str(path)!r})"


async def test_a_token_beside_a_token_file_is_the_fallback(tmp_path: Path, kubeconfig: Callable[..., Path]) -> None:
    """As in client-go the file wins as soon as it can be read."""
    config = load(kubeconfig(user={"token": "given", "tokenFile": "token"}), env={})
    assert await config.credentials.authorization() == "Bearer given"
    (tmp_path / "token").write_text("of-the-file")
    assert await config.credentials.authorization() == "Bearer of-the-file"
