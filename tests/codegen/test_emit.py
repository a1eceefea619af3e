"""Source text."""

from __future__ import annotations

import ast

from hypothesis import given
from hypothesis import strategies as st

from konverge.codegen.emit import docstring


@given(st.text())
def test_any_description_is_a_literal_that_reads_the_same(text: str) -> None:
    """Backslashes, quotes and line ends of a description can neither break the source nor change the words."""
    lines = docstring(text)
    source = "class A:\n" + ("\n".join(lines) or "    pass")
    found = ast.get_docstring(ast.parse(source).body[0], clean=True) or ""  # type: ignore[arg-type]  # it is a class
    printable = "".join(char for char in text.expandtabs(4) if char.isprintable() or char == "\n")
    assert found.split() == printable.split()


def test_long_descriptions_are_wrapped() -> None:
    """No line of a description is longer than 120 characters, and paragraphs stay apart."""
    lines = docstring("word " * 100 + "\n\n- item " + "more " * 40)
    assert max(map(len, lines)) <= 120
    assert "" in lines


def test_a_short_description_is_one_line() -> None:
    """A quote at the end does not run into those of the literal."""
    assert docstring('Say "yes"') == ['    """Say "yes\\""""']
