"""Values in Go's own forms."""

from __future__ import annotations

import pytest

from konverge.cluster.apiserver.builtin.go_value import Unreadable, time_text


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("2026-01-31T12:00:00Z", "2026-01-31T12:00:00Z"),
        ("2024-02-29T23:59:59.999Z", "2024-02-29T23:59:59Z"),
        ("2026-01-01T00:30:00+01:00", "2025-12-31T23:30:00Z"),
        ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"),
    ],
)
def test_times_in_their_normal_form(text: str, normal: str) -> None:
    """In UTC, with whole seconds."""
    assert time_text(text) == normal


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("2026-00-10T00:00:00Z", "month"),
        ("2026-13-10T00:00:00Z", "month"),
        ("2026-01-00T00:00:00Z", "day"),
        ("2026-02-29T00:00:00Z", "day"),
        ("2026-01-10T24:00:00Z", "hour"),
        ("2026-01-10T00:60:00Z", "minute"),
        ("2026-01-10T00:00:60Z", "second"),
    ],
)
def test_times_that_are_none(text: str, part: str) -> None:
    """Each part has its range, however short the way is by which a time is usually read."""
    with pytest.raises(Unreadable, match=f"{part} out of range"):
        time_text(text)
