"""What remembering costs: `read` against the bare decoding of the same bytes, and what a write of one change costs.

Run it with `python bench/round_trip.py`. The ratios count; the times are of whatever machine this is.
"""

from __future__ import annotations

import gc
import json
import timeit
from collections.abc import Callable
from typing import Any, ClassVar

from konverge.api.kind import Resource
from konverge.api.meta import Condition
from konverge.api.model import Model, decoder, encode, field
from konverge.api.object import Object, has_changes, read, write
from konverge.api.unstructured import Unstructured
from konverge.models import apps_v1, core_v1

ROUNDS, CALLS = 200, 200


class Backend(Model):
    """A part of the custom resource."""

    name: str | None = None
    host: str | None = None
    port: int | None = None
    weight: int | None = None


class Route(Model):
    """A list item without keys, which leads to another."""

    path: str | None = None
    backends: list[Backend] | None = None


class WidgetSpec(Model):
    """What the author wants."""

    replicas: int | None = None
    image: str | None = None
    routes: list[Route] | None = None
    settings: dict[str, str] | None = None


class WidgetStatus(Model):
    """What is."""

    observed_generation: int | None = None
    conditions: list[Condition] | None = None


class Widget(Object):
    """A custom resource of 1.6 KB, as most are."""

    __resource__: ClassVar[Resource] = Resource(
        group="bench.konverge.dev", version="v1", kind="Widget", plural="widgets", namespaced=True
    )

    spec: WidgetSpec = field(default_factory=WidgetSpec)
    status: WidgetStatus = field(default_factory=WidgetStatus)


def metadata(name: str) -> dict[str, Any]:
    """Return what a server keeps of an object, without managed fields, as a cache holds it."""
    return {
        "name": name,
        "namespace": "default",
        "uid": "0b2a6c0e-5d0e-4a65-9f3f-6d1a4f1f6b11",
        "resourceVersion": "123456",
        "generation": 3,
        "creationTimestamp": "2026-01-31T12:00:00Z",
        "labels": {"app.kubernetes.io/name": name, "app.kubernetes.io/part-of": "bench", "tier": "web"},
        "annotations": {
            "bench.konverge.dev/checksum": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
        },
        "ownerReferences": [
            {"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": "f1", "controller": True}
        ],
    }


def condition(type_: str) -> dict[str, Any]:
    """Return a condition."""
    return {
        "type": type_,
        "status": "True",
        "lastTransitionTime": "2026-01-31T12:00:00Z",
        "reason": "AsExpected",
        "message": "everything is as it should be",
    }


def widget() -> dict[str, Any]:
    """Return a custom resource."""
    backends = [{"name": f"backend-{i}", "host": f"b{i}.example.com", "port": 8080, "weight": i} for i in range(3)]
    return {
        "apiVersion": "bench.konverge.dev/v1",
        "kind": "Widget",
        "metadata": metadata("widget"),
        "spec": {
            "replicas": 3,
            "image": "registry.example.com/widget:1.2.3",
            "routes": [{"path": f"/path-{i}", "backends": backends[: i + 1]} for i in range(2)],
            "settings": {f"setting-{i}": "v" * 12 for i in range(12)},
        },
        "status": {"observedGeneration": 3, "conditions": [condition("Ready"), condition("Available")]},
    }


