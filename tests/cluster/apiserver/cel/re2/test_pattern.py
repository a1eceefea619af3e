from __future__ import annotations

from typing import Any

import pytest

from konverge.cluster.apiserver.cel.re2 import InvalidPattern, compile_re2, find_all


@pytest.mark.parametrize(
    ("pattern", "complaint"),
    [
        ("(?=a)", "invalid or unsupported Perl syntax: `(?=`"),
        ("(?<!a)", "invalid named capture: `(?<!a)`"),
        (r"(a)\1", r"invalid escape sequence: `\1`"),
        ("a**", "invalid nested repetition operator: `**`"),
        ("a{1001}", "invalid repeat count: `{1001}`"),
        ("(a", "missing closing ): `(a`"),
        ("[a", "missing closing ]: `[a`"),
        (r"\Z", r"invalid escape sequence: `\Z`"),
    ],
)
def test_refuses_in_the_words_of_re2(pattern: Any, complaint: Any) -> None:
    """Look-arounds, backreferences and what is malformed are refused as Go refuses them."""
    with pytest.raises(InvalidPattern) as refused:
        compile_re2(pattern)
    assert str(refused.value) == f"error parsing regexp: {complaint}"


@pytest.mark.parametrize(
    ("pattern", "text", "matches"),
    [
        ("a$", "a\n", False),
        ("(?m)a$", "a\n", True),
        (r"\s", "\v", False),
        (r"^\d$", "٣", False),
        ("x{,2}", "xx", False),
        ("x(?i)b|c", "C", True),
        ("(?i)[^a]", "A", False),
        (r"^\p{Greek}+$", "αβγ", True),
        (r"^\pL+$", "aé漢", True),
        (r"\bé", " é", False),
    ],
)
def test_matches_where_re2_and_python_differ(pattern: Any, text: Any, matches: Any) -> None:
    """Ends of lines, spaces, digits, literal braces, flags within a group, folded classes: as in RE2."""
    assert compile_re2(pattern).matches(text) == matches


def test_empty_matches_are_found_as_in_go() -> None:
    """One at each place that does not touch the match before it."""
    assert find_all(compile_re2("a*"), "baac") == ["", "aa", ""]
    assert find_all(compile_re2("a*?"), "aa") == ["", "", ""]
    assert find_all(compile_re2("a"), "aaa", 2) == ["a", "a"]
