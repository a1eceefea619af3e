"""Answers in protobuf, for clients that take nothing else; what comes is read, and compared as JSON is."""

from __future__ import annotations

from typing import Final

from harness.script import Cases, Script

from cases.objects import (
    CONFIG_MAPS,
    DEPLOYMENTS,
    LEASES,
    NAMESPACES,
    SECRETS,
    SERVICES,
    config_map,
    crd,
    custom,
    custom_path,
    of_spec,
)
from cases.widget_objects import complete_deployment

case = Cases("protobuf answers")
PROTOBUF: Final = "application/vnd.kubernetes.protobuf"
ONLY: Final = {"Accept": PROTOBUF}
STREAMED: Final = {
    "sendInitialEvents": "true",
    "resourceVersionMatch": "NotOlderThan",
    "allowWatchBookmarks": "true",
}


def shown_as(kind: str, version: str = "v1") -> dict[str, str]:
    """Return what asks for a form of meta.k8s.io."""
    return {"Accept": f"{PROTOBUF};as={kind};g=meta.k8s.io;v={version}"}


@case("the life of a config map")
def _(s: Script) -> None:
    made = s.post(CONFIG_MAPS, config_map("a", data={"b": "2", "a": ""}, binaryData={"c": "AAE="}), headers=ONLY)
    s.get(f"{CONFIG_MAPS}/a", headers=ONLY)
    s.put(f"{CONFIG_MAPS}/a", config_map("a", data={"b": "3"}), headers=ONLY)
    s.patch(f"{CONFIG_MAPS}/a", {"metadata": {"labels": {"x": "y"}}, "immutable": True}, headers=ONLY)
    s.apply(f"{CONFIG_MAPS}/b", config_map("b", data={"b": "3"}), headers=ONLY)
    s.get(CONFIG_MAPS, headers=ONLY)
    s.get(CONFIG_MAPS, labelSelector="x=y", headers=ONLY)
    s.get(CONFIG_MAPS, limit=1, headers=ONLY)
    s.delete(f"{CONFIG_MAPS}/a", {"preconditions": {"uid": made["metadata"]["uid"]}}, headers=ONLY)
    s.delete(CONFIG_MAPS, headers=ONLY)
    s.get(CONFIG_MAPS, headers=ONLY)


@case("objects with numbers, times, amounts and what is either of two")
def _(s: Script) -> None:
    s.post(DEPLOYMENTS, complete_deployment("d"), headers=ONLY)
    s.get(f"{DEPLOYMENTS}/d/scale", headers=ONLY)
    s.patch(f"{DEPLOYMENTS}/d/scale", {"spec": {"replicas": 3}}, headers=ONLY)
    s.patch(f"{DEPLOYMENTS}/d/status", {"status": {"replicas": 3}}, headers=ONLY)
    lease = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "l"}}
    s.post(LEASES, {**lease, "spec": {"renewTime": "2020-01-02T03:04:05.000006Z"}}, headers=ONLY)
    ports = [{"name": "a", "port": 80, "targetPort": "http"}, {"name": "b", "port": 81, "targetPort": 8080}]
    service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"}, "spec": {"ports": ports}}
    s.post(SERVICES, {**service, "spec": {"ports": ports, "clusterIP": "None"}}, headers=ONLY)
    s.post(SECRETS, {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "data": {"a": ""}}, headers=ONLY)


@case("a definition, with schemas of every form")
def _(s: Script) -> None:
    schema = of_spec(
        a={"type": "object", "additionalProperties": {"type": "string", "default": "x"}},
        b={"type": "array", "items": {"type": "integer", "minimum": -1.5, "enum": [1, 2]}},
        c={"type": "string", "x-kubernetes-validations": [{"rule": "self != ''"}]},
    )
    s.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", crd("protobufs", schema), headers=ONLY)


@case("refusals")
def _(s: Script) -> None:
    s.get(f"{CONFIG_MAPS}/none", headers=ONLY)
    s.post(CONFIG_MAPS, config_map("-"), headers=ONLY)
    s.post(CONFIG_MAPS, b"{", headers=ONLY)
    s.get("/api/v1/nothing", headers=ONLY)
    s.patch(CONFIG_MAPS, {}, headers=ONLY)
    s.get(CONFIG_MAPS, headers=ONLY, bare=True)
    s.get("/nothing", headers=ONLY)
    s.get(CONFIG_MAPS, resourceVersion="x", headers=ONLY)
    s.get(CONFIG_MAPS, watch="true", resourceVersion="x", headers=ONLY)


