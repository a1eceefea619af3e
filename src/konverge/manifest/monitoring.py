"""Monitoring: who may reach an operator's pods, and how Prometheus finds its metrics. Neither is installed by default.

A NetworkPolicy shuts out whoever it does not name, and a ServiceMonitor needs the Prometheus operator.
"""

from __future__ import annotations

from typing import Any

from konverge.manifest.operator import Operator

Json = dict[str, Any]


def metrics_policy(operator: Operator) -> Json:
    """Return a policy by which namespaces with the label `metrics: enabled` may scrape."""
    peers = [{"namespaceSelector": {"matchLabels": {"metrics": "enabled"}}}]
    return _policy(operator, "metrics", peers)


def webhook_policy(operator: Operator) -> Json:
    """Return a policy by which the API server, which is in no namespace, may call webhooks."""
    return _policy(operator, "webhook", [])


def _policy(operator: Operator, port: str, peers: list[Json]) -> Json:
    rule: Json = {"ports": [{"port": operator.port(port), "protocol": "TCP"}]}
    if peers:
        rule["from"] = peers
    made = operator.named(
        "NetworkPolicy", f"allow-{port}-traffic", api_version="networking.k8s.io/v1", namespace=operator.namespace
    )
    made["spec"] = {
        "podSelector": {"matchLabels": operator.pod_labels()},
        "policyTypes": ["Ingress"],
        "ingress": [rule],
    }
    return made


def service_monitor(operator: Operator) -> Json:
    """Return what tells the Prometheus operator to scrape it."""
    made = operator.named(
        "ServiceMonitor",
        "controller-manager-metrics-monitor",
        api_version="monitoring.coreos.com/v1",
        namespace=operator.namespace,
    )
    made["spec"] = {
        "endpoints": [{"path": "/metrics", "port": "metrics", "scheme": "http"}],
        "selector": {"matchLabels": operator.pod_labels()},
    }
    return made
