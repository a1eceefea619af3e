"""Which rights are not covered by those that someone has."""

from __future__ import annotations

import pytest

from konverge.cluster.apiserver.access.coverage import described, missing
from konverge.cluster.apiserver.access.rule import PolicyRule

ALL = ("*",)
PODS = PolicyRule(("get", "list"), ("",), ("pods",))


@pytest.mark.parametrize(
    ("held", "given"),
    [
        (PODS, PolicyRule(("get",), ("",), ("pods",))),
        (PODS, PolicyRule(("get",), ("",), ("pods",), ("a",))),
        (PolicyRule(ALL, ALL, ALL), PODS),
        (PolicyRule(ALL, ALL, ALL), PolicyRule(ALL, ALL, ALL)),
        (PolicyRule(("get",), ("",), ("*/status",)), PolicyRule(("get",), ("",), ("pods/status",))),
        (PolicyRule(("get",), ("",), ("pods",), ("a", "b")), PolicyRule(("get",), ("",), ("pods",), ("b",))),
        (PolicyRule(ALL, non_resource_urls=("/a/*",)), PolicyRule(("get",), non_resource_urls=("/a/b",))),
    ],
)
def test_what_is_covered(held: PolicyRule, given: PolicyRule) -> None:
    """By a wildcard, by all names, by a part."""
    assert missing([held], [given]) == []


@pytest.mark.parametrize(
    ("held", "given"),
    [
        (PODS, PolicyRule(("delete",), ("",), ("pods",))),
        (PODS, PolicyRule(ALL, ("",), ("pods",))),
        (PODS, PolicyRule(("get",), ("apps",), ("pods",))),
        (PODS, PolicyRule(("get",), ("",), ("pods/log",))),
        (PolicyRule(("get",), ("",), ("pods",), ("a",)), PolicyRule(("get",), ("",), ("pods",))),
        (PolicyRule(ALL, ALL, ALL), PolicyRule(("get",), non_resource_urls=("/a",))),
        (PolicyRule(ALL, non_resource_urls=("/a",)), PolicyRule(("get",), non_resource_urls=("/a/b",))),
    ],
)
def test_what_is_not_covered(held: PolicyRule, given: PolicyRule) -> None:
    """No wildcard of the one who gives, no rule."""
    assert missing([held], [given]) == [given]


def test_two_rules_cover_one() -> None:
    """Each part by another."""
    other = PolicyRule(("get", "list"), ("",), ("secrets",))
    assert missing([PODS, other], [PolicyRule(("get", "list"), ("",), ("pods", "secrets"))]) == []


def test_what_is_missing_is_told_in_few_lines() -> None:
    """The verbs of one resource together, in order of the lines."""
    lacking = missing(
        [], [PolicyRule(("get", "list"), ("",), ("secrets", "pods")), PolicyRule(("get",), ("",), ("pods",))]
    )
    assert described(lacking).splitlines() == [
        '{APIGroups:[""], Resources:["pods"], Verbs:["get" "list" "get"]}',
        '{APIGroups:[""], Resources:["secrets"], Verbs:["get" "list"]}',
    ]
