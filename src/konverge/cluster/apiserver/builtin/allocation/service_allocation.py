"""ServiceAllocation: what a service gets before it is judged, and what is recorded when it is stored.

`begin` only chooses; `settle` records, in the same step in which the service is stored. Nothing else happens between
the two, so nothing is given out twice, and a service that is refused has to give nothing back.
"""

from __future__ import annotations

from konverge.cluster.apiserver.builtin.admission.admission import Admission
from konverge.cluster.apiserver.builtin.allocation.cluster_ips import choose_cluster_ips, record_cluster_ips
from konverge.cluster.apiserver.builtin.allocation.families import set_families
from konverge.cluster.apiserver.builtin.allocation.kept import keep_given, match_cluster_ips
from konverge.cluster.apiserver.builtin.allocation.node_ports import NodePorts
from konverge.cluster.apiserver.builtin.allocation.recorder import Recorder
from konverge.cluster.apiserver.strategy import JsonObject


class ServiceAllocation:
    """Gives out to the services of one server."""

    def __init__(self) -> None:
        self._ports = NodePorts()

    def begin(self, admission: Admission) -> None:
        """Give a service what it does not have yet; an update keeps what was given out before."""
        old = None if admission.old is None else admission.old["spec"]
        if old is not None:
            keep_given(admission.spec, old)
        match_cluster_ips(admission.spec, old)
        set_families(admission, old)
        choose_cluster_ips(admission, old)
        self._ports.choose(admission, old)

    def settle(self, recorder: Recorder, old: JsonObject | None, new: JsonObject | None) -> None:
        """Record what the service that is being stored has, and what the one before it had."""
        record_cluster_ips(recorder, old, new)
        self._ports.record(old, new)
        if new is None and old is not None:
            metadata = old["metadata"]
            recorder.remove(f"/core/endpoints/{metadata['namespace']}/{metadata['name']}")
