"""Names, label keys and values, in the words of Kubernetes (texts taken from a real server's answers)."""

from __future__ import annotations

import pytest

from konverge.cluster.apiserver import name_rules


@pytest.mark.parametrize("name", ["a", "a.b-c", "1", "x" * 253])
def test_a_subdomain_is_accepted(name: str) -> None:
    """What a DNS subdomain may be."""
    assert name_rules.dns_subdomain(name) == []


@pytest.mark.parametrize("name", ["", "A", "a_b", "-a", "a.", "a\n"])
def test_another_name_is_refused_with_the_pattern(name: str) -> None:
    """The message shows an example and the pattern."""
    (fault,) = name_rules.dns_subdomain(name)
    assert fault.endswith(
        "(e.g. 'example.com', regex used for validation is "
        r"'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
    )


def test_a_long_name_says_how_long_it_may_be() -> None:
    """Names count characters; label keys count bytes."""
    assert name_rules.dns_subdomain("x" * 254) == ["must be no more than 253 characters"]
    assert name_rules.qualified_name("b" * 64) == ["name part must be no more than 63 bytes"]
    assert name_rules.label_value("x" * 64) == ["must be no more than 63 bytes"]


def test_a_label_that_is_a_subdomain_must_not_contain_dots() -> None:
    """The message names the one thing that is wrong."""
    assert name_rules.dns_label("a.b") == ["must not contain dots"]
    assert name_rules.dns_1035_label("1a")[0].startswith("a DNS-1035 label must consist of")


@pytest.mark.parametrize("key", ["a", "A_b.c", "example.com/name", "1/2"])
def test_a_qualified_name_has_an_optional_prefix(key: str) -> None:
    """What label keys may be."""
    assert name_rules.qualified_name(key) == []


def test_each_part_of_a_qualified_name_is_judged() -> None:
    """Prefix and name have faults of their own."""
    faults = name_rules.qualified_name("/")
    assert faults[:2] == ["prefix part must be non-empty", "name part must be non-empty"]
    assert name_rules.qualified_name("a/b/c")[0].startswith("a valid label key must consist of")
    assert name_rules.qualified_name("A!/b")[0].startswith("prefix part a lowercase RFC 1123 subdomain")


def test_a_path_segment_is_the_least_that_a_name_must_be() -> None:
    """Two names and two signs would break a URL."""
    assert name_rules.path_segment(".") == ["may not be '.'"]
    assert name_rules.path_segment(".", is_prefix=True) == []
    assert name_rules.path_segment("a/b%") == ["may not contain '/'", "may not contain '%'"]


def test_a_dash_may_end_the_beginning_of_a_generated_name() -> None:
    """The rule sees a name that ends in a letter."""
    assert name_rules.dns_subdomain(name_rules.before_suffix("web-")) == []
    assert name_rules.before_suffix("-") == "-"
