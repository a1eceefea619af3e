"""Updates of built-in kinds: what a PUT may change, what it may not, and what is no change at all."""

from __future__ import annotations

from typing import Any, Final

from harness.script import Cases, Script

from cases.objects import CONFIG_MAPS, DEPLOYMENTS, LEASES, NAMESPACES, SECRETS, SERVICES, config_map

case = Cases("replace")

A: Final = f"{CONFIG_MAPS}/a"
UID: Final = "8f1e7c1e-0000-4000-8000-000000000000"
ROLES: Final = "/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/roles"


@case("nothing")
def _(s: Script) -> None:
    made = s.post(CONFIG_MAPS, config_map("a"))
    s.put(A, config_map("a"))
    s.put(A, config_map("a", metadata={"resourceVersion": made["metadata"]["resourceVersion"]}))
    s.put(A, made)
    s.get(A)


@case("without a version")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, config_map("a"))
    s.put(A, config_map("a", data={"b": "2"}))
    s.put(A, config_map("a", metadata={"resourceVersion": ""}, data={"c": "3"}))


@case("with a version that is none")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, config_map("a"))
    for version in ("x", "-1", "1.5", "0", "99999999999999999999", "9999999"):
        s.put(A, config_map("a", metadata={"resourceVersion": version}))


@case("with another uid")
def _(s: Script) -> None:
    made = s.post(CONFIG_MAPS, config_map("a"))
    s.put(A, config_map("a", metadata={"uid": UID}))
    s.put(A, config_map("a", metadata={"uid": made["metadata"]["uid"]}, data={"b": "2"}))
    s.put(f"{CONFIG_MAPS}/none", config_map("none", metadata={"uid": UID}))


@case("with another name or none")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, config_map("a"))
    s.put(A, config_map("b"))
    s.put(A, {"data": {"b": "2"}})
    s.put(A, {"metadata": {"generateName": "gen-"}})


@case("with another namespace")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, config_map("a"))
    s.put(A, config_map("a", metadata={"namespace": "other"}))
    s.put(A, config_map("a", metadata={"namespace": "{ns}"}))


@case("with another type")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, config_map("a"))
    s.put(A, {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}})
    s.put(A, {"apiVersion": "v2", "kind": "ConfigMap", "metadata": {"name": "a"}})
    s.put(A, {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "a"}})


@case("what belongs to the server")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, config_map("a"))
    s.put(A, config_map("a", metadata={"creationTimestamp": "2020-01-01T00:00:00Z", "generation": 9, "selfLink": "/x"}))
    s.put(A, config_map("a", metadata={"creationTimestamp": None, "labels": {"a": "b"}}))


@case("the time of its end")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, config_map("a"))
    s.put(A, config_map("a", metadata={"deletionTimestamp": "2020-01-01T00:00:00Z"}))
    s.put(A, config_map("a", metadata={"deletionGracePeriodSeconds": 3}))


@case("the time of its end while it ends")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, config_map("a", metadata={"finalizers": ["example.com/x"]}))
    s.delete(A)
    s.put(A, config_map("a", metadata={"finalizers": ["example.com/x"], "deletionTimestamp": "2020-01-01T00:00:00Z"}))
    s.put(A, config_map("a", metadata={"finalizers": ["example.com/x"], "deletionGracePeriodSeconds": 7}))


@case("finalizers while it ends")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, config_map("a", metadata={"finalizers": ["example.com/x", "example.com/y"]}))
    s.delete(A)
    s.put(A, config_map("a", metadata={"finalizers": ["example.com/z"]}))
    s.put(A, config_map("a", metadata={"finalizers": ["example.com/y", "example.com/x"]}))
    s.put(A, config_map("a", metadata={"finalizers": ["example.com/y"]}))
    s.put(A, config_map("a", metadata={"finalizers": []}), dryRun="All")
    s.put(A, config_map("a", metadata={"finalizers": []}))
    s.get(A)


@case("labels, annotations and owners")
def _(s: Script) -> None:
    owner = {"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": UID}
    s.post(CONFIG_MAPS, config_map("a", metadata={"labels": {"a": "b"}, "annotations": {"c": "d"}}))
    s.put(A, config_map("a", metadata={"ownerReferences": [owner]}))
    s.put(A, config_map("a", metadata={"labels": {"a b": "c"}}))
    s.put(A, config_map("a", metadata={"ownerReferences": [{**owner, "uid": ""}]}))


@case("kinds that a PUT makes")
def _(s: Script) -> None:
    for base, more in (
        ("/api/v1/namespaces/{ns}/endpoints", {"subsets": []}),
        (LEASES, {"spec": {"holderIdentity": "me"}}),
        (ROLES, {}),
        ("/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets", {"spec": {"minAvailable": 1}}),
        ("/api/v1/namespaces/{ns}/events", {"involvedObject": {"namespace": "{ns}"}}),
    ):
        s.put(f"{base}/new", {"metadata": {"name": "new"}, **more})
        s.put(f"{base}/new", {"metadata": {"name": "new"}, **more})


