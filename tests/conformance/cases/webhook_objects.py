"""Webhook configurations for cases: of one namespace, and known to the server before the case goes on."""

from __future__ import annotations

from typing import Any

from harness.script import Cases, Script

from cases.objects import CONFIG_MAPS, config_map

CONFIGURATIONS = "/apis/admissionregistration.k8s.io/v1"
case = Cases("webhook objects")  # none of its own


def rule(*operations: str, resources: tuple[str, ...] = ("configmaps",), **more: Any) -> dict[str, Any]:
    """Return a rule; of all groups and versions if not told else."""
    return {
        "operations": list(operations) or ["*"],
        "apiGroups": ["*"],
        "apiVersions": ["*"],
        "resources": list(resources),
        **more,
    }


def entry(path: str, **more: Any) -> dict[str, Any]:
    """Return a webhook that answers as its path says."""
    return {
        "name": f"{path[1:]}.hooks.dev",
        "clientConfig": {"url": f"{{hook}}{path}", "caBundle": "{ca}"},
        "rules": [rule()],
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
        "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "{ns}"}},
        "objectSelector": {"matchExpressions": [{"key": "probe", "operator": "DoesNotExist"}]},
        **more,
    }


def _probe(phase: str) -> dict[str, Any]:
    """Return the webhook that says that all of its configuration are known."""
    chosen = {"matchLabels": {"probe": phase}}
    return entry("/probe", rules=[rule("CREATE")], objectSelector=chosen, timeoutSeconds=30)


def _until_known(s: Script, phase: str, **answer: Any) -> None:
    probe = config_map("probe", metadata={"labels": {"probe": phase}})
    s.until(CONFIG_MAPS, method="POST", body=probe, query={"dryRun": "All"}, **answer)


def hooked(s: Script, phase: str, *webhooks: dict[str, Any]) -> None:
    """Configure webhooks of one phase, and wait until they are asked."""
    kind = f"{phase.capitalize()}WebhookConfiguration"
    body = {"apiVersion": "admissionregistration.k8s.io/v1", "kind": kind, "metadata": {"name": f"{{ns}}-{phase}"}}
    s.post(f"{CONFIGURATIONS}/{phase}webhookconfigurations", {**body, "webhooks": [_probe(phase), *webhooks]})
    _until_known(s, phase, status=403, holding="is known")


def unhooked(s: Script, phase: str) -> None:
    """Take them away again, and wait until nobody is asked."""
    s.delete(f"{CONFIGURATIONS}/{phase}webhookconfigurations/{{ns}}-{phase}")
    _until_known(s, phase, status=201)
