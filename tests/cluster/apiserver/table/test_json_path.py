from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from konverge.cluster.apiserver.table.json_path import JsonPath, PathError

VALUE: dict[str, Any] = {
    "spec": {
        "name": "n",
        "list": ["p", "q", "r"],
        "ports": [{"name": "a", "port": 80, "up": True}, {"name": "b", "port": 81, "weight": 1.5}],
        "nothing": None,
        "one": {"k": "v"},
    },
    "metadata": {"labels": {"a.b/c": "lab", "x": "y"}},
}


@pytest.mark.parametrize(
    ("path", "found"),
    [
        (".spec.name", ["n"]),
        ("$.spec.name", ["n"]),
        ("@.spec.name", ["n"]),
        (".spec['name']", ["n"]),
        (".spec.absent", []),
        (".spec.name.deeper", []),
        (".spec.nothing", [None]),
        (".spec.nothing.more", []),
        (".spec.list[0]", ["p"]),
        (".spec.list[-1]", ["r"]),
        (".spec.list[*]", ["p", "q", "r"]),
        (".spec.list[0:2]", ["p", "q"]),
        (".spec.list[1:]", ["q", "r"]),
        (".spec.list[:-1]", ["p", "q"]),
        (".spec.list[0:3:2]", ["p", "r"]),
        (".spec.list[1:1]", []),
        (".spec.list[0,2]", ["p", "r"]),
        (".spec['name','absent']", ["n"]),
        (".spec.one.*", ["v"]),
        (".metadata.labels.a\\.b/c", ["lab"]),
        ("..port", [80, 81]),
        ('.spec.ports[?(@.name=="b")].port', [81]),
        (".spec.ports[?(@.name=='b')].port", [81]),
        (".spec.ports[?(@.port>80)].name", ["b"]),
        (".spec.ports[?(@.port>=80)].name", ["a", "b"]),
        (".spec.ports[?(@.port!=80)].name", ["b"]),
        (".spec.ports[?(@.up==true)].name", ["a"]),
        (".spec.ports[?(@.weight<2.0)].name", ["b"]),
        (".spec.ports[?(@.up)].name", ["a"]),
        (".spec.ports[?(@.name==')')].port", []),
        ("", [VALUE]),
    ],
)
def test_what_a_path_finds(path: str, found: list[Any]) -> None:
    """Kubectl's dialect, on one value."""
    assert JsonPath.parse(path).find(VALUE) == found


@pytest.mark.parametrize(
    "path",
    [
        ".spec.list[3]",
        ".spec.list[-4]",
        ".spec.list[2:1]",
        ".spec.list[0:3:0]",
        ".spec.name[0]",
        ".spec.one[?(@.k)]",
        ".spec.ports[?(@.port=='80')]",
        ".spec.ports[?(@.up>true)]",
        ".spec.ports[?(@.port=~80)]",
        ".spec.ports[?(@.*==80)]",
        "name",
    ],
)
def test_a_path_that_does_not_fit(path: str) -> None:
    """It is an error, so that a column can stay empty instead of showing something wrong."""
    with pytest.raises(PathError):
        JsonPath.parse(path).find(VALUE)


@pytest.mark.parametrize(
    "path", [".a[", ".a[x]", ".a[?(@.b]", ".a[?(@.b)", "....a", "'open", "#", "1.2.3", ".a[?('x)]", ".a[::-]", ".a\\"]
)
def test_a_text_that_is_no_path(path: str) -> None:
    """It is refused when it is parsed."""
    with pytest.raises(PathError):
        JsonPath.parse(path)


def test_constants() -> None:
    """A quoted text or a number stands for itself."""
    assert JsonPath.parse("'it\\'s'").find({}) == ["it's"]
    assert JsonPath.parse("7").find({}) == [7]
    assert JsonPath.parse("-1.5").find({}) == [-1.5]


@given(st.text(alphabet=".[]'\"?()@$*:,=<>!ab01 \\-{}", max_size=20))
def test_any_text_is_a_path_or_refused(text: str) -> None:
    """Parsing and looking end with a result or with `PathError`."""
    with suppress(PathError):
        JsonPath.parse(text).find(VALUE)