def pod_spec() -> dict[str, Any]:
    """Return the spec of a Pod with an application and a sidecar."""
    container = {
        "name": "app",
        "image": "registry.example.com/app:1.2.3",
        "imagePullPolicy": "IfNotPresent",
        "ports": [{"name": "http", "containerPort": 8080, "protocol": "TCP"}],
        "env": [{"name": f"SETTING_{i}", "value": f"value-{i}"} for i in range(5)],
        "resources": {"requests": {"cpu": "100m", "memory": "128Mi"}, "limits": {"memory": "256Mi"}},
        "volumeMounts": [{"name": "data", "mountPath": "/data"}, {"name": "token", "mountPath": "/token"}],
        "livenessProbe": {"httpGet": {"path": "/healthz", "port": "http", "scheme": "HTTP"}, "periodSeconds": 10},
        "readinessProbe": {"httpGet": {"path": "/readyz", "port": "http", "scheme": "HTTP"}, "periodSeconds": 10},
        "terminationMessagePath": "/dev/termination-log",
        "terminationMessagePolicy": "File",
    }
    return {
        "containers": [container, {**container, "name": "sidecar"}],
        "volumes": [{"name": "data", "emptyDir": {}}, {"name": "token", "secret": {"secretName": "token"}}],
        "restartPolicy": "Always",
        "terminationGracePeriodSeconds": 30,
        "dnsPolicy": "ClusterFirst",
        "serviceAccountName": "app",
        "securityContext": {"runAsNonRoot": True},
        "schedulerName": "default-scheduler",
        "tolerations": [{"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute"}],
    }


def deployment() -> dict[str, Any]:
    """Return a Deployment."""
    labels = {"app": "app"}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": metadata("app"),
        "spec": {
            "replicas": 3,
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": pod_spec()},
            "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"}},
        },
        "status": {"replicas": 3, "conditions": [condition("Available"), condition("Progressing")]},
    }


def pod() -> dict[str, Any]:
    """Return a Pod that runs."""
    states: list[dict[str, Any]] = [
        {
            "name": name,
            "ready": True,
            "restartCount": 0,
            "image": "app",
            "imageID": "sha256:1",
            "state": {"running": {}},
        }
        for name in ("app", "sidecar")
    ]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata("app-0"),
        "spec": {**pod_spec(), "nodeName": "node-1"},
        "status": {
            "phase": "Running",
            "conditions": [condition("Ready"), condition("PodScheduled"), condition("Initialized")],
            "podIPs": [{"ip": "10.0.0.1"}],
            "containerStatuses": states,
        },
    }


def service() -> dict[str, Any]:
    """Return a Service, the small one."""
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "app", "namespace": "default"},
        "spec": {"selector": {"app": "app"}, "ports": [{"port": 80, "targetPort": 8080}]},
    }


def best(*calls: Callable[[], object]) -> list[float]:
    """Return the microseconds of each, the quickest of many runs; they take turns, so that all meet the same noise."""
    timers = [timeit.Timer(call) for call in calls]
    times = [[timer.timeit(CALLS) for timer in timers] for _ in range(ROUNDS)]
    return [min(column) / CALLS * 1e6 for column in zip(*times, strict=True)]


def measure(name: str, cls: type[Object], content: dict[str, Any]) -> None:
    """Print the line of one kind."""
    data = encode(content)
    bare = decoder(cls).decode
    changed = read(cls, data)
    changed.metadata.labels = {"changed": "yes"}
    decoding, reading, writing, asking = best(
        lambda: bare(data), lambda: read(cls, data), lambda: write(changed), lambda: has_changes(changed)
    )
    print(
        f"{name:<14}{len(data):>7}{decoding:>10.2f}{reading:>10.2f}{reading / decoding:>9.2f}"
        f"{writing:>10.1f}{asking:>13.1f}"
    )


def main() -> None:
    """Print a table."""
    gc.disable()
    print(f"{'kind':<14}{'bytes':>7}{'decode µs':>10}{'read µs':>10}{'ratio':>9}{'write µs':>10}{'changes? µs':>13}")
    measure("Service", core_v1.Service, service())
    measure("Widget (CR)", Widget, widget())
    measure("Deployment", apps_v1.Deployment, deployment())
    measure("Pod", core_v1.Pod, pod())
    data = encode(widget())
    plain, whole = best(lambda: json.loads(data), lambda: read(Unstructured, data))
    print(f"{'Unstructured':<14}{len(data):>7}{whole:>20.2f} µs to read; json.loads alone takes {plain:.2f}")


if __name__ == "__main__":
    main()
