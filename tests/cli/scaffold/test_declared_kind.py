"""Further versions of a kind."""

from __future__ import annotations

import pytest

from konverge.cli.scaffold.declared_kind import declared, further_version
from konverge.errors import ConfigError

TYPES = '''\
"""Cart v1: its spec, its status and its CustomResourceDefinition."""

import konverge as kv


class CartSpec(kv.Spec):
    note: str = "für v1"


@kv.resource(group="shop.example.com", version="v1", scope="Cluster", storage=True, columns=[])
class Cart(kv.CustomResource[CartSpec, None]): ...
'''


def test_a_further_version_begins_as_a_copy() -> None:
    """It says another version, and is not stored; the author's fields are as they were."""
    assert further_version(TYPES, "v2") == TYPES.replace('"""Cart v1', '"""Cart v2').replace(
        'version="v1", scope="Cluster", storage=True', 'version="v2", scope="Cluster", storage=False'
    )


def test_what_a_kind_says_of_itself() -> None:
    """Plain values alone."""
    assert declared(TYPES) == {"group": "shop.example.com", "version": "v1", "scope": "Cluster", "storage": True}
    assert declared("class Cart: ...\n") == {}


def test_a_kind_that_does_not_say_what_is_stored_is_refused() -> None:
    """The remedy is a word in the author's own file."""
    with pytest.raises(ConfigError, match="write storage=True there"):
        further_version(TYPES.replace(", storage=True", ""), "v2")
