"""Selectors of devices: what they can cost, and what is no selector."""

from __future__ import annotations

import pytest

from konverge.cluster.apiserver.builtin.rules.device.expression import complaint_about, most_cost
from konverge.cluster.apiserver.field_error import Fault

# The costs are those that the tests of k8s.io/dynamic-resource-allocation 0.36.3 expect of these expressions.
COSTS = {
    '"no-such-domain" in device.attributes': 3,
    'device.driver == "dra.example.com"': 4,
    "device.allowMultipleAllocations == true": 3,
    'device.attributes["dra.example.com"].name': 4,
    'cel.bind(dra, device.attributes["dra.example.com"], dra.name)': 15,
    'device.attributes["dra.example.com"].name > 0': 5,
    'device.attributes["dra.example.com"].name == "fish"': 5,
    'device.attributes["dra.example.com"].name.isGreaterThan(semver("0.0.1"))': 6,
    'device.capacity["dra.example.com"].name.isGreaterThan(quantity("1Ki"))': 6,
    'device.attributes.exists_one(x, x == "dra.example.com")': 164,
    'device.attributes["dra.example.com"].exists_one(x, x == "services")': 133,
    'device.attributes["dra.example.com"].services.split("example").size() >= 2': 19,
    'device.attributes["dra.example.com"].services.matches("[^a]?sym")': 18,
    'device.capacity["dra.example.com"].exists_one(x, x == "memory")': 133,
}


@pytest.mark.parametrize("text", COSTS)
def test_the_most_that_a_selector_can_cost_is_the_real_ones(text: str) -> None:
    """Sizes are those that a device can have."""
    assert most_cost(text) == COSTS[text]
    assert complaint_about(text) is None


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("1", "must evaluate to bool or the unknown type, not int"),
        ("[device.driver]", "must evaluate to bool or the unknown type, not list(string)"),
        ("object", "compilation failed: ERROR: <input>:1:1: undeclared reference to 'object' (in container '')"),
        ("", "compilation failed: ERROR: <input>:1:0: Syntax error: mismatched input '<EOF>'"),
        ("cel.bind(a.b, 1, true)", "compilation failed: ERROR: <input>:1:11: cel.bind() variable names must be simple"),
    ],
)
def test_what_is_no_selector_is_told_why(text: str, complaint: str) -> None:
    """It must compile, and say yes or no."""
    found = complaint_about(text)
    assert found is not None
    assert found.fault is Fault.INVALID
    assert found.detail.startswith(complaint)


def test_a_selector_may_not_cost_too_much() -> None:
    """The limit holds for one device."""
    every = "device.attributes.all({0}, {1})"
    text = every.format("a", every.format("b", every.format("c", every.format("d", "a == d"))))
    assert complaint_about(text) == (Fault.FORBIDDEN, "too complex, exceeds cost limit")


def test_bind_is_only_of_selectors() -> None:
    """What is called on another receiver is a function, and there is none."""
    found = complaint_about("other.bind(a, 1, true)")
    assert found is not None
    assert "undeclared reference to 'bind'" in found.detail
