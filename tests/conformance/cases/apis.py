"""Discovery, OpenAPI, version and health: what a client asks before it asks for objects."""

from __future__ import annotations

from typing import Final

from harness.script import Cases, Script

case = Cases("apis")

AGGREGATED: Final = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"


@case("the core group as it always was")
def _(s: Script) -> None:
    s.get("/api")
    s.get("/api/")


@case("the resources of the core group")
def _(s: Script) -> None:
    s.get("/api/v1")
    s.get("/api/v1/")


@case("a version of the core group that is none")
def _(s: Script) -> None:
    s.get("/api/v2")
    s.get("/api/v1beta1/")


@case("a group alone")
def _(s: Script) -> None:
    for group in ("apps", "batch", "autoscaling", "events.k8s.io", "apiregistration.k8s.io", "apiextensions.k8s.io"):
        s.get(f"/apis/{group}")


@case("a group with a slash behind it")
def _(s: Script) -> None:
    s.get("/apis/apps/")
    s.get("/apis/apps/v1/")


@case("the resources of workloads")
def _(s: Script) -> None:
    s.get("/apis/apps/v1")
    s.get("/apis/batch/v1")


@case("the resources of two versions of a group")
def _(s: Script) -> None:
    s.get("/apis/autoscaling/v1")
    s.get("/apis/autoscaling/v2")


@case("the resources of policies and rules")
def _(s: Script) -> None:
    for group in ("policy", "rbac.authorization.k8s.io", "networking.k8s.io", "admissionregistration.k8s.io"):
        s.get(f"/apis/{group}/v1")


@case("the resources of storage and nodes")
def _(s: Script) -> None:
    for group in ("storage.k8s.io", "node.k8s.io", "coordination.k8s.io", "discovery.k8s.io", "scheduling.k8s.io"):
        s.get(f"/apis/{group}/v1")


@case("the resources of those who ask who they are")
def _(s: Script) -> None:
    for group in ("authentication.k8s.io", "authorization.k8s.io", "certificates.k8s.io"):
        s.get(f"/apis/{group}/v1")


@case("the resources of definitions")
def _(s: Script) -> None:
    s.get("/apis/apiextensions.k8s.io/v1")
    s.get("/apis/apiregistration.k8s.io/v1")


@case("a group that is not served")
def _(s: Script) -> None:
    s.get("/apis/none.example.org")
    s.get("/apis/none.example.org/v1")
    s.get("/apis/none.example.org/v1/things")


@case("a version that is not served")
def _(s: Script) -> None:
    s.get("/apis/apps/v1beta1")
    s.get("/apis/batch/v2")
    s.get("/apis/extensions/v1beta1")


@case("in YAML")
def _(s: Script) -> None:
    for path in ("/api", "/api/v1", "/apis/policy", "/apis/policy/v1"):
        s.get(path, headers={"Accept": "application/yaml"})


@case("in a form that is not written")
def _(s: Script) -> None:
    for path in ("/api", "/api/v1", "/apis", "/apis/apps", "/apis/apps/v1"):
        s.get(path, headers={"Accept": "text/html"})


@case("in many forms, the first that is written")
def _(s: Script) -> None:
    s.get("/apis/apps", headers={"Accept": "text/html, application/json;q=0.5, application/yaml;q=0.9"})
    s.get("/apis/apps", headers={"Accept": "*/*"})
    s.get("/apis/apps", headers={"Accept": "application/*"})


@case("by a method that reads nothing")
def _(s: Script) -> None:
    for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD"):
        s.ask(method, "/api/v1")


@case("the core group by a method that reads nothing")
def _(s: Script) -> None:
    for method in ("POST", "PUT", "DELETE", "OPTIONS"):
        s.ask(method, "/api")


@case("a group by a method that reads nothing")
def _(s: Script) -> None:
    for method in ("POST", "PUT", "DELETE", "PATCH"):
        s.ask(method, "/apis/apps")


@case("the core group in one document")
def _(s: Script) -> None:
    s.get("/api", headers={"Accept": AGGREGATED})


@case("the core group in one document of an older form")
def _(s: Script) -> None:
    s.get("/api", headers={"Accept": AGGREGATED.replace("v=v2", "v=v2beta1")})


@case("in one document of a form that is none")
def _(s: Script) -> None:
    s.get("/api", headers={"Accept": AGGREGATED.replace("v=v2", "v=v3")})
    s.get("/api", headers={"Accept": AGGREGATED.replace("APIGroupDiscoveryList", "Table")})
    s.get("/api", headers={"Accept": AGGREGATED.replace("apidiscovery", "other")})


