"""Deployment: the namespace an operator runs in, the Deployment that runs it, and the Service of its metrics.

As restricted as Kubernetes' Pod Security "restricted" asks for: no root, no privileges, a read-only file system.
"""

from __future__ import annotations

from typing import Any, Final

from konverge.manifest import cert_manager
from konverge.manifest.operator import CertManaged, Operator, WebhookPart
from konverge.manifest.rbac import ACCOUNT

Json = dict[str, Any]
_LIMITS: Final = {"cpu": "500m", "memory": "128Mi"}
_REQUESTS: Final = {"cpu": "10m", "memory": "64Mi"}
_GRACE: Final = 40  # seconds: longer than a manager's own 30, so that it ends by itself


def namespace(operator: Operator) -> Json:
    """Return where it runs."""
    labels = operator.labels() | {
        "control-plane": "controller-manager",
        "pod-security.kubernetes.io/enforce": "restricted",
    }
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": operator.namespace, "labels": labels}}


def deployment(operator: Operator) -> Json:
    """Return what runs it: one replica, since a second one only waits for the lease of the first."""
    made = operator.named("Deployment", ACCOUNT, api_version="apps/v1", namespace=operator.namespace)
    made["spec"] = {
        "replicas": 1,
        "selector": {"matchLabels": operator.pod_labels()},
        "template": {
            "metadata": {
                "labels": operator.pod_labels(),
                "annotations": {"kubectl.kubernetes.io/default-container": "manager"},
            },
            "spec": _pod(operator),
        },
    }
    if not operator.lease:
        # Without an election two at a time would do the same work twice.
        made["spec"]["strategy"] = {"type": "Recreate"}
    return made


def _pod(operator: Operator) -> Json:
    mounted = _mounted(operator)
    return {
        "serviceAccountName": f"{operator.name}-{ACCOUNT}",
        "securityContext": {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}},
        "terminationGracePeriodSeconds": _GRACE,
        "containers": [_container(operator)],
        **({"volumes": [cert_manager.volume(mounted)]} if mounted else {}),
    }


def _mounted(operator: Operator) -> CertManaged | None:
    return operator.webhooks.certificate if operator.webhooks is not None else None


def _container(operator: Operator) -> Json:
    ports = [{"name": name, "containerPort": port, "protocol": "TCP"} for name, port in operator.ports]
    mounted = _mounted(operator)
    return {
        "name": "manager",
        "image": operator.image,
        "command": list(operator.command),
        "env": [{"name": "POD_NAMESPACE", "valueFrom": {"fieldRef": {"fieldPath": "metadata.namespace"}}}],
        "resources": {"limits": dict(_LIMITS), "requests": dict(_REQUESTS)},
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
            "readOnlyRootFilesystem": True,
        },
        **({"ports": ports} if ports else {}),
        **(_probes() if operator.port("health") else {}),
        **({"volumeMounts": [cert_manager.mount(mounted)]} if mounted else {}),
    }


def _probes() -> Json:
    def probe(path: str, delay: int, period: int) -> Json:
        return {"httpGet": {"path": path, "port": "health"}, "initialDelaySeconds": delay, "periodSeconds": period}

    return {"livenessProbe": probe("/healthz", 15, 20), "readinessProbe": probe("/readyz", 5, 10)}


def webhook_service(operator: Operator, webhooks: WebhookPart) -> Json:
    """Return the Service by which the API server reaches the webhooks; its name is in their certificate."""
    made = operator.named("Service", "webhook", namespace=webhooks.namespace)
    made["metadata"]["name"] = webhooks.service
    port = {"name": "webhook", "port": webhooks.port, "protocol": "TCP", "targetPort": "webhook"}
    made["spec"] = {"ports": [port], "selector": operator.pod_labels()}
    return made


def metrics_service(operator: Operator) -> Json:
    """Return the Service that a ServiceMonitor looks for."""
    made = operator.named("Service", "controller-manager-metrics", namespace=operator.namespace)
    made["metadata"]["labels"] |= {"control-plane": "controller-manager"}
    port = {"name": "metrics", "port": operator.port("metrics"), "protocol": "TCP", "targetPort": "metrics"}
    made["spec"] = {"ports": [port], "selector": operator.pod_labels()}
    return made
