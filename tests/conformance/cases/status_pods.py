"""What may be said of a pod in its status, and what may not be taken back."""

from __future__ import annotations

from typing import Any, Final

from harness.script import Cases, Script

case = Cases("status of pods")

PATH: Final = "/api/v1/namespaces/{ns}/pods"
_ENDED: Final = {"terminated": {"exitCode": 0}}
_FAILED: Final = {"terminated": {"exitCode": 3}}
_RUNS: Final[dict[str, Any]] = {"running": {}}


def _pod(**spec: Any) -> dict[str, Any]:
    containers = [{"name": "a", "image": "i"}]
    return {"metadata": {"name": "a"}, "spec": {"containers": containers, **spec}}


def _status(name: str, state: Any, **more: Any) -> dict[str, Any]:
    return {"name": name, "image": "i", "imageID": "", "ready": False, "restartCount": 0, "state": state, **more}


def _says(s: Script, *statuses: Any) -> None:
    for status in statuses:
        s.patch(f"{PATH}/a/status", {"status": status})


@case("addresses of the pod")
def _(s: Script) -> None:
    s.post(PATH, _pod())
    _says(
        s,
        {"podIPs": [{"ip": "nonsense"}]},
        {"podIPs": [{"ip": "010.0.0.1"}]},
        {"podIPs": [{"ip": "::ffff:10.0.0.1"}]},
        {"podIPs": [{"ip": ""}]},
        {"podIPs": [{"ip": "10.0.0.1"}, {"ip": "10.0.0.2"}]},
        {"podIPs": [{"ip": "10.0.0.1"}, {"ip": "x"}]},
        {"podIPs": [{"ip": "10.0.0.1"}, {"ip": "fd00::1"}, {"ip": "10.0.0.3"}]},
        {"podIPs": [{"ip": "FD00::1"}]},
        {"podIP": "10.0.0.1", "podIPs": [{"ip": "10.0.0.1"}, {"ip": "fd00::1"}]},
    )
    s.get(f"{PATH}/a")


@case("addresses of the host")
def _(s: Script) -> None:
    s.post(PATH, _pod())
    _says(
        s,
        {"hostIPs": [{"ip": "192.0.2.1"}]},
        {"hostIP": "192.0.2.2", "hostIPs": [{"ip": "192.0.2.1"}]},
        {"hostIP": "192.0.2.1", "hostIPs": [{"ip": "192.0.2.1"}, {"ip": "192.0.2.2"}]},
        {"hostIP": "x", "hostIPs": [{"ip": "x"}, {"ip": "FD00::1"}]},
        {"hostIP": "192.0.2.1", "hostIPs": [{"ip": "192.0.2.1"}, {"ip": "fd00:0::1"}]},
        {"hostIP": "nonsense"},
    )


@case("conditions, generations and the quality of service")
def _(s: Script) -> None:
    s.post(PATH, _pod())
    _says(
        s,
        {"conditions": [{"type": "", "status": "True"}]},
        {"conditions": [{"type": "not a name", "status": "True"}]},
        {"conditions": [{"type": "example.com/a", "status": "Perhaps"}]},
        {"conditions": [{"type": "Ready", "status": "True", "observedGeneration": -1}]},
        {"observedGeneration": -1},
        {"qosClass": "Guaranteed"},
        {"qosClass": ""},
        {"nodeAllocatableResourceClaimStatuses": [{"resourceClaimName": "x", "containers": ["a"]}]},
    )
    s.get(f"{PATH}/a")


@case("the node that is nominated")
def _(s: Script) -> None:
    s.post(PATH, _pod())
    _says(s, {"nominatedNodeName": "Not A Name"}, {"nominatedNodeName": "n1"}, {"nominatedNodeName": ""})
    s.post(f"{PATH}/a/binding", {"target": {"kind": "Node", "name": "n"}})
    _says(s, {"nominatedNodeName": "n1"}, {"nominatedNodeName": "N 1"})


