from __future__ import annotations

import pytest

from konverge.cluster.apiserver.cel.library.string_format import format_text


@pytest.mark.parametrize(
    ("pattern", "number", "length", "end"),
    [
        ("%.255f", 0.1, 257, "00000"),
        ("%.256f", 1.0, 1, "1"),
        ("%.256f", 0.1, 57, "15625"),
        ("%.256f", 3.5, 3, "3.5"),
        ("%.300f", 1e-300, 302, "00001"),
        ("%.300f", 3.5, 46, "00000"),
        ("%.10000009f", 1.0, 139, "00000"),
        ("%.10000010f", 1.0, 10, "ERB)"),
        ("%.999999999f", 1.0, 10, "ERB)"),
        ("%.999999999e", 1.0, 10, "ERB)"),
        ("%.1000000e", 1.0, 16960, "10⁰⁰"),
    ],
)
def test_many_digits_are_what_go_makes_of_them(pattern: str, number: float, length: int, end: str) -> None:
    """No clause makes a text that fills the memory; the values are what golang.org/x/text 0.43.0 answers."""
    text = format_text(pattern, [number])
    assert (len(text), text[-len(end) :]) == (length, end)
