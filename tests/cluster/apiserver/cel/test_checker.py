import pytest

from konverge.cluster.apiserver.cel.ast import Call, Ident
from konverge.cluster.apiserver.cel.checker import CheckedExpression, check
from konverge.cluster.apiserver.cel.environment import kubernetes_environment
from konverge.cluster.apiserver.cel.parser import parse
from konverge.cluster.apiserver.cel.source import BadExpression, Source
from konverge.cluster.apiserver.cel.types import DYN, STRING, list_of, struct

ENVIRONMENT = kubernetes_environment().extended(
    {"self": struct("T"), "any": DYN, "words": list_of(STRING)}, {"T": {"name": STRING, "__for__": STRING}}
)


def checked(text: str) -> CheckedExpression:
    """Check an expression."""
    source = Source(text)
    return check(parse(source), ENVIRONMENT, source)


@pytest.mark.parametrize(
    ("text", "type_"),
    [
        ("self", "T"),
        ("self.name", "string"),
        ("self.?name", "optional_type(string)"),
        ("[]", "list(dyn)"),
        ("[1] + []", "list(int)"),
        ("{'a': [1]}", "map(string, list(int))"),
        ("words.map(w, w.size())", "list(int)"),
        ("words.transformMap(i, w, w)", "map(int, string)"),
        ("any.x.y", "dyn"),
        ("any + 1", "int"),
        ("any + any", "dyn"),
        ("type(1)", "type(int)"),
        ("int", "type(int)"),
        ("true ? 1 : any", "dyn"),
        ("optional.none()", "optional_type(dyn)"),
        ("ip('::1')", "net.IP"),
        ("null", "null"),
        ("self.for", "string"),
    ],
)
def test_type(text: str, type_: str) -> None:
    """An expression has the type that its parts give it."""
    assert str(checked(text).type) == type_


def test_names_are_resolved() -> None:
    """A namespaced function is one name without a receiver, and a dotted type is one identifier."""
    function = checked("sets.contains(words, words)")
    assert isinstance(function.expr, Call)
    assert (function.expr.function, function.expr.target) == ("sets.contains", None)
    assert function.references[function.expr.id] == ("list_sets_contains_list",)
    dotted = checked("google.protobuf.Timestamp")
    assert isinstance(dotted.expr, Ident)
    assert dotted.expr.name == "google.protobuf.Timestamp"
    leading = checked(".self")
    assert isinstance(leading.expr, Ident)
    assert leading.expr.name == "self"


def test_all_fitting_overloads_are_kept() -> None:
    """Where a type is not known, every overload that could fit is left for the run to choose from."""
    sum_ = checked("any + 1")
    assert sum_.references[sum_.expr.id] == ("add_int64",)
    both = checked("any < any")
    assert len(both.references[both.expr.id]) == 14


def test_names_that_are_used() -> None:
    """All names are noted, those of folds too."""
    assert {"words", "w"} <= checked("words.all(w, w == '')").names


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("self.other", "undefined field 'other'"),
        ("quantity('1').x", "unexpected failed resolution of 'kubernetes.Quantity'"),
        ("words.x", "type 'list(string)' does not support field selection"),
        ("true && 1", "expected type 'bool' but found 'int'"),
        ("[?1]", "expected type 'optional_type(int)' but found 'int'"),
        ("self{}", "'T' is not a type"),
        ("int{}", "'int' is not a message type"),
        ("self.name.all(x, x)", "expression of type 'string' cannot be range of a comprehension"),
    ],
)
def test_what_does_not_check(text: str, message: str) -> None:
    """What is wrong is said in cel-go's words."""
    with pytest.raises(BadExpression, match=r"^ERROR: <input>:1:\d+: ") as refused:
        checked(text)
    assert message in str(refused.value)
