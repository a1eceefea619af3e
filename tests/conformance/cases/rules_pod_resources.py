"""Rules of what a pod and its containers need: of the pod as a whole, of huge pages, and of a resize."""

from __future__ import annotations

from typing import Any, Final

from harness.script import Cases, Script

case = Cases("pod-resources")
PATH: Final = "/api/v1/namespaces/{ns}/pods"


def _container(name: str = "a", **resources: Any) -> dict[str, Any]:
    return {"name": name, "image": "i:1", "resources": resources}


def _pod(spec: dict[str, Any], name: str = "a") -> dict[str, Any]:
    spec = {"containers": [_container()], **spec}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec}


def _specs(s: Script, *specs: dict[str, Any]) -> None:
    """Send a pod for each, on trial."""
    for spec in specs:
        s.post(PATH, _pod(spec), dryRun="All")


@case("of the pod as a whole")
def _(s: Script) -> None:
    for resources in (
        {},
        {"limits": {"cpu": "1"}},
        {"requests": {"cpu": "1", "memory": "1Gi"}},
        {"requests": {"cpu": "2"}, "limits": {"cpu": "1"}},
        {"limits": {"cpu": "-1"}},
        {"limits": {"ephemeral-storage": "1Gi"}},
        {"limits": {"storage": "1Gi"}},
        {"limits": {"example.com/gpu": "1"}},
        {"limits": {"x": "1"}},
        {"limits": {"a b": "1"}},
        {"claims": [{"name": "c"}]},
        {"limits": {"hugepages-2Mi": "2Mi"}},
        {"limits": {"hugepages-2Mi": "2Mi", "cpu": "1"}},
        {"limits": {"hugepages-2Mi": "3Mi", "cpu": "1"}},
        {"requests": {"hugepages-2Mi": "2Mi", "cpu": "1"}},
    ):
        _specs(s, {"resources": resources})


@case("of the pod and its containers")
def _(s: Script) -> None:
    sidecar = {**_container("s", requests={"cpu": "1"}), "restartPolicy": "Always"}
    _specs(
        s,
        {"resources": {"requests": {"cpu": "1"}}, "containers": [_container(requests={"cpu": "2"})]},
        {"resources": {"requests": {"cpu": "2"}}, "containers": [_container(requests={"cpu": "2"})]},
        {
            "resources": {"requests": {"cpu": "2500m"}},
            "containers": [_container(requests={"cpu": "1500m"}), _container("b", requests={"cpu": "1500m"})],
        },
        {
            "resources": {"requests": {"cpu": "2"}},
            "containers": [_container(requests={"cpu": "1500m"})],
            "initContainers": [sidecar],
        },
        {
            "resources": {"requests": {"cpu": "3"}},
            "initContainers": [_container("i", requests={"cpu": "4"}), sidecar],
        },
        {"resources": {"limits": {"cpu": "1"}}, "containers": [_container(limits={"cpu": "2"})]},
        {"resources": {"limits": {"memory": "1Gi"}}, "containers": [_container(limits={"cpu": "2"})]},
        {
            "resources": {"limits": {"cpu": "2", "hugepages-2Mi": "2Mi"}},
            "containers": [
                _container(limits={"cpu": "1", "hugepages-2Mi": "2Mi"}),
                _container("b", limits={"cpu": "1", "hugepages-2Mi": "2Mi"}),
            ],
        },
        {
            "resources": {"limits": {"cpu": "2"}},
            "containers": [_container(limits={"cpu": "1", "hugepages-1Gi": "1Gi"})],
        },
    )


@case("huge pages")
def _(s: Script) -> None:
    for limits in (
        {"hugepages-2Mi": "4Mi", "cpu": "1"},
        {"hugepages-2Mi": "5Mi", "cpu": "1"},
        {"hugepages-2Mi": "0", "cpu": "1"},
        {"hugepages-": "1", "cpu": "1"},
        {"hugepages-x": "1", "cpu": "1"},
        {"hugepages-0": "1", "cpu": "1"},
        {"hugepages-1m": "1", "cpu": "1"},
        {"hugepages-2Mi": "-2Mi", "cpu": "1"},
    ):
        _specs(s, {"containers": [_container(limits=limits)]})
    _specs(s, {"containers": [_container(limits={"hugepages-2Mi": "3Mi"}, requests={"hugepages-2Mi": "5Mi"})]})


@case("overheads")
def _(s: Script) -> None:
    for overhead in ({"cpu": "1"}, {"x": "1"}, {"cpu": "-1"}, {"memory": "1.5"}):
        _specs(s, {"overhead": overhead})


@case("claims of containers")
def _(s: Script) -> None:
    claims = [{"name": "c", "resourceClaimName": "x"}, {"name": "d", "resourceClaimTemplateName": "y"}]
    for used in (
        [{"name": "c"}, {"name": "c"}],
        [{"name": "c", "request": "r"}, {"name": "c", "request": "r"}],
        [{"name": "c", "request": "r"}, {"name": "c", "request": "q"}],
        [{"name": "c", "request": "r"}, {"name": "c", "request": "q"}, {"name": "c"}],
        [{"name": "c"}, {"name": "c", "request": "r"}],
        [{"name": "c", "request": "R_"}],
        [{"name": "e", "request": "r"}],
    ):
        _specs(s, {"resourceClaims": claims, "containers": [_container(claims=used)]})