@case("a watch")
def _(s: Script) -> None:
    version = s.get(CONFIG_MAPS)["metadata"]["resourceVersion"]
    with s.watch(CONFIG_MAPS, events=4, resourceVersion=version, headers=ONLY) as during:
        during.post(CONFIG_MAPS, config_map("a"))
        during.patch(f"{CONFIG_MAPS}/a", {"data": {"b": "2"}})
        during.delete(f"{CONFIG_MAPS}/a")
        during.post(CONFIG_MAPS, config_map("b"))
    with s.watch(CONFIG_MAPS, events=2, headers=ONLY, **STREAMED):
        pass
    with s.watch(CONFIG_MAPS, events=1, headers={"Accept": f"{PROTOBUF};stream=watch"}):
        pass


@case("metadata alone")
def _(s: Script) -> None:
    for index, version in enumerate(("v1", "v1beta1")):
        s.post(CONFIG_MAPS, config_map(f"a{index}"), headers=shown_as("PartialObjectMetadata", version))
        s.get(f"{CONFIG_MAPS}/a0", headers=shown_as("PartialObjectMetadata", version))
        s.get(CONFIG_MAPS, headers=shown_as("PartialObjectMetadataList", version))
        with s.watch(CONFIG_MAPS, events=index + 2, headers=shown_as("PartialObjectMetadata", version), **STREAMED):
            pass
    s.get(CONFIG_MAPS, headers=shown_as("PartialObjectMetadata"))
    s.get(f"{CONFIG_MAPS}/a0", headers=shown_as("PartialObjectMetadataList"))
    s.get(f"{CONFIG_MAPS}/none", headers=shown_as("PartialObjectMetadata"))
    s.delete(f"{CONFIG_MAPS}/a0", headers=shown_as("PartialObjectMetadata"))


@case("tables, which have no messages")
def _(s: Script) -> None:
    s.get(CONFIG_MAPS, headers=shown_as("Table"))
    s.get(CONFIG_MAPS, headers={"Accept": f"{shown_as('Table')['Accept']},{PROTOBUF}"})
    with s.watch(CONFIG_MAPS, events=1, headers=shown_as("Table")):
        pass


@case("custom resources, which have none but their metadata")
def _(s: Script) -> None:
    s.given(crd("unsents", of_spec(a={"type": "string"})))
    path = custom_path("unsents")
    s.post(path, custom("unsents", "a"), headers=ONLY)
    s.post(path, custom("unsents", "a"))
    for asked in (path, f"{path}/a", f"{path}/none"):
        s.get(asked, headers=ONLY)
    s.get(f"{path}/a", headers=shown_as("PartialObjectMetadata"))
    s.get(path, headers=shown_as("PartialObjectMetadataList"))
    s.get(f"{path}/none", headers=shown_as("PartialObjectMetadata"))
    with s.watch(path, events=1, headers=shown_as("PartialObjectMetadata")):
        pass
    with s.watch(path, events=1, headers=ONLY):
        pass
    s.delete(f"{path}/a", headers=shown_as("PartialObjectMetadata"))


@case("discovery")
def _(s: Script) -> None:
    for path in ("/api", "/api/v1", "/apis/apps", "/apis/apps/v1", "/apis/none", "/version"):
        s.get(path, headers=ONLY)
    s.get("/api", headers={"Accept": f"{PROTOBUF};g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"})


@case("questions that are never kept")
def _(s: Script) -> None:
    review = {"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview"}
    asked = {**review, "spec": {"resourceAttributes": {"verb": "get", "resource": "pods"}}}
    s.post("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", asked, headers=ONLY)
    who = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}
    s.post(f"{NAMESPACES}/{{ns}}/serviceaccounts/default/token", {"spec": {}}, headers=ONLY)
    s.post(
        "/apis/authentication.k8s.io/v1/selfsubjectreviews",
        who,
        headers={**ONLY, "Impersonate-User": "u", "Impersonate-Extra-X": "y"},
    )
