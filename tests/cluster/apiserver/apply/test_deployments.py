"""Random sequences of writes by three managers to Deployments."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from konverge.cluster.apiserver.apply.builtin import builtin_field_manager
from konverge.cluster.apiserver.apply.field_manager import FieldManager
from konverge.cluster.apiserver.apply.openapi_types import OpenApiTypes

SEQUENCES = 1000
STEPS = 9
MANAGERS = ("alice", "bob", "kubectl")


class Writer:
    """Writes one Deployment, in random ways."""

    def __init__(self, life: Any, fields: FieldManager) -> None:
        self.life = life
        self.fields = fields

    def step(self) -> None:
        """Do one random thing."""
        manager = self.life.rng.choice(MANAGERS)
        doing = self.life.rng.choice([self.apply, self.apply, self.replace, self.merge])
        doing = self.create if self.life.live is None and doing != self.apply else doing
        doing(manager)

    def body(self) -> dict[str, Any]:
        """Return a random Deployment; small, so that much of it is the same as before."""
        rng = self.life.rng
        spec: dict[str, Any] = {
            "selector": {"matchLabels": {"app": "a"}},
            "template": {"metadata": {"labels": {"app": "a"}}, "spec": self.pod()},
        }
        if rng.random() < 0.5:
            spec["replicas"] = rng.randint(0, 2)
        if rng.random() < 0.3:
            surge = {"rollingUpdate": {"maxSurge": rng.choice([1, "25%"])}}
            spec["strategy"] = rng.choice([{"type": "Recreate"}, surge])
        whole = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": self.life.metadata(), "spec": spec}
        return whole | ({"status": {"replicas": 3}} if rng.random() < 0.2 else {})

    def pod(self) -> dict[str, Any]:
        """Return a random pod."""
        rng = self.life.rng
        pod: dict[str, Any] = {"containers": [self.container(name) for name in rng.sample("abc", rng.randint(1, 2))]}
        volumes: list[Any] = [{"name": "v", "emptyDir": {}}, {"name": "w", "hostPath": {"path": "/"}}]
        if rng.random() < 0.4:
            pod["volumes"] = rng.sample(volumes, rng.randint(1, 2))
        if rng.random() < 0.3:
            pod["nodeSelector"] = {rng.choice("no"): "x"}
        if rng.random() < 0.3:
            pod["securityContext"] = rng.choice([{}, {"runAsUser": 5}, {"supplementalGroups": [1, 2]}])
        if rng.random() < 0.3:
            pod["tolerations"] = [{"key": rng.choice("kl"), "operator": "Exists"}]
        return pod

    def container(self, name: str) -> dict[str, Any]:
        """Return a random container."""
        rng = self.life.rng
        made_of: dict[str, Any] = {"name": name, "image": rng.choice(["i:1", "i:2"])}
        if rng.random() < 0.5:
            ports = [{"containerPort": port} for port in rng.sample([80, 443, 8080], rng.randint(0, 2))]
            made_of["ports"] = [port | ({"protocol": "UDP"} if rng.random() < 0.3 else {}) for port in ports]
        if rng.random() < 0.5:
            made_of["env"] = [
                {"name": name, "value": self.life.word()} for name in rng.sample("XYZ", rng.randint(0, 2))
            ]
        if rng.random() < 0.1:  # the real server takes an update with duplicates, and refuses to apply them
            made_of["env"] = [{"name": rng.choice("XY"), "value": self.life.word()} for _ in range(3)]
        if rng.random() < 0.3:
            made_of["resources"] = {"limits": {rng.choice(["cpu", "memory"]): rng.choice(["1", "2"])}}
        if rng.random() < 0.3:
            made_of["args"] = [self.life.word()]
        return made_of

    def create(self, manager: str) -> None:
        """Create it."""
        reply = self.life.send("POST", f"fieldManager={manager}", self.body())
        assert reply.code == 201, self.life.last()
        self.update(reply, None, manager)

    def replace(self, manager: str) -> None:
        """Replace it."""
        assert self.life.live is not None
        new = self.body()
        new["metadata"]["resourceVersion"] = self.life.live["metadata"]["resourceVersion"]
        given: list[Any] | None = self.life.rng.choice([None, None, None, None, None, [], [{}]])
        if given is not None:
            new["metadata"]["managedFields"] = given
        self.update(self.life.send("PUT", f"fieldManager={manager}", new), copy.deepcopy(given), manager)

    def merge(self, manager: str) -> None:
        """Patch it."""
        assert self.life.live is not None
        given = copy.deepcopy(self.life.live["metadata"].get("managedFields"))
        reply = self.life.send("PATCH", f"fieldManager={manager}", self.body(), "application/merge-patch+json")
        self.update(reply, given, manager)

    def update(self, reply: Any, given: Any, manager: str) -> None:
        """Compare an update, where the real server took it."""
        if reply.code > 201:
            assert reply.code == 422, self.life.last()
            return
        new = copy.deepcopy(reply.body)
        new["metadata"].pop("managedFields", None)
        if given is not None:
            new["metadata"]["managedFields"] = given
        self.life.check_update(self.fields, reply.body, new, manager=manager)
        self.life.live = reply.body

    def apply(self, manager: str) -> None:
        """Apply it; what we make of it is compared without what the real server defaults."""
        patch, force = self.body(), self.life.rng.random() < 0.5
        query = f"fieldManager={manager}&force={str(force).lower()}"
        reply = self.life.send("PATCH", query, patch, "application/apply-patch+yaml")
        if reply.code == 422:
            return
        ours = self.life.check_apply(self.fields, reply, patch, manager=manager, force=force)
        if ours:
            ours.pop("status", None)
            assert_within(self.life.bare(ours), self.life.bare(reply.body))
            self.life.live = reply.body


def assert_within(part: Any, whole: Any) -> None:
    """Check that one value has nothing that the other has not; what is empty and defaults aside."""
    if isinstance(part, dict):
        assert isinstance(whole, dict)
        for name, value in part.items():
            if value not in (None, [], {}, ""):
                assert_within(value, whole[name])
    elif isinstance(part, list):
        assert len(part) == len(whole)
        for ours, theirs in zip(part, whole, strict=True):
            assert_within(ours, theirs)
    else:
        assert part == whole


def test_deployments(real: Any, life: Callable[..., Any], share: float) -> None:
    """Three managers write Deployments."""
    components = real.send("GET", "/openapi/v3/apis/apps/v1", None).body["components"]["schemas"]
    fields = builtin_field_manager(
        "Deployment",
        "apps/v1",
        types=OpenApiTypes(components),
        components={"apps/v1": "io.k8s.api.apps.v1.Deployment"},
    )
    path = "/apis/apps/v1/namespaces/default/deployments"
    for seed in range(int(SEQUENCES * share)):
        writer = Writer(life(seed, path=path, name=f"apply-{seed}"), fields)
        for _ in range(STEPS):
            writer.step()
