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
    """Takes its endpoint with it.

    Chance decides whether it is seen to end before it is gone, also without a grace: the server marks a pod, and then
    deletes it. So it is one that is not ready, since the time at which that changes would be noted.
    """
    await stage.create(pod(simulate='{"readyAfter": null}'))
    await running(stage)
    await stage.create(service(publishNotReadyAddresses=True))
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
    ports = [{"name": name, "port": 81 + n} for n, name in enumerate(("http", "https", "metrics", "debug"))]
    more = {"addresses": [{"ip": "192.0.2.2", "hostname": "b"}], "ports": ports}
    await stage.patch(ENDPOINTS, "web", {"subsets": [more], "metadata": {"labels": {"team": "red"}}})
    await stage.until_listed(SLICE, lambda all_: len(all_[0]["ports"]) == len(ports))


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


@scenario(shows=SHOWN)
async def several_ports(stage: Stage) -> None:
    """In the order of a hash, which is another one for slices."""
    names = ("http", "https", "metrics", "debug", "admin")
    ports: list[dict[str, Any]] = [
        {"name": name, "port": 80 + n, "targetPort": 8080 + n} for n, name in enumerate(names)
    ]
    ports[1]["appProtocol"] = "kubernetes.io/h2c"
    ports[2]["protocol"] = "UDP"
    await stage.create(pod())
    await running(stage)
    await stage.create(service(ports=ports))
    await listed(stage, 1)
    await sliced(stage, 1)


@scenario(shows=SHOWN)
async def a_pod_that_is_not_ready(stage: Stage) -> None:
    """It is listed as one; a service may want it all the same."""
    await stage.create(pod(simulate='{"readyAfter": null}'))
    await running(stage)
    await stage.create(service())
    await stage.create(service("eager", publishNotReadyAddresses=True))
    await listed(stage, 1, "eager")
    await sliced(stage, 2)


@scenario(shows=SHOWN)
async def a_pod_that_takes_leave(stage: Stage) -> None:
    """It still serves, and is no longer ready."""
    await stage.create(pod(simulate='{"stopAfter": 3000}', terminationGracePeriodSeconds=3000))
    await running(stage)
    await stage.create(service())
    await listed(stage, 1)
    await stage.delete(POD, "a")
    await listed(stage, 0)
    await stage.until_listed(SLICE, lambda all_: all_[0]["endpoints"][0]["conditions"]["terminating"])


@scenario(shows=SHOWN)
async def a_pod_that_has_ended(stage: Stage) -> None:
    """It has no endpoint any more."""
    await stage.create(pod(simulate='{"exitAfter": 1}', restartPolicy="Never"))
    await stage.create(service())
    await stage.until(POD, "a", lambda found: found["status"]["phase"] == "Succeeded")
    await listed(stage, 0)
    await sliced(stage, 0)


@scenario(shows=SHOWN)
async def another_selector(stage: Stage) -> None:
    """The pods are those of the new one, and the ports those of the new ports."""
    await stage.create(pod())
    await running(stage)
    await stage.create(service(selector={"app": "other"}))
    await listed(stage, 0)
    ports = [{"name": "web", "port": 90, "targetPort": 9090, "protocol": "TCP"}]
    await stage.patch(SERVICE, "web", {"spec": {"selector": {"app": "web"}, "ports": ports}})
    await listed(stage, 1)
    await sliced(stage, 1)


@scenario(shows=SHOWN)
async def on_the_network_of_the_node(stage: Stage) -> None:
    """The address is the node's."""
    await stage.create(pod(hostNetwork=True))
    await running(stage)
    await stage.create(service())
    await listed(stage, 1)
    await sliced(stage, 1)


@scenario(shows=SHOWN)
async def traffic_that_stays_near(stage: Stage) -> None:
    """Hints name the node where the service prefers it, and the zone where there is one."""
    await stage.create(pod())
    await running(stage)
    await stage.create(service(trafficDistribution="PreferSameNode"))
    await stage.create(service("zone", trafficDistribution="PreferClose"))
    await listed(stage, 1)
    await listed(stage, 1, "zone")
    await sliced(stage, 2)


@scenario(shows=SHOWN)
async def the_preference_goes(stage: Stage) -> None:
    """And the hints with it."""
    await stage.create(pod())
    await running(stage)
    await stage.create(service(trafficDistribution="PreferSameNode"))
    await stage.until_listed(SLICE, lambda all_: all_[0]["endpoints"][0]["hints"]["forNodes"])
    await stage.patch(SERVICE, "web", {"spec": {"trafficDistribution": None}})
    await stage.until_listed(SLICE, lambda all_: "hints" not in all_[0]["endpoints"][0])
    await listed(stage, 1)


@scenario(shows=SHOWN)
async def changed_by_hand(stage: Stage) -> None:
    """What someone wrote over it is put right."""
    await stage.create(pod())
    await running(stage)
    await stage.create(service())
    await listed(stage, 1)
    await sliced(stage, 1)
    await stage.patch(ENDPOINTS, "web", {"subsets": []})
    (slice_,) = await stage.list(SLICE)
    await stage.delete(SLICE, slice_["metadata"]["name"])
    await stage.gone(SLICE, slice_["metadata"]["name"])
    await sliced(stage, 1)
    await stage.patch(SERVICE, "web", {"metadata": {"labels": {"touched": "yes"}}})
    await listed(stage, 1)
    await stage.until_listed(SLICE, lambda all_: all_[0]["metadata"]["labels"]["touched"] == "yes")


@scenario(shows=SHOWN)
async def a_name_elsewhere(stage: Stage) -> None:
    """A service that is another name for a host has no endpoints; one that becomes it keeps none."""
    await stage.create(service("alias", type="ExternalName", externalName="example.com", selector=None, ports=[]))
    await stage.create(service())
    await listed(stage, 0)
    await stage.until_listed(SLICE, lambda all_: len(all_) == 1)