@case("kinds that a PUT does not make")
def _(s: Script) -> None:
    for base in (
        SECRETS,
        DEPLOYMENTS,
        "/api/v1/namespaces/{ns}/serviceaccounts",
        "/api/v1/namespaces/{ns}/limitranges",
    ):
        s.put(f"{base}/new", {"metadata": {"name": "new"}})


@case("a kind that a PUT makes, with odd metadata")
def _(s: Script) -> None:
    s.put(f"{LEASES}/a", {"metadata": {"name": "b"}, "spec": {}})
    s.put(f"{LEASES}/a", {"metadata": {"name": "a", "resourceVersion": "5"}, "spec": {}})
    s.put(f"{LEASES}/a", {"metadata": {"name": "a", "uid": UID}, "spec": {}})
    s.put(f"{LEASES}/B_", {"metadata": {"name": "B_"}, "spec": {}})
    s.put(f"{LEASES}/a", {"metadata": {"name": "a"}, "spec": {}}, dryRun="All")
    s.get(f"{LEASES}/a")


@case("a kind that needs a version")
def _(s: Script) -> None:
    s.put(f"{LEASES}/a", {"metadata": {"name": "a"}, "spec": {"holderIdentity": "me"}})
    s.put(f"{LEASES}/a", {"metadata": {"name": "a"}, "spec": {"holderIdentity": "you"}})
    slices = "/apis/discovery.k8s.io/v1/namespaces/{ns}/endpointslices"
    body: dict[str, Any] = {"metadata": {"name": "s"}, "addressType": "IPv4"}
    s.post(slices, body)
    s.put(f"{slices}/s", {**body, "ports": [{"port": 80}]})


@case("a config map that never changes")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, config_map("a", immutable=True))
    s.put(A, config_map("a", immutable=True, data={"b": "2"}))
    s.put(A, config_map("a"))
    s.put(A, config_map("a", immutable=False))
    s.put(A, config_map("a", immutable=True, metadata={"labels": {"a": "b"}}))


@case("the type of a secret")
def _(s: Script) -> None:
    s.post(SECRETS, {"metadata": {"name": "a"}, "stringData": {"a": "b"}})
    s.put(f"{SECRETS}/a", {"metadata": {"name": "a"}, "type": "example.com/other"})
    s.put(f"{SECRETS}/a", {"metadata": {"name": "a"}, "data": {"c": "ZA=="}, "stringData": {"c": "e"}})


@case("the replicas of a deployment")
def _(s: Script) -> None:
    def body(app: str, **spec: Any) -> dict[str, Any]:
        template = {"metadata": {"labels": {"app": app}}, "spec": {"containers": [{"name": "a", "image": "x"}]}}
        return {
            "metadata": {"name": "d"},
            "spec": {"selector": {"matchLabels": {"app": app}}, "template": template, **spec},
        }

    s.post(DEPLOYMENTS, body("one"))
    s.put(f"{DEPLOYMENTS}/d", body("one", replicas=3))
    s.put(f"{DEPLOYMENTS}/d", body("one", replicas=3))


@case("the address of a service")
def _(s: Script) -> None:
    body = {"metadata": {"name": "a"}, "spec": {"clusterIP": "None", "ports": [{"port": 80}]}}
    s.post(SERVICES, body)
    s.put(f"{SERVICES}/a", {**body, "spec": {"clusterIP": "None", "ports": [{"port": 81}]}})
    s.put(f"{SERVICES}/a", {**body, "spec": {"clusterIP": "10.0.0.77", "ports": [{"port": 81}]}})


@case("a namespace's labels and finalizers")
def _(s: Script) -> None:
    path = f"{NAMESPACES}/{{ns}}"
    s.put(path, {"metadata": {"name": "{ns}", "labels": {"a": "b"}}})
    s.put(path, {"metadata": {"name": "{ns}"}, "spec": {"finalizers": []}})
    s.put(path, {"metadata": {"name": "{ns}"}, "status": {"phase": "Terminating"}})


@case("with a body that cannot be read")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, config_map("a"))
    for body in (b"", b"{", b"[]", b"null", b'"x"', b"{}"):
        s.put(A, body, headers={"Content-Type": "application/json"})


@case("with fields that there are not")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, config_map("a"))
    for validation in ("Strict", "Warn", "Ignore"):
        s.put(A, config_map("a", dat={"x": validation}), fieldValidation=validation)


@case("what was deleted meanwhile")
def _(s: Script) -> None:
    made = s.post(CONFIG_MAPS, config_map("a"))
    s.delete(A)
    s.put(A, config_map("a", metadata={"resourceVersion": made["metadata"]["resourceVersion"]}))
    s.post(CONFIG_MAPS, config_map("a"))
    s.put(A, config_map("a", metadata={"resourceVersion": made["metadata"]["resourceVersion"]}))
    s.put(A, config_map("a", metadata={"uid": made["metadata"]["uid"]}))
