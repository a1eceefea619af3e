"""Endpoints and EndpointSlices: of pods, of none, and mirrored."""

from __future__ import annotations

from typing import Any

from comparing.scenario import scenario
from comparing.stage import Stage

ENDPOINTS, SLICE, POD, SERVICE = "v1 Endpoints", "discovery.k8s.io/v1 EndpointSlice", "v1 Pod", "v1 Service"
SHOWN = (ENDPOINTS, SLICE)


def service(name: str = "web", *, labels: dict[str, str] | None = None, **spec: Any) -> dict[str, Any]:
    """Return a service that selects the pods of an app."""
    wanted = {"selector": {"app": "web"}, "ports": [{"port": 80, "targetPort": 8080}], **spec}
    metadata = {"name": name, "labels": labels or {}}
    return {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": wanted}


def pod(name: str = "a", *, simulate: str = "", **spec: Any) -> dict[str, Any]:
    """Return a pod of the app, with a named port."""
    container = {"name": "main", "image": "example.com/web:1", "ports": [{"name": "http", "containerPort": 8081}]}
    metadata: dict[str, Any] = {"name": name, "labels": {"app": "web"}}
    if simulate:
        metadata["annotations"] = {"konverge.dev/simulate": simulate}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": [container], **spec}}


async def running(stage: Stage, name: str = "a") -> None:
    """Wait for a pod to run."""
    await stage.until(POD, name, lambda found: found["status"]["phase"] == "Running")


async def listed(stage: Stage, count: int, name: str = "web") -> None:
    """Wait until the Endpoints of a service have so many addresses that are ready."""
    await stage.until(
        ENDPOINTS,
        name,
        lambda found: sum(len(each.get("addresses", ())) for each in found.get("subsets", ())) == count,
    )


async def sliced(stage: Stage, count: int) -> None:
    """Wait until all slices together have so many endpoints."""
    await stage.until_listed(SLICE, lambda all_: sum(len(each.get("endpoints") or ()) for each in all_) == count)


@scenario(shows=SHOWN)
async def no_pods(stage: Stage) -> None:
    """An empty object and an empty slice say so."""
    await stage.create(service(labels={"team": "blue"}))
    await listed(stage, 0)
    await stage.until_listed(SLICE, lambda all_: len(all_) == 1)


@scenario(shows=SHOWN)
async def one_pod(stage: Stage) -> None:
    """Its address, its port, its node and its name."""
    await stage.create(pod())
    await running(stage)
    await stage.create(service())
    await listed(stage, 1)
    await sliced(stage, 1)


@scenario(shows=SHOWN)
async def a_pod_that_comes_later(stage: Stage) -> None:
    """The empty slice becomes the one that has it."""
    await stage.create(service())
    await listed(stage, 0)
    await stage.create(pod())
    await listed(stage, 1)
    await sliced(stage, 1)


@scenario(shows=SHOWN)
async def a_named_port(stage: Stage) -> None:
    """Is looked up in the pod; one that the pod has not is left out."""
    await stage.create(pod())
    await running(stage)
    await stage.create(service(ports=[{"port": 80, "targetPort": "http"}]))
    await stage.create(service("other", ports=[{"port": 80, "targetPort": "https"}]))
    await listed(stage, 1)
    await listed(stage, 0, "other")
    await sliced(stage, 2)


@scenario(shows=SHOWN)
async def headless(stage: Stage) -> None:
    """It is labelled, and may have no ports."""
    await stage.create(pod(hostname="first", subdomain="web"))
    await running(stage)
    await stage.create(service(clusterIP="None"))
    await stage.create(service("bare", clusterIP="None", ports=[]))
    await listed(stage, 1)
    await listed(stage, 1, "bare")
    await sliced(stage, 2)


@scenario(shows=SHOWN)
async def labels_follow_the_service(stage: Stage) -> None:
    """Those that it gets, and those that it loses."""
    await stage.create(service(labels={"a": "1", "b": "2"}))
    await stage.until(ENDPOINTS, "web", lambda found: found["metadata"]["labels"]["a"] == "1")
    await stage.patch(SERVICE, "web", {"metadata": {"labels": {"a": "3", "b": None}}})
    await stage.until(ENDPOINTS, "web", lambda found: found["metadata"]["labels"]["a"] == "3")
    await stage.until_listed(SLICE, lambda all_: all_[0]["metadata"]["labels"]["a"] == "3")


@scenario(shows=SHOWN)
async def a_pod_that_goes(stage: Stage) -> None:
    """Takes its endpoint with it."""
    await stage.create(pod())
    await running(stage)
    await stage.create(service())
    await listed(stage, 1)
    await sliced(stage, 1)
    await stage.delete(POD, "a")
    await listed(stage, 0)
    await sliced(stage, 0)


@scenario(shows=SHOWN)
async def a_service_that_goes(stage: Stage) -> None:
    """Takes its Endpoints with it, and those that someone wrote for it."""
    await stage.create(service())
    await listed(stage, 0)
    await stage.delete(SERVICE, "web")
    await stage.gone(ENDPOINTS, "web")
    await stage.until_listed(SLICE, lambda all_: not all_)


@scenario(shows=SHOWN)
async def written_by_hand(stage: Stage) -> None:
    """Endpoints of a service without a selector are mirrored, and follow each change."""
    await stage.create(service(selector=None))
    metadata = {"name": "web", "labels": {"team": "blue"}, "annotations": {"note": "x"}}
    subset = {"addresses": [{"ip": "192.0.2.1"}], "ports": [{"name": "http", "port": 80}]}
    await stage.create({"apiVersion": "v1", "kind": "Endpoints", "metadata": metadata, "subsets": [subset]})
    await sliced(stage, 1)
    more = {"addresses": [{"ip": "192.0.2.2", "hostname": "b"}], "ports": [{"name": "http", "port": 81}]}
    await stage.patch(ENDPOINTS, "web", {"subsets": [more], "metadata": {"labels": {"team": "red"}}})
    await stage.until_listed(SLICE, lambda all_: all_[0]["ports"][0]["port"] == 81)


@scenario(shows=SHOWN)
async def not_mirrored(stage: Stage) -> None:
    """Where they say so, or belong to no service."""
    subset = {"addresses": [{"ip": "192.0.2.1"}], "ports": [{"port": 80}]}
    await stage.create(service(selector=None))
    label = {"endpointslice.kubernetes.io/skip-mirror": "true"}
    told = {"name": "web", "labels": label}
    await stage.create({"apiVersion": "v1", "kind": "Endpoints", "metadata": told, "subsets": [subset]})
    await stage.create({"apiVersion": "v1", "kind": "Endpoints", "metadata": {"name": "alone"}, "subsets": [subset]})
    await listed(stage, 1, "alone")
