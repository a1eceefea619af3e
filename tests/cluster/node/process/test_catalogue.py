from __future__ import annotations

from pathlib import Path

import pytest

from konverge.cluster.node.process import Catalogue, Image
from konverge.errors import ConfigError


def test_a_name_is_found_however_it_is_written() -> None:
    """The registry and the tag that are meant where none is written make no difference."""
    catalogue = Catalogue({"nginx": ["nginx"], "example.com/web:1": ["web"]})
    for name in ("nginx", "nginx:latest", "docker.io/library/nginx", "docker.io/library/nginx:latest"):
        assert catalogue.find(name) == Image(command=("nginx",))
    assert catalogue.find("example.com/web:1") == Image(command=("web",))
    assert catalogue.find("nginx:1") is None
    assert catalogue.find("example.com:5000/nginx") is None


def test_patterns_come_after_names() -> None:
    """A pattern is for what nobody named; the first one that fits is taken."""
    catalogue = Catalogue({"web:*": ["any"], "*:2": ["two"], "web:2": ["named"]})
    assert Catalogue({"*": ["all"]}).find("example.com/web:1") == Image(command=("all",))
    assert [catalogue.find(name) for name in ("web:2", "web:3", "api:2")] == [
        Image(command=("named",)),
        Image(command=("any",)),
        Image(command=("two",)),
    ]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("images.yaml", "images:\n  web:1: {command: [./web, '{ip}'], env: {A: b}, folder: work}\n"),
        ("images.toml", '[images."web:1"]\ncommand = ["./web", "{ip}"]\nenv = {A = "b"}\nfolder = "work"\n'),
    ],
)
def test_a_file(tmp_path: Path, name: str, text: str) -> None:
    """Relative places count from the file's folder, and placeholders are the pod's."""
    path = tmp_path / name
    path.write_text(text)
    found = Catalogue.load(path).find("web:1")
    assert found is not None
    filled = found.filled({"ip": "127.0.0.9"})
    assert filled.command == (str(tmp_path / "web"), "127.0.0.9")
    assert (filled.env, filled.folder) == ({"A": "b"}, str(tmp_path / "work"))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("images: [", "cannot be read: while parsing"),
        ("", "must have one entry, `images`"),
        ("image: {}", "must have one entry, `images`"),
        ("images: {web:1: 5}", 'image "web:1" in .*: Expected `array`'),
        ("images: {web:1: python3 app.py}", "write a list"),
        ("images: {web:1: [sleep, 5]}", "quote numbers"),
        ("images: {web:1: {comand: [a]}}", "unknown field `comand`"),
    ],
)
def test_a_malformed_file(tmp_path: Path, text: str, complaint: str) -> None:
    """The error names the file, the entry and what to write."""
    path = tmp_path / "images.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=complaint) as raised:
        Catalogue.load(path)
    assert str(path) in str(raised.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    """The error names the file."""
    with pytest.raises(ConfigError, match=r"cannot read the image catalogue .*none\.yaml: No such file"):
        Catalogue.load(tmp_path / "none.yaml")