@case("in one document, or else in the old form")
def _(s: Script) -> None:
    s.get("/api", headers={"Accept": f"{AGGREGATED},application/json"})
    s.get("/api", headers={"Accept": f"application/json,{AGGREGATED}"})


@case("in one document in YAML")
def _(s: Script) -> None:
    s.get("/api", headers={"Accept": AGGREGATED.replace("json", "yaml")})


@case("one document, and nothing the second time")
def _(s: Script) -> None:
    first = s.get("/api", headers={"Accept": AGGREGATED})
    s.get("/api", headers={"Accept": AGGREGATED, "If-None-Match": first.of_header("etag")})
    s.get("/api", headers={"Accept": AGGREGATED, "If-None-Match": '"other"'})


@case("one document of one group does not exist")
def _(s: Script) -> None:
    s.get("/apis/apps", headers={"Accept": AGGREGATED})
    s.get("/api/v1", headers={"Accept": AGGREGATED})
    s.get("/apis/apps", headers={"Accept": f"{AGGREGATED},application/json"})


@case("the version of the server")
def _(s: Script) -> None:
    s.ask("POST", "/version")
    s.ask("DELETE", "/version")
    s.get("/version/nope")


@case("is the server alive")
def _(s: Script) -> None:
    for path in ("/healthz", "/livez", "/readyz"):
        s.get(path)
        s.get(f"{path}/ping")


@case("is one part of the server alive")
def _(s: Script) -> None:
    for path in ("/healthz", "/livez", "/readyz"):
        s.get(f"{path}/etcd")
        s.get(f"{path}/log")
        s.get(f"{path}/nope")


@case("is the server alive, in detail")
def _(s: Script) -> None:
    for path in ("/healthz", "/livez", "/readyz"):
        s.get(path, verbose="1")
        s.get(path, verbose="", exclude="log")
        s.get(path, verbose="", exclude="nope")
        for check in ("informer-sync", "shutdown", "loopback-serving-certificate", "poststarthook/crd-informer-synced"):
            s.get(f"{path}/{check}")


@case("how the parts of the control plane are")
def _(s: Script) -> None:
    path = "/api/v1/componentstatuses"  # a list of several has no order there
    for name in ("etcd-0", "controller-manager"):
        s.get(path, fieldSelector=f"metadata.name={name}")
        table = {"Accept": "application/json;as=Table;v=v1;g=meta.k8s.io"}
        s.get(path, fieldSelector=f"metadata.name={name}", headers=table)
    s.get(path, labelSelector="a=b")
    for name in ("etcd-0", "scheduler", "nope"):
        s.get(f"{path}/{name}")


@case("how long a client waits")
def _(s: Script) -> None:
    for limit in ("10s", "0s", "-1s", "3m", "soon", "1", "1h1", "5x", ".s", "+", "99999999h", "1µ"):
        s.get("/version", timeout=limit)
        s.get("/api/v1/namespaces/{ns}/configmaps", timeout=limit)
    s.get("/nope", timeout="soon")
    s.get("/api/v1/namespaces/{ns}/pods/none/log", timeout="soon")


@case("is the server alive, asked in odd ways")
def _(s: Script) -> None:
    s.ask("HEAD", "/healthz")
    s.ask("POST", "/livez")
    s.get("/livez/")
    s.get("/healthz", headers={"Accept": "text/html"})


@case("what is nowhere")
def _(s: Script) -> None:
    for path in ("/nope", "/apis2", "/api2/v1", "/openapi", "/openapi/v1"):
        s.get(path)


@case("OpenAPI of a group, named by its hash")
def _(s: Script) -> None:
    s.get("/openapi/v3/apis/nope/v1")
    s.get("/openapi/v3/api/v2")
    s.get("/openapi/v3/apis/policy/v1", headers={"Accept": "text/html"})
    s.ask("POST", "/openapi/v3/apis/policy/v1")


@case("OpenAPI of a small group")
def _(s: Script) -> None:
    s.get("/openapi/v3/apis/scheduling.k8s.io")
    s.get("/openapi/v3/api")


@case("OpenAPI of a group, and nothing the second time")
def _(s: Script) -> None:
    first = s.get("/openapi/v3/apis/scheduling.k8s.io")
    s.get("/openapi/v3/apis/scheduling.k8s.io", headers={"If-None-Match": first.of_header("etag")})


@case("OpenAPI of everything, and nothing the second time")
def _(s: Script) -> None:
    first = s.ask("HEAD", "/openapi/v2")
    s.get("/openapi/v2", headers={"If-None-Match": first.of_header("etag")})
    s.get("/openapi/v2", headers={"Accept": "text/html"})
    s.get("/openapi/v2/")
