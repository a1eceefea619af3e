from __future__ import annotations

import pytest

from konverge.api.label import check_label_key, check_label_value

LONGEST = "a" * 63


@pytest.mark.parametrize("key", ["a", "A.b_c-D", "0", LONGEST, "example.com/a", f"{'a.' * 126}a/{LONGEST}"])
def test_good_keys_pass(key: str) -> None:
    """A name of up to 63 characters, with a DNS name of up to 253 before it."""
    check_label_key(key)


@pytest.mark.parametrize(
    "key",
    [
        "",
        "/",
        "a/",
        "/a",
        "a/b/c",
        "-a",
        "a-",
        ".a",
        "a b",
        "ä",
        7,
        "a\n",
        LONGEST + "a",
        "A.com/a",
        "a..b/c",
        "x." * 127 + "/a",
    ],
)
def test_bad_keys_are_refused(key: object) -> None:
    """The server would refuse them too."""
    with pytest.raises(ValueError, match="is not a label key"):
        check_label_key(key)


@pytest.mark.parametrize("value", ["", "a", "A.b_c-D", "0", LONGEST])
def test_good_values_pass(value: str) -> None:
    """A value may be empty."""
    check_label_value(value)


@pytest.mark.parametrize("value", ["-a", "a-", "a b", "a/b", "ä", "a\n", LONGEST + "a", 1, True, None])
def test_bad_values_are_refused(value: object) -> None:
    """The server would refuse them too."""
    with pytest.raises(ValueError, match="is not a label value"):
        check_label_value(value)
