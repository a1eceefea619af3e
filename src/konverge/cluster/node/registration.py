"""Registration: the Node object of a simulated node, its status and its lease, kept as a kubelet keeps them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Final

import msgspec

import konverge as kv
from konverge import clock, log
from konverge.api.meta import OwnerReference
from konverge.api.time import MicroTime
from konverge.errors import ApiError, NotFound
from konverge.models import coordination_v1, core_v1
from konverge.version import KUBERNETES, __version__

_LOG = log.get("node")

LEASES: Final = "kube-node-lease"
NODE_IP: Final = "10.0.0.1"
POD_RANGE: Final = "10.244.0.0/16"
_LEASE_SECONDS: Final = 40
_RENEWALS: Final = (
    30  # of the lease between two looks at the node itself: five minutes, as a kubelet reports its status
)
RENEW_EVERY: Final = 10.0  # seconds; kube-controller-manager gives up on a node after 50
_NOT_READY_TAINT: Final = "node.kubernetes.io/not-ready"
_CAPACITY: Final = {"cpu": "1k", "memory": "1Ti", "ephemeral-storage": "1Ti", "pods": "10k"}
_HEALTHY: Final = {
    "MemoryPressure": ("False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
    "DiskPressure": ("False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
    "PIDPressure": ("False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
    "Ready": ("True", "KubeletReady", "kubelet is posting ready status"),
}


class NodeFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What a node says of itself."""

    address: str = NODE_IP
    pod_range: str = POD_RANGE
    runtime: str = "simulated"
    image: str = "konverge's simulated node"
    capacity: Mapping[str, str] = msgspec.field(default_factory=lambda: _CAPACITY)


SIMULATED: Final = NodeFacts()


class Registration:
    """Registers a node and renews its lease, as long as the manager runs; `renew_every` is in seconds."""

    def __init__(
        self, client: kv.Client, name: str, *, renew_every: float = RENEW_EVERY, facts: NodeFacts = SIMULATED
    ) -> None:
        self.name = f"node {name}"
        self._client = client
        self._node = name
        self._facts = facts
        self._renew_every = renew_every
        self._uid = ""  # the node's, once it is registered
        self._lease: coordination_v1.Lease | None = None  # as it was last written

    async def run(self) -> None:
        """Register, then renew until cancelled; what fails is tried again at the next turn."""
        turn = 0
        while True:
            try:
                if turn % _RENEWALS == 0:
                    await self._register()
                await self._renew()
            except ApiError as error:
                _LOG.warning("the node could not be kept registered", node=self._node, cause=str(error))
                turn = 0
                await asyncio.sleep(1.0)
            else:
                turn += 1
                await asyncio.sleep(self._renew_every)

    async def _register(self) -> None:
        try:
            node = await self._client.get(core_v1.Node, self._node)
        except NotFound:
            node = await self._client.create(node_object(self._node, self._facts))
        self._uid = node.metadata.uid or ""
        set_status(node, self._facts)
        if kv.has_changes(node):
            await self._client.status.patch(node)
        # Admission puts it on each new node, and a controller takes it off once the node is ready. Nothing here is ever
        # not ready, so nobody is waited for.
        if drop_taint(node):
            await self._client.patch(node)

    async def _renew(self) -> None:
        moment = MicroTime.of(clock.now())
        try:
            if self._lease is None:
                self._lease = await self._client.get(coordination_v1.Lease, self._node, namespace=LEASES)
            self._lease.spec.renew_time = moment
            await self._client.patch(self._lease)
        except NotFound:
            self._lease = await self._client.create(_lease(self._node, moment, uid=self._uid))


def node_object(name: str, facts: NodeFacts = SIMULATED) -> core_v1.Node:
    """Return a node as it registers itself."""
    labels = {"kubernetes.io/hostname": name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64"}
    old = {"beta.kubernetes.io/os": "linux", "beta.kubernetes.io/arch": "amd64"}
    metadata = kv.ObjectMeta(name=name, labels={**labels, **old})
    return core_v1.Node(metadata=metadata, spec=core_v1.NodeSpec(pod_cidr=facts.pod_range, pod_cidrs=[facts.pod_range]))


def set_status(node: core_v1.Node, facts: NodeFacts = SIMULATED) -> None:
    """Make a node's status say that it is well; what it says already keeps its times."""
    status = node.status
    status.addresses = [
        core_v1.NodeAddress(type="InternalIP", address=facts.address),
        core_v1.NodeAddress(type="Hostname", address=node.metadata.name or ""),
    ]
    status.capacity = status.allocatable = dict(facts.capacity)
    status.node_info = _node_info(facts)
    before = {each.type: each for each in status.conditions or ()}
    others = [each for each in status.conditions or () if each.type not in _HEALTHY]
    status.conditions = [*(_condition(name, before.get(name)) for name in _HEALTHY), *others]


def _condition(name: str, before: core_v1.NodeCondition | None) -> core_v1.NodeCondition:
    status, reason, message = _HEALTHY[name]
    if before is not None and (before.status, before.reason) == (status, reason):
        return before
    now = clock.now().replace(microsecond=0)
    return core_v1.NodeCondition(
        type=name, status=status, reason=reason, message=message, last_heartbeat_time=now, last_transition_time=now
    )


def drop_taint(node: core_v1.Node) -> bool:
    """Take off the taint of a node that is not ready; return whether it was there."""
    taints = node.spec.taints or []
    kept = [taint for taint in taints if taint.key != _NOT_READY_TAINT]
    node.spec.taints = kept or None
    return len(kept) < len(taints)


def _node_info(facts: NodeFacts) -> core_v1.NodeSystemInfo:
    return core_v1.NodeSystemInfo(
        architecture="amd64",
        boot_id="00000000-0000-0000-0000-000000000000",
        container_runtime_version=f"{facts.runtime}://{__version__}",
        kernel_version=facts.runtime,
        kube_proxy_version="",
        kubelet_version=f"{KUBERNETES}-konverge.{__version__}",
        machine_id="00000000000000000000000000000000",
        operating_system="linux",
        os_image=facts.image,
        system_uuid="00000000-0000-0000-0000-000000000000",
    )


def _lease(name: str, moment: MicroTime, *, uid: str) -> coordination_v1.Lease:
    spec = coordination_v1.LeaseSpec(
        holder_identity=name, lease_duration_seconds=_LEASE_SECONDS, acquire_time=moment, renew_time=moment
    )
    owner = OwnerReference(api_version="v1", kind="Node", name=name, uid=uid)
    metadata = kv.ObjectMeta(name=name, namespace=LEASES, owner_references=[owner])
    return coordination_v1.Lease(metadata=metadata, spec=spec)
