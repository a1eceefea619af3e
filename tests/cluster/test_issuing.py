from __future__ import annotations

import ssl
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from konverge.cluster.credentials import Credentials
from konverge.cluster.identity import Identity
from konverge.cluster.issuing import Issue, issue_apart, issue_here
from konverge.errors import ConfigError


def modes(folder: Path) -> set[int]:
    """Return who may do what with the files of a folder."""
    return {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}


@pytest.mark.parametrize("issue", [issue_here, issue_apart])
async def test_both_ways_make_certificates_by_the_authority_of_the_folder(tmp_path: Path, issue: Issue) -> None:
    """The authority is kept, the rest is made anew, and it is fit to serve with."""
    first, second = await issue(tmp_path, "127.0.0.1"), await issue(tmp_path, "127.0.0.1")
    assert first.authority == second.authority == Credentials.of(tmp_path).authority.certificate
    assert first.server != second.server
    assert isinstance(first.tls(), ssl.SSLContext)
    assert modes(tmp_path) == {0o600}
    assert (await issue(None, "127.0.0.1")).authority != first.authority


async def test_what_another_process_cannot_do_is_told_by_this_one(tmp_path: Path) -> None:
    """In the same words as if there had been none."""
    await issue_here(tmp_path, "127.0.0.1")
    (tmp_path / "ca.key").write_text("nonsense")
    with pytest.raises(ConfigError, match=r"ca\.crt and ca\.key cannot be used: .* remove both"):
        await issue_apart(tmp_path, "127.0.0.1")


def test_an_identity_shows_no_key() -> None:
    """It may end in a log; to another process it goes whole."""
    identity = Identity(b"authority", b"server's secret", b"certificate", b"secret")
    assert "secret" not in repr(identity)
    assert Identity.from_bytes(identity.to_bytes()) == identity


def test_a_server_whose_certificates_are_made_apart_does_not_import_what_makes_them(tmp_path: Path) -> None:
    """That is what it is for."""
    code = (
        "import asyncio, sys; from konverge.cluster.embedded import EmbeddedCluster;"
        "from konverge.cluster.issuing import issue_apart\n"
        "async def main():\n"
        "    async with EmbeddedCluster(folder=sys.argv[1], listen=True, issue=issue_apart):\n"
        "        print('cryptography' in sys.modules)\n"
        "asyncio.run(main())"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "data")]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "False\n"
