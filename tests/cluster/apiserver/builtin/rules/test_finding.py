"""Finding a kind's rules."""

from __future__ import annotations

import pytest

from konverge.cluster.apiserver.builtin import catalogue, rules
from konverge.cluster.apiserver.builtin.rules.kind_rules import KindRules


@pytest.mark.parametrize(("group", "kind"), rules.RULES)
def test_every_kind_that_is_listed_has_rules(group: str, kind: str) -> None:
    """They are imported by name when they are first needed, so no other check would see a wrong name."""
    assert rules.of(group, kind) != KindRules()
    versions = ["v1"] if not group else [v for each in catalogue.groups() if each.name == group for v in each.versions]
    assert any(catalogue.schema_of(group, version, kind) for version in versions)


def test_a_kind_that_is_not_listed_has_none() -> None:
    """It is judged by its schema alone."""
    assert rules.of("example.com", "Widget") == KindRules()
