from __future__ import annotations

from konverge.cluster.apiserver.cel import standard_declarations
from konverge.cluster.apiserver.cel.library import BINDINGS, LIBRARY_FUNCTIONS, authorizers

# What the evaluator does itself.
BUILT_IN = {
    *("_?_:_", "_&&_", "_||_", "_==_", "_!=_", "_[_]", "_[?_]", "_?._", "or", "orValue"),
    *("@not_strictly_false", "__not_strictly_false__", "_in_", "in"),
}


def test_every_declared_function_does_something() -> None:
    """But for the authorizer's, which no rule of a custom resource can reach."""
    unreachable = {function.name for function in (*authorizers.FUNCTIONS, *authorizers.SELECTORS)}
    missing = [
        overload.id
        for function in (*standard_declarations.FUNCTIONS, *LIBRARY_FUNCTIONS)
        for overload in function.overloads
        if function.name not in BUILT_IN | unreachable and function.name not in BINDINGS and overload.id not in BINDINGS
    ]
    assert missing == []
