"""Expressions of admission: what they may name, and what is said of those that cannot be."""

from __future__ import annotations

import pytest

from konverge.cluster.apiserver.admission.expression.compiler import Compiler
from konverge.cluster.apiserver.cel.types import BOOL, DYN, INT, STRING, list_of


def test_variables_have_types_for_what_comes_after() -> None:
    """Plain types, lists and maps stay known; a variable that does not compile is of any type."""
    compiler = Compiler(composes=True)
    compiler.add_variable("number", "1 + 1")
    compiler.add_variable("names", "['a', 'b']")
    compiler.add_variable("who", "request.userInfo")
    compiler.add_variable("bad", "1 +")
    assert compiler.compile("variables.number").type == INT
    assert compiler.compile("variables.names").type == list_of(STRING)
    assert compiler.compile("variables.who").type == DYN
    assert compiler.compile("variables.bad").type == DYN
    assert "undefined field 'absent'" in compiler.compile("variables.absent").complaint


@pytest.mark.parametrize("name", ["params", "variables.x", "Object{}", "self"])
def test_names_that_are_not_there(name: str) -> None:
    """Without parameters, variables and patches their names mean nothing."""
    assert "undeclared reference" in Compiler().compile(name).complaint


def test_the_type_of_a_result() -> None:
    """The complaint has Go's names of types."""
    assert Compiler().compile("1", BOOL).complaint == "must evaluate to bool but got int"
    assert Compiler().compile("[timestamp('x')]", BOOL, STRING).complaint.startswith("compilation failed")
    got = "must evaluate to one of [bool string] but got list(google.protobuf.Timestamp)"
    assert Compiler().compile("[timestamp('2020-01-01T00:00:00Z')]", BOOL, STRING).complaint == got