for policy in ("Always", "OnFailure", "Never"):

    @case(f"a container that ended runs again, with the policy {policy}")
    def _(s: Script, policy: str = policy) -> None:
        own = [
            {"name": "i", "image": "i"},
            {"name": "s", "image": "i", "restartPolicy": "Always"},
        ]
        s.post(PATH, _pod(restartPolicy=policy, initContainers=own))
        for lists, name in (("containerStatuses", "a"), ("initContainerStatuses", "i"), ("initContainerStatuses", "s")):
            for ended in (_ENDED, _FAILED):
                _says(s, {lists: [_status(name, ended)]}, {lists: [_status(name, _RUNS)]})
        gone = "containerStatuses"
        _says(s, {gone: [_status("none", _ENDED), _status("a", _ENDED)]}, {gone: [_status("none", _RUNS)]}, {gone: []})


@case("rules of a container for its exit codes")
def _(s: Script) -> None:
    rules = [
        {"action": "Restart", "exitCodes": {"operator": "In", "values": [3, 4]}},
        {"action": "Restart", "exitCodes": {"operator": "NotIn", "values": [0, 5]}},
    ]
    ruled = {"name": "a", "image": "i", "restartPolicy": "Never", "restartPolicyRules": rules}
    s.post(PATH, _pod(restartPolicy="Never", containers=[ruled, {"name": "b", "image": "i"}]))
    for code in (0, 3, 5, 6):
        ended = {"terminated": {"exitCode": code}}
        for name in ("a", "b"):
            _says(s, {"containerStatuses": [_status(name, ended)]}, {"containerStatuses": [_status(name, _RUNS)]})


@case("a rule that restarts all containers")
def _(s: Script) -> None:
    rules = [{"action": "RestartAllContainers", "exitCodes": {"operator": "In", "values": [3]}}]
    ruled = {"name": "a", "image": "i", "restartPolicy": "Never", "restartPolicyRules": rules}
    s.post(PATH, _pod(restartPolicy="Never", containers=[ruled, {"name": "b", "image": "i"}]))
    _says(s, {"containerStatuses": [_status("b", _ENDED)]}, {"containerStatuses": [_status("b", _RUNS)]})


@case("an ephemeral container that ended runs again")
def _(s: Script) -> None:
    s.post(PATH, _pod())
    lists = "ephemeralContainerStatuses"
    _says(s, {lists: [_status("e", _FAILED)]}, {lists: [_status("e", _RUNS)]})
    _says(s, {lists: [_status("e", _FAILED, allocatedResourcesStatus=[{"name": "x"}])]})


@case("users of containers")
def _(s: Script) -> None:
    s.post(PATH, _pod())
    for lists in ("containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"):
        bad = {"linux": {"uid": -1, "gid": 2**31, "supplementalGroups": [0, -5]}}
        _says(s, {lists: [_status("a", _RUNS, user=bad)]}, {lists: [_status("a", _RUNS, user={})]})
    _says(s, {"containerStatuses": [_status("a", _RUNS, user={"linux": {"uid": 1, "gid": 1}})]})


@case("users of containers on Windows")
def _(s: Script) -> None:
    s.post(PATH, _pod(os={"name": "windows"}))
    _says(s, {"containerStatuses": [_status("a", _RUNS, user={"linux": {"uid": -1, "gid": 1}})]})


