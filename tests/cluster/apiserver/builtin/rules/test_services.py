"""What services may be; the words are compared with the real server's in tests/conformance."""

from __future__ import annotations

from typing import Any

import pytest

from konverge.cluster.apiserver.builtin import rules
from konverge.cluster.apiserver.builtin.rules.address import (
    address_errors,
    endpoint_errors,
    range_errors,
    read_address,
    read_range,
)
from konverge.cluster.apiserver.builtin.rules.port import port_name

PORT = {"port": 80, "protocol": "TCP", "targetPort": 80}
SPEC = {
    "type": "ClusterIP",
    "ports": [PORT],
    "clusterIP": "10.96.0.9",
    "clusterIPs": ["10.96.0.9"],
    "sessionAffinity": "None",
    "internalTrafficPolicy": "Cluster",
}


def fields(old: dict[str, Any] | None = None, **spec: Any) -> list[str]:
    """Return the fields of a service that are refused."""
    own = rules.of("", "Service")
    assert own.validate is not None
    assert own.validate_update is not None
    value = {"metadata": {"name": "a"}, "spec": {**SPEC, **spec}}
    if old is None:
        return [error.field for error in own.validate(value)]
    before = {"metadata": {"name": "a"}, "spec": {**SPEC, **old}}
    return [error.field for error in own.validate_update(value, before, "")]


@pytest.mark.parametrize(
    ("ports", "refused"),
    [
        ([PORT], []),
        ([], ["spec.ports"]),
        ([{**PORT, "port": 0}], ["spec.ports[0].port"]),
        ([{**PORT, "targetPort": "--"}], ["spec.ports[0].targetPort"] * 3),
        ([PORT, {**PORT, "port": 81}], ["spec.ports[0].name", "spec.ports[1].name"]),
        ([{**PORT, "name": "a"}, {**PORT, "name": "b"}], ["spec.ports[1]"]),
        ([{**PORT, "nodePort": 30000}], ["spec.ports[0].nodePort"]),
    ],
)
def test_each_port_has_a_number_and_several_have_names(ports: list[dict[str, Any]], refused: list[str]) -> None:
    """And none is there twice, nor on nodes where the type has none."""
    assert fields(ports=ports) == refused


def test_the_address_stays() -> None:
    """It may neither change nor go while the service has one."""
    assert fields(old={}) == []
    other = {"clusterIP": "10.96.0.8", "clusterIPs": ["10.96.0.8"]}
    assert fields(old=other) == ["spec.clusterIPs[0]"]
    assert fields(old={}, clusterIP="None", clusterIPs=["None"]) == ["spec.clusterIPs[0]"]
    second = {"clusterIPs": ["10.96.0.9", "fd00::9"]}
    assert fields(old=second) == ["spec.ipFamilyPolicy"]
    assert fields(old=second, ipFamilyPolicy="SingleStack") == []


@pytest.mark.parametrize("text", ["", "x", "1.2.3", "1.2.3.256", "fe80::1%a", "1..2.3", "²", "1.2.3.4/8", "::1::"])
def test_what_is_no_address(text: str) -> None:
    """It is refused, never a failure of ours."""
    assert read_address(text) is None
    assert len(address_errors(text, "a")) == 1
    assert len(endpoint_errors(text, "a")) == 1


@pytest.mark.parametrize("text", ["", "x", "10.0.0.0", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/²", "/8", "::/129"])
def test_what_is_no_range(text: str) -> None:
    """It is refused, however long its number is."""
    assert read_range(text) is None
    assert len(range_errors(text, "a")) == 1
    assert read_range(f"10.0.0.0/{'9' * 10_000}") is None


def test_a_value_that_was_there_before_is_kept() -> None:
    """Though it would not be taken anew."""
    assert address_errors("010.0.0.1", "a", ["010.0.0.1"]) == []
    assert range_errors("10.0.0.1/8", "a", ["10.0.0.1/8"]) == []


@pytest.mark.parametrize(
    ("name", "faults"), [("http", 0), ("a" * 16, 1), ("A", 2), ("1", 1), ("a--b", 1), ("-a", 1), ("", 2)]
)
def test_a_port_has_a_short_name_with_a_letter(name: str, faults: int) -> None:
    """Each way in which it is none is told."""
    assert len(port_name(name)) == faults
