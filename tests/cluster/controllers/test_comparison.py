from __future__ import annotations

import asyncio
import importlib
import pkgutil

import pytest
import scenarios
from comparing.playing import Outcome, play_both
from comparing.scenario import ALL

from konverge.testing import RealCluster

for _module in pkgutil.iter_modules(scenarios.__path__):
    importlib.import_module(f"scenarios.{_module.name}")


@pytest.fixture(scope="session")
def outcomes(request: pytest.FixtureRequest, cluster_with_controllers: RealCluster) -> dict[str, Outcome]:
    """What became of each scenario, by its name; only of those whose test was selected."""
    items = (item for item in request.session.items if isinstance(item, pytest.Function) and hasattr(item, "callspec"))
    wanted = dict.fromkeys(name for item in items if (name := item.callspec.params.get("scenario")) in ALL)
    return asyncio.run(play_both(cluster_with_controllers, [ALL[name] for name in wanted]))


@pytest.mark.parametrize("scenario", sorted(ALL))
def test_the_end_is_that_of_the_real_control_plane(scenario: str, outcomes: dict[str, Outcome]) -> None:
    """The same scenario ends with the same objects, status and events as with kube-controller-manager."""
    assert not (difference := outcomes[scenario].difference()), difference


@pytest.mark.parametrize("scenario", sorted(ALL))
def test_a_second_look_writes_nothing(scenario: str, outcomes: dict[str, Outcome]) -> None:
    """Started anew where nothing has changed, no controller writes anything."""
    assert not outcomes[scenario].writes
