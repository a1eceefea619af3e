import pytest
from hypothesis import given
from hypothesis import strategies as st

from konverge.cluster.apiserver.cel.lexer import EOF, tokens_of
from konverge.cluster.apiserver.cel.source import Issue


def kinds(text: str) -> list[str]:
    """Return the kinds of a good text's tokens."""
    issues: list[Issue] = []
    found = [token.kind for token in tokens_of(text, issues)]
    assert not issues
    return found[:-1]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a.b", ["IDENTIFIER", ".", "IDENTIFIER"]),
        ("1 1u 0x1F 0x1Fu 1.5 .5 1e3 1.5E-3", ["NUM_INT", "NUM_UINT", "NUM_INT", "NUM_UINT", *["NUM_FLOAT"] * 4]),
        ("1. 0xg 1e", ["NUM_INT", ".", "NUM_INT", "IDENTIFIER", "NUM_INT", "IDENTIFIER"]),
        ("in inside true truely", ["in", "IDENTIFIER", "true", "IDENTIFIER"]),
        ("'a' \"b\" r'\\d' R\"x\" '''a'b''' \"\"\"a\"b\"\"\"", ["STRING"] * 6),
        ('b\'a\' Br\'a\' b"""x""" rb', ["BYTES", "BYTES", "BYTES", "IDENTIFIER"]),
        ("<= < == != ! && || ?", ["<=", "<", "==", "!=", "!", "&&", "||", "?"]),
        ("`a-b/c d`", ["ESC_IDENTIFIER"]),
        ("1 // a comment\n2", ["NUM_INT", "NUM_INT"]),
        ("'' \"\"", ["STRING", "STRING"]),
    ],
)
def test_tokens(text: str, expected: list[str]) -> None:
    """The longest match is the token, whatever rule comes first."""
    assert kinds(text) == expected


@pytest.mark.parametrize(
    ("text", "reported", "left"),
    [
        ("a = b", "= ", ["a", "b"]),
        ("a & b", "& ", ["a", "b"]),
        ("'abc", "'abc", []),
        ("'a\\q + b", "'a\\q", ["+", "b"]),
        ("'a\nb", "'a\n", ["b"]),
        ("@x", "@", ["x"]),
        ("'\\u12", "'\\u12", []),
    ],
)
def test_what_is_no_token(text: str, reported: str, left: list[str]) -> None:
    """What no token begins with is reported up to where it leads nowhere, and the rest is read."""
    issues: list[Issue] = []
    found = [token.text for token in tokens_of(text, issues)][:-1]
    assert issues[0].message == f"Syntax error: token recognition error at: '{reported}'"
    assert found == left


@given(st.text(max_size=40))
def test_every_text_has_tokens(text: str) -> None:
    """Any text is read to its end, and tokens stand where they say."""
    issues: list[Issue] = []
    tokens = tokens_of(text, issues)
    assert tokens[-1].kind == EOF
    for token in tokens[:-1]:
        assert text[token.offset : token.offset + len(token.text)] == token.text
