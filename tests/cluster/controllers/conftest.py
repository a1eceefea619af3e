"""The outcomes of all scenarios that were asked for, played once."""

from __future__ import annotations

import asyncio

import pytest
from comparing.playing import Outcome, play_both
from comparing.scenario import ALL

from konverge.testing import RealCluster


@pytest.fixture(scope="session")
def outcomes(request: pytest.FixtureRequest, cluster_with_controllers: RealCluster) -> dict[str, Outcome]:
    """What became of each scenario, by its name; only of those whose test was selected."""
    items = (item for item in request.session.items if isinstance(item, pytest.Function) and hasattr(item, "callspec"))
    wanted = dict.fromkeys(name for item in items if (name := item.callspec.params.get("scenario")) in ALL)
    return asyncio.run(play_both(cluster_with_controllers, [ALL[name] for name in wanted]))
