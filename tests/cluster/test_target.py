from __future__ import annotations

import pytest

from konverge.cluster.target import BadTarget, read_target


@pytest.mark.parametrize(
    ("target", "path", "query"),
    [
        ("/api", "/api", ()),
        ("/api?", "/api", ()),
        ("/api/v1/namespaces/default%20x", "/api/v1/namespaces/default x", ()),
        ("/a%2Fb?watch=1", "/a/b", (("watch", "1"),)),
        ("/a+b", "/a+b", ()),
        ("/a?x=1+2%2B3", "/a", (("x", "1 2+3"),)),
        ("/a?x=1&x=2&y", "/a", (("x", "1"), ("x", "2"), ("y", ""))),
        ("/a?x=a=b&&z=", "/a", (("x", "a=b"), ("z", ""))),
        ("/a?limit=1;continue=x&y=1", "/a", (("y", "1"),)),
        ("/a?labelSelector=a%zz&y=%C3%A9", "/a", (("y", "é"),)),
        ("/a?x=1?2", "/a", (("x", "1?2"),)),
    ],
)
def test_a_target_is_read_as_go_reads_it(target: str, path: str, query: tuple[tuple[str, str], ...]) -> None:
    """A pair that Go cannot read is left out, not refused."""
    assert read_target(target) == (path, query)


@pytest.mark.parametrize("target", ["/%", "/%z0", "/a%4", "/api/v1/%zz?x=1"])
def test_a_path_with_a_bad_escape_is_no_path(target: str) -> None:
    """Go answers 400 before anyone else sees it."""
    with pytest.raises(BadTarget):
        read_target(target)
