"""Warnings as headers: quoted, told once, and bounded."""

from __future__ import annotations

from konverge.cluster.apiserver.warning_headers import warning_headers


def _texts(*warnings: str) -> list[str]:
    return [text.removeprefix("299 - ") for _, text in warning_headers(warnings)]


def test_a_text_is_quoted_and_told_once() -> None:
    """Quotes and backslashes are escaped; an empty text is none."""
    assert _texts('a "b" \\ c', "", 'a "b" \\ c') == ['"a \\"b\\" \\\\ c"']


def test_a_text_that_no_header_can_hold_is_not_told() -> None:
    """A line end in a header would begin another one."""
    assert _texts("a\r\nSet-Cookie: b", "c") == ['"c"']


def test_texts_that_are_too_long_together_are_cut() -> None:
    """Each keeps its beginning, and the last ones are left out."""
    texts = _texts(*(f"{number:04d}{'w' * 500}" for number in range(1000)))
    assert [len(text) for text in texts] == [258] * 16
    assert texts[-1].startswith('"0015w')


def test_one_long_text_is_cut() -> None:
    """It is cut where it is more than all may be together, and only there."""
    assert _texts("w" * 4096) == [f'"{"w" * 4096}"']
    assert _texts("w" * 4097) == [f'"{"w" * 256}"']
