"""A small operator on kopf: a config map for each cog, a status, a field that is followed, and a farewell.

KUBECONFIG=... kopf run --standalone --namespace NAMESPACE operator_of_cogs.py
"""

from __future__ import annotations

from typing import Any

import kopf
from kubernetes import client, config


@kopf.on.startup()
def connect(settings: kopf.OperatorSettings, **_: Any) -> None:
    """Use the same kubeconfig as kopf, and write no Events."""
    config.load_kube_config()
    settings.posting.enabled = False


@kopf.on.create("cogs.example.com", "v1", "cogs")
def create(body: kopf.Body, spec: kopf.Spec, name: str, namespace: str, **_: Any) -> dict[str, Any]:
    """Give a cog its config map."""
    child = {"metadata": {"name": name}, "data": {"size": str(spec["size"])}}
    kopf.adopt(child, owner=body)
    client.CoreV1Api().create_namespaced_config_map(namespace, child)
    return {"child": name}


@kopf.on.field("cogs.example.com", "v1", "cogs", field="spec.size")
def resize(old: int | None, new: int | None, name: str, namespace: str, patch: kopf.Patch, **_: Any) -> None:
    """Follow the size of a cog."""
    if old is not None:
        client.CoreV1Api().patch_namespaced_config_map(name, namespace, {"data": {"size": str(new)}})
        patch.status["phase"] = "Resized"


@kopf.on.delete("cogs.example.com", "v1", "cogs")
def delete(name: str, namespace: str, **_: Any) -> None:
    """Nothing collects garbage here, so the operator does."""
    client.CoreV1Api().delete_namespaced_config_map(name, namespace)
