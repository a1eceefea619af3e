import pytest

from konverge.cluster.apiserver.cel.assignability import Substitutions, most_general
from konverge.cluster.apiserver.cel.types import (
    DYN,
    INT,
    NULL,
    STRING,
    TIMESTAMP,
    Type,
    list_of,
    map_of,
    opaque,
    struct,
    type_of,
    type_param,
    wrapper,
)

A = type_param("A")


@pytest.mark.parametrize(
    ("left", "right", "agrees"),
    [
        (INT, INT, True),
        (INT, STRING, False),
        (INT, DYN, True),
        (DYN, INT, True),
        (NULL, INT, False),
        (NULL, wrapper(INT), True),
        (TIMESTAMP, NULL, True),
        (struct("T"), NULL, True),
        (struct("T"), struct("U"), False),
        (list_of(INT), list_of(DYN), True),
        (list_of(INT), list_of(STRING), False),
        (map_of(STRING, INT), map_of(STRING, DYN), True),
        (opaque("net.IP"), opaque("net.CIDR"), False),
        (type_of(INT), type_of(STRING), True),
    ],
)
def test_types_agree(left: Type, right: Type, agrees: bool) -> None:
    """Types agree where one may stand for the other."""
    assert Substitutions().is_assignable(left, right) is agrees


def test_parameter_is_found_once() -> None:
    """A parameter stands for the first type it meets, and widens to a more general one."""
    found = Substitutions()
    assert found.is_assignable(list_of(INT), list_of(A))
    assert found.apply(A) == INT
    assert not found.is_assignable(STRING, A)
    assert found.is_assignable(DYN, A)
    assert found.apply(A) == DYN


def test_failed_attempt_leaves_no_trace() -> None:
    """Where a list of types does not agree, nothing is kept of what was found on the way."""
    found = Substitutions()
    assert not found.are_assignable((INT, INT), (A, STRING))
    assert found.apply(A, params_to_dyn=True) == DYN
    assert found.apply(A) == A


def test_parameter_cannot_hold_itself() -> None:
    """A parameter does not stand for a list of itself."""
    assert not Substitutions().is_assignable(list_of(A), A)


def test_most_general() -> None:
    """Of two types that agree, the one that says less is taken."""
    assert most_general(INT, DYN) == DYN
    assert most_general(list_of(DYN), list_of(INT)) == list_of(DYN)
