from __future__ import annotations

from datetime import timedelta

from making.workloads import NOW, pod

from konverge.cluster.controllers.service_pods import told_of
from konverge.models import core_v1


def test_endpoints_tell_of_readiness_and_addresses_alone() -> None:
    """Another annotation or restart is no reason to look at a service; an address, an end and a deletion are."""
    before = told_of(pod("a"))
    assert told_of(pod("a", cost="5", restarts=3)) == before
    assert told_of(pod("a", ready_for=None)) != before
    assert told_of(pod("a", phase="Failed")) != before
    with_address, going = pod("a"), pod("a")
    with_address.status.pod_ips = [core_v1.PodIP(ip="10.244.0.2")]
    going.metadata.deletion_timestamp = NOW + timedelta(seconds=30)
    assert told_of(with_address) != before
    assert told_of(going) != before
