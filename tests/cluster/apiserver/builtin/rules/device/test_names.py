"""Names of devices' attributes, and the ids of shares."""

from __future__ import annotations

import pytest

from konverge.cluster.apiserver.builtin.rules.device.names import full_name_errors, qualified_name_errors, uid_errors

UID = "6d3b2f4e-6c1f-4c3e-9a4b-1a2b3c4d5e6f"


@pytest.mark.parametrize("name", ["a", "_a1", "example.com/a", "A.example.com/a", "a/b/c"])
def test_an_attribute_may_have_a_domain(name: str) -> None:
    """What has two slashes is taken too, as the real server does."""
    assert list(qualified_name_errors(name, "f")) == []


@pytest.mark.parametrize("name", ["", "1a", "a-b", "/a", "a/", "a b/c", "a/b.c", "a" * 33])
def test_the_rest_is_an_identifier(name: str) -> None:
    """As C has them."""
    assert len(list(qualified_name_errors(name, "f"))) == 1


def test_a_constraint_names_the_domain() -> None:
    """It is about devices of any driver."""
    assert list(full_name_errors("example.com/a", "f")) == []
    assert [error.detail for error in full_name_errors("a", "f")] == [
        "a fully qualified name must be a domain and a name separated by a slash"
    ]


@pytest.mark.parametrize(
    ("uid", "wrong"),
    [
        (UID, ""),
        (UID.upper(), "uid must be in RFC 4122 normalized form"),
        (f"urn:uuid:{UID}", "uid must be in RFC 4122 normalized form"),
        (f"{{{UID}}}", "uid must be in RFC 4122 normalized form"),
        (UID.replace("-", ""), "uid must be in RFC 4122 normalized form"),
        (f"urn_uuid:{UID}", 'error validating uid: invalid urn prefix: "urn_uuid:"'),
        (f"[{UID}]", "error validating uid: invalid bracketed UUID format"),
        ("g" * 32, "error validating uid: invalid UUID format"),
        ("g" * 36, "error validating uid: invalid UUID format"),
        ("", "error validating uid: invalid UUID length: 0"),
    ],
)
def test_a_uid_is_read_in_many_ways_and_written_in_one(uid: str, wrong: str) -> None:
    """As Go's library reads them."""
    found = [error.detail for error in uid_errors(uid, "f")]
    assert [text[: len(wrong)] for text in found] == ([wrong] if wrong else [])