@case("the health of what containers were given")
def _(s: Script) -> None:
    claims = [{"name": "c", "resourceClaimName": "made"}, {"name": "d", "resourceClaimName": "made-too"}]
    asked = {"claims": [{"name": "c", "request": "r"}, {"name": "d"}], "requests": {"example.com/gpu": "1"}}
    resources = {**asked, "limits": {"example.com/gpu": "1"}}
    s.post(PATH, _pod(containers=[{"name": "a", "image": "i", "resources": resources}], resourceClaims=claims))
    for given in (
        {"name": "claim:c/r"},
        {"name": "claim:d"},
        {"name": "claim:c"},
        {"name": "example.com/gpu"},
        {"name": "cpu"},
        {"name": ""},
        {"name": "claim:d", "resources": [{"resourceID": "1", "health": "Fine"}]},
        {"name": "claim:d", "resources": [{"resourceID": "1", "health": "Healthy", "message": ""}]},
        {"name": "claim:d", "resources": [{"resourceID": "1", "health": "Unhealthy", "message": "m" * 1025}]},
        {"name": "claim:d", "resources": [{"resourceID": "1", "health": "Unknown"}] * 2},
    ):
        _says(s, {"containerStatuses": [_status("a", _RUNS, allocatedResourcesStatus=[given])]})
    _says(s, {"containerStatuses": [_status("none", _RUNS, allocatedResourcesStatus=[{"name": "cpu"}])]})
    _says(s, {"initContainerStatuses": [_status("a", _RUNS, allocatedResourcesStatus=[{"name": "cpu"}])]})


@case("claims of devices")
def _(s: Script) -> None:
    s.post(PATH, _pod(resourceClaims=[{"name": "c", "resourceClaimTemplateName": "t"}]))
    _says(
        s,
        {"resourceClaimStatuses": [{"name": "other"}]},
        {"resourceClaimStatuses": [{"name": "c"}, {"name": "c"}]},
        {"resourceClaimStatuses": [{"name": "c", "resourceClaimName": "Not A Name"}]},
        {"resourceClaimStatuses": [{"name": "c", "resourceClaimName": "made"}]},
    )


@case("the claim of extended resources")
def _(s: Script) -> None:
    resources = {"requests": {"example.com/gpu": "1"}, "limits": {"example.com/gpu": "1"}}
    s.post(PATH, _pod(containers=[{"name": "a", "image": "i", "resources": resources}]))
    mapping = {"containerName": "a", "resourceName": "example.com/gpu", "requestName": "r"}
    for claim in (
        {"requestMappings": [], "resourceClaimName": ""},
        {"requestMappings": [mapping], "resourceClaimName": "Not A Name"},
        {"requestMappings": [{**mapping, "containerName": "b"}], "resourceClaimName": "c"},
        {"requestMappings": [{**mapping, "resourceName": "b"}], "resourceClaimName": "c"},
        {"requestMappings": [{**mapping, "requestName": "B."}], "resourceClaimName": "c"},
        {"requestMappings": [mapping, mapping], "resourceClaimName": "c"},
        {"requestMappings": [mapping], "resourceClaimName": "c"},
    ):
        _says(s, {"extendedResourceClaimStatus": claim})


@case("mounts of images")
def _(s: Script) -> None:
    s.post(PATH, _pod())
    mounts = [{"name": "v", "mountPath": "/v", "volumeStatus": {"image": {"imageRef": ""}}}]
    _says(s, {"containerStatuses": [_status("a", _RUNS, volumeMounts=mounts)]})
    s.get(f"{PATH}/a")


@case("annotations that a pod keeps")
def _(s: Script) -> None:
    s.post(PATH, _pod())
    for name in ("kubernetes.io/config.mirror", "container.apparmor.security.beta.kubernetes.io/a", "a b"):
        s.patch(f"{PATH}/a/status", {"metadata": {"annotations": {name: "x"}}})


@case("warnings of addresses of load balancers")
def _(s: Script) -> None:
    services, ingresses = "/api/v1/namespaces/{ns}/services", "/apis/networking.k8s.io/v1/namespaces/{ns}/ingresses"
    s.post(services, {"metadata": {"name": "a"}, "spec": {"type": "LoadBalancer", "ports": [{"port": 1}]}})
    backend = {"service": {"name": "a", "port": {"number": 1}}}
    s.post(ingresses, {"metadata": {"name": "a"}, "spec": {"defaultBackend": backend}})
    for path in (services, ingresses):
        s.patch(f"{path}/a/status", {"status": {"loadBalancer": {"ingress": [{"ip": "FD00::1"}, {"hostname": "x"}]}}})
