from __future__ import annotations

import io
import subprocess
import tarfile
from pathlib import Path

from konverge.cluster.node.process.archive_names import named_as_asked


def test_a_mapped_path_is_packed_by_the_name_that_was_asked_for(tmp_path: Path) -> None:
    """Whatever signs its place on this machine has."""
    place = tmp_path / "a.b,c[1]$"
    (place / "sub").mkdir(parents=True)
    (place / "sub" / "file").write_text("x")
    command = named_as_asked(("tar", "cf", "-", "/data&/x"), ("tar", "cf", "-", str(place)), system="linux")
    packed = subprocess.run(command, capture_output=True, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        assert archive.getnames() == ["data&/x", "data&/x/sub", "data&/x/sub/file"]


def test_everything_else_is_left_alone() -> None:
    """Unpacking, other programs, and paths that are where they are."""
    for asked, mapped in (
        (("tar", "-xmf", "-", "-C", "/data"), ("tar", "-xmf", "-", "-C", "/v")),
        (("ls", "/data"), ("ls", "/v")),
        (("tar", "cf", "-", "/tmp/x"), ("tar", "cf", "-", "/tmp/x")),
    ):
        assert named_as_asked(asked, mapped) == mapped


def test_bsdtar_has_a_spelling_of_its_own() -> None:
    """On macOS."""
    command = named_as_asked(("tar", "cf", "-", "/data"), ("tar", "cf", "-", "/v"), system="darwin")
    assert command == ("tar", "cf", "-", "-s", ",^/*v,data,", "/v")
