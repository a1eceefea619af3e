from __future__ import annotations

import pytest

from konverge.cluster.apiserver.apply.manager_name import manager_errors, manager_name


@pytest.mark.parametrize(
    ("field_manager", "user_agent", "expected"),
    [
        ("me", "kubectl/v1.36", "me"),
        ("", "kubectl/v1.36 (linux/amd64)", "kubectl"),
        ("", "a\tb\x00c", "abc"),
        ("", "my agent/1", "my agent"),
        ("", "é" * 100, "é" * 64),
        ("", "", ""),
    ],
)
def test_the_name_of_a_write(field_manager: str, user_agent: str, expected: str) -> None:
    """What the request names, else the printable beginning of its User-Agent, at most 128 bytes."""
    assert manager_name(field_manager, user_agent) == expected


def test_what_is_wrong_with_a_name() -> None:
    """Too many bytes, and what cannot be printed, in the real server's words."""
    assert manager_errors("a" * 128) == []
    assert [str(error) for error in manager_errors("é" * 65)] == [
        "fieldManager: Too long: may not be more than 128 bytes"
    ]
    [error] = manager_errors("é\tb")
    assert str(error) == r'fieldManager: Invalid value: "é\tb": invalid character U+0009 (at position 2)'
