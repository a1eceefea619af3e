"""What single rules allow."""

from __future__ import annotations

import pytest

from konverge.cluster.apiserver.access.attempt import Attempt
from konverge.cluster.apiserver.access.rule import PolicyRule, url_covers

ALL = ("*",)


@pytest.mark.parametrize(
    ("resources", "resource", "subresource", "is_allowed"),
    [
        (("pods",), "pods", "", True),
        (("pods",), "pods", "log", False),
        (("pods/log",), "pods", "log", True),
        (("pods/log",), "pods", "", False),
        (("*",), "pods", "log", True),
        (("*/log",), "pods", "log", True),
        (("*/log",), "pods", "exec", False),
        (("pods/*",), "pods", "log", False),
        ((), "pods", "", False),
    ],
)
def test_a_resource_is_meant_by_its_name_or_a_wildcard(
    resources: tuple[str, ...], resource: str, subresource: str, *, is_allowed: bool
) -> None:
    """A subresource is named with its resource, or with a star for all of them."""
    attempt = Attempt(verb="get", resource=resource, subresource=subresource)
    assert PolicyRule(ALL, ALL, resources).allows(attempt) is is_allowed


@pytest.mark.parametrize(
    ("pattern", "path", "is_covered"),
    [
        ("/healthz", "/healthz", True),
        ("/healthz", "/healthz/", False),
        ("/healthz/*", "/healthz/etcd", True),
        ("/healthz/*", "/healthz", False),
        ("/health*", "/healthz/etcd", True),
        ("*", "/anything", True),
        ("", "/", False),
    ],
)
def test_a_path_is_meant_by_its_name_or_its_beginning(pattern: str, path: str, *, is_covered: bool) -> None:
    """A star stands for any end."""
    assert url_covers(pattern, path) is is_covered


def test_rules_for_paths_mean_no_resources() -> None:
    """And the other way round."""
    resources = PolicyRule(ALL, ALL, ALL)
    paths = PolicyRule(ALL, non_resource_urls=ALL)
    assert not resources.allows(Attempt(verb="get", is_resource=False, path="/metrics"))
    assert not paths.allows(Attempt(verb="get", resource="pods"))


def test_names_restrict_a_rule_to_objects() -> None:
    """A list names none, so it is not allowed by such a rule."""
    rule = PolicyRule(("get",), ("",), ("pods",), ("a",))
    assert [rule.allows_name(name) for name in ("a", "b", "")] == [True, False, False]


def test_a_rule_is_written_as_go_writes_it() -> None:
    """For the message of an escalation."""
    rule = PolicyRule(("get", "list"), ("",), ("pods",), ("a",))
    assert str(rule) == '{APIGroups:[""], Resources:["pods"], ResourceNames:["a"], Verbs:["get" "list"]}'
    assert str(PolicyRule(("get",), non_resource_urls=("/a",))) == '{NonResourceURLs:["/a"], Verbs:["get"]}'
