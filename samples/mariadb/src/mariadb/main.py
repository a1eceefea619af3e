"""The operator: the kinds it defines, what it does about them, and how it runs.

`konverge create` adds lines to KINDS and to `add_to`; all of it is yours to change.
"""

import os

import konverge as kv
from konverge import log

from mariadb.api.v1.maria_db import MariaDB as MariaDBV1
from mariadb.controllers.maria_db import add_maria_db_controller

KINDS: list[type[kv.Object]] = [
    MariaDBV1,
]


def add_to(manager: kv.Manager) -> kv.Manager:
    """Add the controller to a manager."""
    add_maria_db_controller(manager)
    return manager


def make_manager() -> kv.Manager:
    """Return the manager that runs in a cluster; `konverge run` and `konverge manifests` ask for it, too."""
    manager = kv.Manager(
        metrics_address=os.environ.get("METRICS_ADDRESS", ":8080"),
        health_address=os.environ.get("HEALTH_ADDRESS", ":8081"),
        leader_election=kv.LeaderElection(id="mariadb.example.com"),
    )
    return add_to(manager)


if __name__ == "__main__":
    log.setup()
    make_manager().run()