def _resize(s: Script, *containers: dict[str, Any], **spec: Any) -> None:
    s.patch(f"{PATH}/a/resize", {"spec": {"containers": list(containers), **spec}})


@case("resizes")
def _(s: Script) -> None:
    start = _container(requests={"cpu": "1", "memory": "1Gi"}, limits={"cpu": "2"})
    s.post(PATH, _pod({"containers": [start, _container("b", limits={"ephemeral-storage": "1Gi"})]}))
    other = _container("b", limits={"ephemeral-storage": "1Gi"}, requests={"ephemeral-storage": "1Gi"})
    good = _container(requests={"cpu": "1500m", "memory": "2Gi"}, limits={"cpu": "2"})
    for first in (
        good,
        {**good, "image": "j"},
        {**good, "resizePolicy": [{"resourceName": "cpu", "restartPolicy": "RestartContainer"}]},
        _container(requests={"memory": "1Gi"}, limits={"cpu": "2"}),
        _container(requests={"cpu": "1"}),
        _container(),
        _container(requests={"cpu": "3", "memory": "1Gi"}, limits={"cpu": "2"}),
        _container(requests={"cpu": "1", "memory": "1Gi", "ephemeral-storage": "1Gi"}, limits={"cpu": "2"}),
        _container(requests={"cpu": "2", "memory": "1Gi"}, limits={"cpu": "2", "memory": "1Gi"}),
    ):
        _resize(s, first, other)
    s.get(f"{PATH}/a")


@case("resizes of other containers")
def _(s: Script) -> None:
    start = _container(requests={"cpu": "1"})
    s.post(PATH, _pod({"containers": [start, _container("b")], "initContainers": [_container("i")]}))
    init = [_container("i", requests={"cpu": "1"})]
    _resize(s, start)
    _resize(s, _container("b"), start)
    _resize(s, start, _container("b"), _container("c"))
    _resize(s, start, _container("x"))
    _resize(s, start, _container("b"), initContainers=[])
    _resize(s, start, _container("b"), initContainers=[_container("j")])
    _resize(s, start, _container("b"), initContainers=init)
    _resize(s, start, _container("b"), initContainers=[_container("i", requests={"ephemeral-storage": "1"})])
    _resize(s, start, _container("b"), initContainers=[_container("i")])
    _resize(s, start, _container("b"), activeDeadlineSeconds=5)
    _resize(s, start, _container("b"), resources={"requests": {"cpu": "3"}})
    s.get(f"{PATH}/a")


@case("resizes of the pod as a whole")
def _(s: Script) -> None:
    amounts = {"requests": {"cpu": "2", "memory": "1Gi"}, "limits": {"cpu": "3"}}
    s.post(PATH, _pod({"resources": amounts}))
    for resources in (
        {"requests": {"cpu": "1", "memory": "1Gi"}, "limits": {"cpu": "3"}},
        {"requests": {"cpu": "1"}, "limits": {"cpu": "3"}},
        {"requests": {"cpu": "1", "memory": "1Gi"}},
        {"requests": {"cpu": "1", "memory": "1Gi"}, "limits": {"cpu": "3", "memory": "4Gi"}},
        {"requests": {"cpu": "4", "memory": "1Gi"}, "limits": {"cpu": "3"}},
    ):
        pod = _pod({"resources": resources})
        s.put(f"{PATH}/a/resize", pod)
    s.put(f"{PATH}/a/resize", _pod({}))
    huge = {"requests": {"cpu": "1", "memory": "1Gi"}, "limits": {"cpu": "3", "memory": "4Gi", "hugepages-2Mi": "2Mi"}}
    s.put(f"{PATH}/a/resize", _pod({"resources": huge}))
    s.get(f"{PATH}/a")


@case("resizes of pods that run")
def _(s: Script) -> None:
    s.post(PATH, _pod({"containers": [_container(requests={"cpu": "1"})], "os": {"name": "windows"}}, "w"))
    sized = {"spec": {"containers": [_container(requests={"cpu": "2"})]}}
    s.patch(f"{PATH}/w/resize", sized)
    s.post(PATH, _pod({"containers": [_container(requests={"cpu": "1"})]}))
    state = {"running": {"startedAt": "2020-01-01T00:00:00Z"}}
    status = {"name": "a", "image": "i", "imageID": "", "ready": True, "restartCount": 0, "state": state}
    s.patch(f"{PATH}/a/status", {"status": {"containerStatuses": [status]}})
    s.patch(f"{PATH}/a/resize", sized)
    shown = {**status, "resources": {"requests": {"cpu": "1"}}}
    s.patch(f"{PATH}/a/status", {"status": {"containerStatuses": [shown]}})
    s.patch(f"{PATH}/a/resize", sized)
