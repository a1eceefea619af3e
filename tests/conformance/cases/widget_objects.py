"""What the `write_*` themes share: a custom and a built-in kind that are asked the same, in bodies of any form."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any, Final

from harness.script import JSON, PATCHES, Reference, Script

YAML: Final = "application/yaml"
JSON_PATCH, MERGE, STRATEGIC, APPLY = (PATCHES[name] for name in ("json", "merge", "strategic", "apply"))
HERE: Final = "/api/v1/namespaces/{ns}"
WIDGETS: Final = "/apis/k.dev/v1/namespaces/{ns}/widgets"

NUMBER = {"type": "integer"}
WIDGET_SCHEMA = {
    "type": "object",
    "properties": {
        "spec": {
            "type": "object",
            "properties": {"replicas": NUMBER, "size": {**NUMBER, "default": 3}, "name": {"type": "string"}},
        },
        "status": {"type": "object", "properties": {"replicas": NUMBER}},
    },
}
WIDGET_CRD = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "widgets.k.dev"},
    "spec": {
        "group": "k.dev",
        "scope": "Namespaced",
        "names": {"kind": "Widget", "plural": "widgets", "singular": "widget", "listKind": "WidgetList"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "subresources": {
                    "status": {},
                    "scale": {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"},
                },
                "schema": {"openAPIV3Schema": WIDGET_SCHEMA},
            }
        ],
    },
}


def send(s: Script, method: str, path: str, body: Any = None, content_type: str | None = JSON) -> Reference:
    """Ask with a body in any form: a text is sent as it is."""
    sent = body.encode() if isinstance(body, str) else deepcopy(body)  # the caller may go on to change it
    return s.ask(method, path, sent, headers={"Content-Type": content_type or ""} if sent is not None else {})


Make = Callable[..., dict[str, Any]]


def widget(name: str = "a", /, **more: Any) -> dict[str, Any]:
    """Return a custom resource; `metadata` is joined to its name."""
    metadata = more.pop("metadata", {"name": name})
    return {"apiVersion": "k.dev/v1", "kind": "Widget", "metadata": metadata, **more}


def plain_map(name: str = "a", /, **more: Any) -> dict[str, Any]:
    """Return a ConfigMap without data."""
    metadata = more.pop("metadata", {"name": name})
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, **more}


def deployment(name: str = "d") -> dict[str, Any]:
    """Return a Deployment of one container."""
    container = {"name": "c", "image": "i", "resources": {"limits": {"cpu": "1000m"}}}
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [container]}}
    spec = {"replicas": 1, "selector": {"matchLabels": {"a": "b"}}, "template": template}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name}, "spec": spec}


def complete_deployment(name: str) -> dict[str, Any]:
    """Return a Deployment that leaves nothing to defaults: what they are is not what is asked here."""
    found = deployment(name)
    found["spec"] |= {"progressDeadlineSeconds": 600, "revisionHistoryLimit": 10}
    found["spec"]["strategy"] = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"}}
    found["spec"]["template"]["spec"].update(
        restartPolicy="Always",
        terminationGracePeriodSeconds=30,
        dnsPolicy="ClusterFirst",
        securityContext={},
        schedulerName="default-scheduler",
    )
    found["spec"]["template"]["spec"]["containers"][0].update(
        imagePullPolicy="Always", terminationMessagePath="/dev/termination-log", terminationMessagePolicy="File"
    )
    return found
