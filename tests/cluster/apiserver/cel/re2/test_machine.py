from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from konverge.cluster.apiserver.cel.re2.machine import Machine
from konverge.cluster.apiserver.cel.re2.pattern import Pattern, compile_re2, find_all
from konverge.cluster.apiserver.cel.re2.price import longest_cheap_text
from konverge.cluster.apiserver.cel.re2.program import program_of
from konverge.cluster.apiserver.cel.re2.reader import read
from konverge.cluster.apiserver.cel.re2.syntax import for_python

ATOMS = st.sampled_from(
    ["a", "b", "[ab]", "[^a]", ".", "^", "$", r"\b", r"\B", "(?m:^)", "(?m:$)", "(?i:B)", r"\w", "\n", "é"]
)
REPEATS = st.sampled_from(["*", "+", "?", "*?", "+?", "??", "{2}", "{1,3}", "{2,}", "{0,2}?"])
PATTERNS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.lists(inner, min_size=2, max_size=3).map("".join),
        st.lists(inner, min_size=2, max_size=3).map(lambda branches: f"(?:{'|'.join(branches)})"),
        st.tuples(inner, REPEATS).map(lambda pair: f"(?:{pair[0]}){pair[1]}"),
    ),
    max_leaves=6,
)
TEXTS = st.text(alphabet="aabB\n é_", max_size=12)


def _machine(pattern: str) -> Machine:
    return Machine(program_of(read(pattern)))


@settings(max_examples=500)
@given(pattern=PATTERNS, text=TEXTS, at=st.integers(0, 3))
def test_the_machine_finds_what_python_finds(pattern: str, text: str, at: int) -> None:
    """Wherever no loop goes over something empty, the two agree: the same match, in whole texts and from a place on."""
    node, machine = read(pattern), _machine(pattern)
    python = re.compile(for_python(node))
    assert machine.matches(text) == (python.search(text) is not None) == (machine.find(text) is not None)
    if at <= len(text) and longest_cheap_text(node) >= 0:
        found = python.search(text, at)
        assert machine.find(text, at) == (found.span() if found else None)


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        ("(|a)*", "aa", (0, 0)),
        ("(|a)+", "aa", (0, 0)),
        ("(a|)*", "aa", (0, 2)),
        ("(a*)*b", "aab", (0, 3)),
        ("(a*)+", "b", (0, 0)),
        ("(a?){3}", "aa", (0, 2)),
        ("a|ab", "ab", (0, 1)),
        ("(a|ab)(c|bcd)", "abcd", (0, 4)),
        ("x*?", "xx", (0, 0)),
        ("(a+)(b+)", "xaabbx", (1, 5)),
    ],
)
def test_spans_are_gos(pattern: str, text: str, found: tuple[int, int]) -> None:
    """Leftmost, the alternative that is tried first, and empty rounds of loops as Go's regexp has them."""
    assert _machine(pattern).find(text) == found
    assert compile_re2(pattern).find(text) == found


@pytest.mark.parametrize("pattern", ["^(a+)+$", "(a|a)*b", "(.*)*(.*)*(.*)*x", "a*a*a*a*a*a*b", "(?:a{1,20}){1,20}c"])
def test_hostile_patterns_take_linear_time(pattern: str) -> None:
    """A text that a backtracking engine would look at for years is walked once: a move is made for each character."""
    machine = _machine(pattern)
    assert not machine.matches("a" * 50_000 + "!")
    assert len(machine._states) < 500
    assert not compile_re2(pattern).matches("a" * 50_000 + "!")


def test_what_it_remembers_is_bounded() -> None:
    """A pattern with more states than can be remembered forgets, and goes on."""
    machine = _machine("(a|b)*a(a|b){20}c")
    text = "".join("ab"[(number * number // 7) % 2] for number in range(20_000))
    assert not machine.matches(text)
    assert machine.matches(text + "a" * 21 + "c")
    assert len(machine._states) <= 4097


@pytest.mark.parametrize(
    ("pattern", "longest"),
    [("abc", 1 << 24), ("^[a-z]+$", 99_999), ("[a-z]+", 315), ("^(a+)+$", 5), ("(a*)*", -1), ("a*b*", 45)],
)
def test_python_does_what_cannot_take_long(pattern: str, longest: int) -> None:
    """The more ways there are to match, the shorter is the text that is matched by trying them."""
    assert longest_cheap_text(read(pattern)) == longest


def test_both_ways_agree_on_where_the_line_is() -> None:
    """Texts on both sides of the line are matched alike."""
    pattern = Pattern("[a-z]+@[a-z]+")
    for length in (10, 20, 100, 1000):
        assert pattern.find("a" * length + "@b!") == (0, length + 2)
        assert not pattern.matches("a" * length)
    assert find_all(Pattern("a+"), "aa b " * 200) == ["aa"] * 200
