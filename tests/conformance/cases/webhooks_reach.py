"""What webhooks hear of: subresources, other versions of the same objects, reviews, and what they never do."""

from __future__ import annotations

from typing import Any

from harness.script import Cases, Script

from cases.objects import CONFIG_MAPS, config_map
from cases.webhook_objects import CONFIGURATIONS, entry, hooked, rule, unhooked

case = Cases("reach of webhooks")
_PODS = "/api/v1/namespaces/{ns}/pods"
_CPU = {"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 60}}}
_DEPLOYMENTS = "/apis/apps/v1/namespaces/{ns}/deployments"


def _pod(name: str) -> dict[str, Any]:
    spec = {"containers": [{"name": "a", "image": "a:1"}], "automountServiceAccountToken": False}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec}


def _deployment(name: str) -> dict[str, Any]:
    labels = {"app": name}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "a", "image": "a:1"}]}}
    spec = {"selector": {"matchLabels": labels}, "template": template}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name}, "spec": spec}


@case("the subresources of a pod")
def _(s: Script) -> None:
    s.post(_PODS, _pod("a"))
    s.post(_PODS, _pod("b"))
    parts = ("pods/status", "pods/binding", "pods/eviction", "bindings")
    hooked(s, "mutating", entry("/allow", rules=[rule(resources=parts)]))
    s.patch(f"{_PODS}/a/status", {"status": {"phase": "Running"}})
    s.post(
        f"{_PODS}/a/binding",
        {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": "a"}, "target": {"kind": "Node", "name": "n"}},
    )
    s.reviews()
    s.post(
        "/api/v1/namespaces/{ns}/bindings",
        {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": "b"}, "target": {"kind": "Node", "name": "n"}},
    )
    s.post(f"{_PODS}/a/eviction", {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "a"}})
    s.reviews()
    unhooked(s, "mutating")


@case("a connection to a pod")
def _(s: Script) -> None:
    s.post(_PODS, _pod("a"))
    hooked(s, "validating", entry("/allow", rules=[rule("CONNECT", resources=("pods/*",))], objectSelector={}))
    s.get(f"{_PODS}/a/exec", command=["ls", "-l"], container="a", stdin=True, stderr=False)
    s.get(f"{_PODS}/a/attach")
    s.get(f"{_PODS}/a/portforward", ports=[80])
    s.reviews()
    unhooked(s, "validating")
    hooked(
        s, "validating", entry("/deny-message", rules=[rule("CONNECT", resources=("pods/exec",))], objectSelector={})
    )
    s.get(f"{_PODS}/a/exec", command="ls")
    s.get(f"{_PODS}/none/exec", command="ls")
    unhooked(s, "validating")


@case("the deletion of a pod, with the grace that it gets")
def _(s: Script) -> None:
    s.post(_PODS, {**_pod("b"), "spec": {**_pod("b")["spec"], "nodeName": "n"}})
    hooked(s, "validating", entry("/allow", rules=[rule("DELETE", resources=("pods",))]))
    s.delete(f"{_PODS}/b")
    s.reviews()
    unhooked(s, "validating")
    # Not asked about, as nothing without grace is: the real server marks such a pod first, removes it in a second step,
    # and shows of it then what its cache has.
    s.delete(f"{_PODS}/b", {"gracePeriodSeconds": 0})


@case("the scale of a deployment")
def _(s: Script) -> None:
    s.post(_DEPLOYMENTS, _deployment("a"))
    for phase in ("mutating", "validating"):
        hooked(s, phase, entry("/allow", rules=[rule(resources=("*/scale",))]))
    s.patch(f"{_DEPLOYMENTS}/a/scale", {"spec": {"replicas": 2}})
    s.put(
        f"{_DEPLOYMENTS}/a/scale",
        {
            "apiVersion": "autoscaling/v1",
            "kind": "Scale",
            "metadata": {"name": "a", "namespace": "{ns}"},
            "spec": {"replicas": 3},
        },
    )
    s.patch(f"{_DEPLOYMENTS}/a", {"spec": {"replicas": 1}})
    s.reviews()
    for phase in ("mutating", "validating"):
        unhooked(s, phase)
    hooked(s, "mutating", entry("/patch-replicas", rules=[rule(resources=("*/scale", "deployments"))]))
    s.patch(f"{_DEPLOYMENTS}/a/scale", {"spec": {"replicas": 9}})
    s.patch(f"{_DEPLOYMENTS}/a", {"spec": {"replicas": 1}})
    unhooked(s, "mutating")


@case("a token request and a namespaced review")
def _(s: Script) -> None:
    hooked(
        s, "validating", entry("/allow", rules=[rule(resources=("serviceaccounts/token", "localsubjectaccessreviews"))])
    )
    path = "/api/v1/namespaces/{ns}/serviceaccounts/default/token"
    s.post(path, {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {"expirationSeconds": 700}})
    s.post(
        "/apis/authorization.k8s.io/v1/namespaces/{ns}/localsubjectaccessreviews",
        {
            "apiVersion": "authorization.k8s.io/v1",
            "kind": "LocalSubjectAccessReview",
            "spec": {"user": "me", "resourceAttributes": {"namespace": "{ns}", "verb": "get", "resource": "pods"}},
        },
    )
    s.reviews()
    unhooked(s, "validating")


@case("another version of the same objects, unless matches are exact")
def _(s: Script) -> None:
    path = "/apis/autoscaling/v2/namespaces/{ns}/horizontalpodautoscalers"
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "a"}
    spec = {"scaleTargetRef": target, "maxReplicas": 3, "metrics": [_CPU]}
    rules = [rule("CREATE", "UPDATE", resources=("horizontalpodautoscalers",), apiVersions=["v1"])]
    exact = entry("/deny", rules=rules, matchPolicy="Exact")
    hooked(s, "mutating", entry("/patch-labels", rules=rules), exact)
    hooked(s, "validating", entry("/allow", rules=rules), exact)
    made = {"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "a"}, "spec": spec}
    s.post(path, made)
    s.reviews()
    unhooked(s, "mutating")
    unhooked(s, "validating")


@case("the namespace itself, by its own labels, and by scope")
def _(s: Script) -> None:
    by_label = {"namespaceSelector": {"matchLabels": {"mine": "{ns}"}}}
    hooked(
        s,
        "validating",
        entry("/deny-message", rules=[rule(resources=("namespaces",), scope="Cluster")], **by_label),
        entry("/deny-code", rules=[rule(resources=("*",), scope="Namespaced")], **by_label),
    )
    s.patch("/api/v1/namespaces/{ns}", {"metadata": {"labels": {"other": "a"}}})
    s.patch("/api/v1/namespaces/{ns}", {"metadata": {"labels": {"mine": "{ns}"}}})
    s.reviews()
    unhooked(s, "validating")


@case("never the configurations of admission")
def _(s: Script) -> None:
    configurations = rule(resources=("*",), apiGroups=["admissionregistration.k8s.io"])
    hooked(s, "validating", entry("/deny-message", rules=[configurations, rule()]))
    s.patch(f"{CONFIGURATIONS}/validatingwebhookconfigurations/{{ns}}-validating", {"metadata": {"labels": {"a": "b"}}})
    s.post(CONFIG_MAPS, config_map("a"))
    unhooked(s, "validating")
