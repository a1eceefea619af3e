from __future__ import annotations

import importlib
import pkgutil

import pytest
import scenarios
from comparing.playing import Outcome
from comparing.scenario import ALL

for _module in pkgutil.iter_modules(scenarios.__path__):
    importlib.import_module(f"scenarios.{_module.name}")


@pytest.mark.parametrize("scenario", sorted(ALL))
def test_the_end_is_that_of_the_real_control_plane(scenario: str, outcomes: dict[str, Outcome]) -> None:
    """The same scenario ends with the same objects, status and events as with kube-controller-manager."""
    assert not (difference := outcomes[scenario].difference()), difference


@pytest.mark.parametrize("scenario", sorted(ALL))
def test_a_second_look_writes_nothing(scenario: str, outcomes: dict[str, Outcome]) -> None:
    """Started anew where nothing has changed, no controller writes anything."""
    assert not outcomes[scenario].writes
