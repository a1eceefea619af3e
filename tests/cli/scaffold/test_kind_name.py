"""The names that follow from a kind's."""

from __future__ import annotations

from typing import Any

import pytest

from konverge.cli.scaffold.kind_name import KindName, whole_group
from konverge.errors import ConfigError


@pytest.mark.parametrize(
    ("kind", "module", "variable", "article"),
    [
        ("Cart", "cart", "cart", "A"),
        ("MarkdownView", "markdown_view", "markdown_view", "A"),
        ("HTTPRoute", "http_route", "http_route", "A"),
        ("Import", "import_", "import_", "An"),
        ("Request", "request", "obj", "A"),
    ],
)
def test_names_in_python(kind: str, module: str, variable: str, article: str) -> None:
    """A word that Python or a template needs is not taken."""
    found = KindName(kind=kind, version="v1")
    assert found.module == module
    assert (found.values()["variable"], found.values()["article"]) == (variable, article)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"kind": "cart"}, "--kind cart: a kind begins with a capital"),
        ({"kind": "Cart", "version": "one"}, "--version one: a version is one as v1"),
        ({"kind": "Cart", "group": "My Group"}, "--group My Group"),
        ({"kind": "Cart", "plural": "Carts"}, "--plural Carts"),
        ({"kind": "Cart", "plural": "ca.rts"}, "--plural ca.rts"),
        ({"kind": "None"}, "--kind None: is a word of Python's own"),
    ],
)
def test_what_kubernetes_would_refuse_is_refused(options: dict[str, Any], said: str) -> None:
    """With the option's name."""
    with pytest.raises(ConfigError) as error:
        KindName(**{"version": "v1", **options})
    assert str(error.value).startswith(said)


def test_a_group_is_below_the_domain() -> None:
    """Unless it is a whole one already."""
    assert whole_group("shop", "example.com") == "shop.example.com"
    assert whole_group("shop.other.org", "example.com") == "shop.other.org"
    assert whole_group("", "example.com") == "example.com"
