"""A small program on the official Python client: built-in and custom resources, a watch, patches, a status.

    KUBECONFIG=... python official.py NAMESPACE

Prints what it saw, a line each.
"""

from __future__ import annotations

import sys
import threading
from typing import Any

from kubernetes import client, config, watch
from kubernetes.client.exceptions import ApiException

GROUP, VERSION, PLURAL = "cogs.example.com", "v1", "cogs"


def main(namespace: str) -> None:
    """Run all of it."""
    config.load_kube_config()
    core, custom = client.CoreV1Api(), client.CustomObjectsApi()
    built_in(core, namespace)
    custom_resources(custom, namespace)


def built_in(core: client.CoreV1Api, namespace: str) -> None:
    """Create, read, patch, replace, list by pages and delete config maps, and watch them."""
    start = core.list_namespaced_config_map(namespace).metadata.resource_version
    seen: list[str] = []
    watching = threading.Thread(target=follow, args=(core, namespace, start, seen))
    watching.start()
    metadata = client.V1ObjectMeta(name="settings", labels={"app": "web"})
    core.create_namespaced_config_map(namespace, client.V1ConfigMap(metadata=metadata, data={"a": "1"}))
    core.patch_namespaced_config_map("settings", namespace, {"data": {"b": "2"}})
    found = core.read_namespaced_config_map("settings", namespace)
    found.data["c"] = "3"
    core.replace_namespaced_config_map("settings", namespace, found)
    try:
        core.replace_namespaced_config_map("settings", namespace, found)
    except ApiException as error:
        print("conflict:", error.status, error.reason)
    for name in ("one", "two", "three"):
        core.create_namespaced_secret(
            namespace, client.V1Secret(metadata=client.V1ObjectMeta(name=name), string_data={"key": name})
        )
    page = core.list_namespaced_secret(namespace, limit=2)
    rest = core.list_namespaced_secret(namespace, limit=2, _continue=page.metadata._continue)
    print("pages:", [item.metadata.name for item in page.items], [item.metadata.name for item in rest.items])
    selected = core.list_namespaced_config_map(namespace, label_selector="app in (web)")
    print("selected:", [(item.metadata.name, item.data) for item in selected.items])
    core.delete_namespaced_config_map("settings", namespace)
    watching.join()
    print("\n".join(seen))


def follow(core: client.CoreV1Api, namespace: str, version: str, seen: list[str]) -> None:
    """Note the events of one config map until it is deleted."""
    events = watch.Watch()
    options: dict[str, Any] = {"resource_version": version, "timeout_seconds": 30}
    for event in events.stream(core.list_namespaced_config_map, namespace, **options):
        found = event["object"]
        seen.append(f"{event['type']} {found.metadata.name} {sorted((found.data or {}).items())}")
        if event["type"] == "DELETED":
            events.stop()


def custom_resources(custom: client.CustomObjectsApi, namespace: str) -> None:
    """Create a custom resource, patch it, write its status, and be refused."""
    place = (GROUP, VERSION, namespace, PLURAL)
    body = {"apiVersion": f"{GROUP}/{VERSION}", "kind": "Cog", "metadata": {"name": "a"}, "spec": {"size": 1}}
    custom.create_namespaced_custom_object(*place, body)
    custom.patch_namespaced_custom_object(*place, "a", {"spec": {"size": 3}})
    custom.patch_namespaced_custom_object_status(*place, "a", {"status": {"phase": "Ready"}})
    found = custom.get_namespaced_custom_object(*place, "a")
    print("custom:", found["spec"], found["status"], found["metadata"]["generation"])
    scale = custom.get_namespaced_custom_object_scale(*place, "a")
    print("scale:", scale["kind"], scale["spec"])
    try:
        custom.create_namespaced_custom_object(*place, {**body, "metadata": {"name": "b"}, "spec": {"size": -1}})
    except ApiException as error:
        print("refused:", error.status, "should be greater than or equal to 1" in error.body)
    custom.delete_namespaced_custom_object(*place, "a")
    print("left:", custom.list_namespaced_custom_object(*place)["items"])


if __name__ == "__main__":
    main(sys.argv[1])
