import pytest
from hypothesis import given
from hypothesis import strategies as st

from konverge.cluster.apiserver.cel.ast import (
    Call,
    Comprehension,
    Expr,
    Ident,
    ListExpr,
    Literal,
    MapExpr,
    Select,
    walk,
)
from konverge.cluster.apiserver.cel.parser import parse
from konverge.cluster.apiserver.cel.source import BadExpression, Issue, Source


def shape(expr: Expr) -> str:  # noqa: PLR0911 - one way for each kind of node
    """Write a tree down with all its brackets."""
    match expr:
        case Literal():
            return repr(expr.value)
        case Ident():
            return expr.name
        case Select():
            return f"({shape(expr.operand)}{'~' if expr.is_test else '.'}{expr.field})"
        case Call():
            args = ", ".join(map(shape, expr.args))
            return (
                f"{expr.function}({args})" if expr.target is None else f"{shape(expr.target)}.{expr.function}({args})"
            )
        case ListExpr():
            return f"[{', '.join(map(shape, expr.elements))}]"
        case MapExpr():
            return "{" + ", ".join(f"{shape(each.key)}: {shape(each.value)}" for each in expr.entries) + "}"
        case _:
            return type(expr).__name__


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 + 2 * 3", "_+_(1, _*_(2, 3))"),
        ("1 - 2 - 3", "_-_(_-_(1, 2), 3)"),
        ("a < b == c", "_==_(_<_(a, b), c)"),
        ("a ? b : c ? d : e", "_?_:_(a, b, _?_:_(c, d, e))"),
        ("a && b && c && d", "_&&_(_&&_(a, b), _&&_(c, d))"),
        ("a || b && c", "_||_(a, _&&_(b, c))"),
        ("-5", "-5"),
        ("--5", "5"),
        ("---a", "-_(a)"),
        ("!!a", "a"),
        ("!a.b", "!_((a.b))"),
        ("a.?b", "_?._(a, 'b')"),
        ("a[?0]", "_[?_](a, 0)"),
        ("a.b.c(1)[2]", "_[_]((a.b).c(1), 2)"),
        (".a.b()", ".a.b()"),
        ("has(a.b)", "(a~b)"),
        ("[1, ?a, ]", "[1, a]"),
        ("{'a': 1, ?b: 2,}", "{'a': 1, b: 2}"),
        ("a in b", "@in(a, b)"),
    ],
)
def test_tree(text: str, expected: str) -> None:
    """Operators bind and associate as the grammar says; long chains of && and || become low trees."""
    assert shape(parse(Source(text))) == expected


def test_fold() -> None:
    """A macro becomes a fold whose nodes have ids of their own."""
    tree = parse(Source("a.all(x, x.exists(i, y, y == x))"))
    assert isinstance(tree, Comprehension)
    assert (tree.iter_var, tree.iter_var2, tree.accu_var) == ("x", "", "@result")
    ids = [node.id for node in walk(tree)]
    assert len(ids) == len(set(ids))
    inner = next(node for node in walk(tree.loop_step) if isinstance(node, Comprehension))
    assert (inner.iter_var, inner.iter_var2) == ("i", "y")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(" * 251 + "1" + ")" * 251, "expression recursion limit exceeded: 250"),
        ("a" + ".b" * 251, "max recursion depth exceeded"),
        ("1" * 100_001, "expression code point size exceeds limit: size: 100001, limit 100000"),
    ],
)
def test_limits(text: str, message: str) -> None:
    """What is too long or nests too deep is refused as a whole."""
    with pytest.raises(BadExpression) as refused:
        parse(Source(text))
    assert str(refused.value) == f"ERROR: <input>:-1:0: {message}"


def test_deep_nesting_is_read() -> None:
    """As deep as is allowed is read, whatever Python's own limit is."""
    assert shape(parse(Source("(" * 249 + "1" + ")" * 249))) == "1"
    assert shape(parse(Source("a" + ".b" * 250))).startswith("(" * 250)


def issues_of(text: str) -> list[Issue]:
    """Return what is wrong with a text."""
    try:
        parse(Source(text))
    except BadExpression as refused:
        return refused.issues
    return []


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    """No text breaks the parser."""
    issues = issues_of(text)
    assert all(issue.message for issue in issues)


_PIECES = [
    "a",
    "self",
    ".",
    "?",
    ":",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    "-",
    "!",
    "+",
    "&&",
    "==",
    "in",
    "1",
    "'s'",
    " ",
]


@given(st.lists(st.sampled_from(_PIECES), max_size=25).map("".join))
def test_any_order_of_tokens_is_read_or_refused(text: str) -> None:
    """No order of tokens breaks the recovery from errors, and each issue stands within the text."""
    assert all(issue.offset <= len(text) for issue in issues_of(text))


@pytest.mark.parametrize("end", ["", ") )"])
def test_macros_that_stand_for_too_much_are_refused(end: str) -> None:
    """Each optMap holds its target twice: twenty in a row would be millions of nodes."""
    chain = "".join(f".optMap(v{number}, v{number})" for number in range(20))
    with pytest.raises(BadExpression, match="expression is too large"):
        parse(Source(f"optional.of('a'){chain}{end}"))
