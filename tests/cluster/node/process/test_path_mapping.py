from __future__ import annotations

import pytest

from konverge.cluster.node.process.path_mapping import PathMapping

PLACES = PathMapping({"/etc/app": "/X", "/etc/app/deep": "/Y", "/data/": "/D"})


@pytest.mark.parametrize(
    ("text", "mapped"),
    [
        ("/etc/app", "/X"),
        ("--config=/etc/app/x.yaml", "--config=/X/x.yaml"),
        ("/data:/etc/app", "/D:/X"),
        ("file:///etc/app", "file:///X"),
        ("cat '/etc/app/deep/z'", "cat '/Y/z'"),
        ("/etc/app/deeper", "/X/deeper"),
        ("/etc/application", "/etc/application"),
        ("/usr/etc/app", "/usr/etc/app"),
        ("/etc/app.bak", "/etc/app.bak"),
        ("nothing", "nothing"),
    ],
)
def test_mentions(text: str, mapped: str) -> None:
    """A path is replaced wherever it is meant, and nothing that only looks like it."""
    assert PLACES(text) == mapped


def test_a_place_is_found_by_its_path() -> None:
    """With or without a slash at its end."""
    assert (PLACES.place("/data"), PLACES.place("/data/"), PLACES.place("/none")) == ("/D", "/D", None)
