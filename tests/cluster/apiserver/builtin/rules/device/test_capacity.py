"""Policies of requests for a part of a capacity."""

from __future__ import annotations

from typing import Any

import pytest

from konverge.cluster.apiserver.builtin.rules.device.capacity import shared_capacity_errors


@pytest.mark.parametrize(
    ("policy", "refused"),
    [
        ({"default": "2", "validValues": ["1", "2"]}, []),
        ({"validValues": ["1"]}, ["default"]),
        ({"default": "1", "validValues": ["2", "1"]}, ["validValues[1]"]),
        ({"default": "1", "validValues": ["1", "1"]}, ["validValues[1]"]),
        ({"default": "3", "validValues": ["1", "20"]}, ["validValues[1]", "validValues"]),
        ({"default": "3", "validRange": {"min": "1", "max": "9", "step": "2"}}, []),
        ({"default": "3", "validRange": {"max": "9"}}, ["validRange.min"]),
        ({"default": "2", "validRange": {"min": "1", "max": "8", "step": "2"}}, ["validRange.step", "validRange.step"]),
        ({"default": "1", "validRange": {"min": "1", "step": "0"}}, ["validRange.step"]),
        ({"default": "5", "validRange": {"min": "11"}}, ["validRange.min", "validRange.min"]),
        ({"default": "1", "validValues": ["1"], "validRange": {"min": "1"}}, [""]),
    ],
)
def test_a_policy_fits_its_capacity(policy: dict[str, Any], refused: list[str]) -> None:
    """And its default fits the policy. The real server panics at a step of 0; here it is refused."""
    found = [error.field for error in shared_capacity_errors({"value": "10", "requestPolicy": policy}, "a")]
    assert found == [f"a.requestPolicy.{field}".removesuffix(".") for field in refused]
