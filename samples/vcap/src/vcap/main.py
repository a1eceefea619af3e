"""The operator: the kinds it defines, what it does about them, and how it runs.

`konverge create` adds lines to KINDS and to `add_to`; all of it is yours to change.
"""

import os

import konverge as kv
from konverge import log

from vcap.api.v1.vcap_services_converter import VcapServicesConverter as VcapServicesConverterV1
from vcap.controllers.vcap_services_converter import add_vcap_services_converter_controller

KINDS: list[type[kv.Object]] = [
    VcapServicesConverterV1,
]

# Every ten minutes all converters are looked at again: a change that the filters did not let pass is found then.
RESYNC = 600.0


def add_to(manager: kv.Manager) -> kv.Manager:
    """Add the controller to a manager."""
    add_vcap_services_converter_controller(manager)
    return manager


def make_manager() -> kv.Manager:
    """Return the manager that runs in a cluster; `konverge run` and `konverge manifests` ask for it, too."""
    manager = kv.Manager(
        metrics_address=os.environ.get("METRICS_ADDRESS", ":8080"),
        health_address=os.environ.get("HEALTH_ADDRESS", ":8081"),
        cache=kv.CacheOptions(resync=RESYNC),
        leader_election=kv.LeaderElection(id="vcap.example.com"),
    )
    return add_to(manager)


if __name__ == "__main__":
    log.setup()
    make_manager().run()
