from __future__ import annotations

import pytest

from konverge.cluster import controllers
from konverge.errors import ConfigError
from konverge.testing import VirtualCluster


async def test_all_controllers_are_added_under_their_names() -> None:
    """Each line of the table names a module, which registers a controller of that name or a few of them."""
    manager = VirtualCluster().manager()
    controllers.add_to(manager)
    assert "deployment-controller" in manager.controllers
    assert len(manager.names) >= len(controllers.CONTROLLERS)


async def test_some_are_added_by_name() -> None:
    """No others come with them."""
    manager = VirtualCluster().manager()
    controllers.add_to(manager, ["replicaset-controller"])
    assert list(manager.controllers) == ["replicaset-controller"]


async def test_an_unknown_name_is_refused() -> None:
    """The message says which there are."""
    with pytest.raises(ConfigError, match=r"'bogus' is no built-in controller: choose from .*deployment-controller"):
        controllers.add_to(VirtualCluster().manager(), ["bogus"])
