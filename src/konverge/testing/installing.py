"""What the manifests of a project say, brought into a cluster to test on: `Cluster.install`."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import yaml

from konverge.api.form import unstructured
from konverge.api.model import encode
from konverge.api.unstructured import Unstructured
from konverge.client.client import Client
from konverge.testing.waiting import eventually

_DEFINITION = unstructured("apiextensions.k8s.io/v1", "CustomResourceDefinition")


async def install(client: Client, file: Path) -> None:
    """Apply every object of a YAML file, in order, and wait until the kinds that they define are served."""
    for wanted in _objects(file):
        await _install(client, wanted)


def _objects(file: Path) -> list[Unstructured]:
    values = yaml.safe_load_all(file.read_text(encoding="utf-8"))
    return [Unstructured.__decode__(encode(value)) for value in values if value]


async def _install(client: Client, wanted: Unstructured) -> None:
    await client.apply(wanted, force=True, field_owner="konverge-install")
    if wanted.kind == _DEFINITION.gvk.kind:
        await eventually(partial(_is_served, client, wanted))


async def _is_served(client: Client, definition: Unstructured) -> bool:
    """Whether each version can be listed; a real server says Established a moment before."""
    spec = definition["spec"]
    for version in spec["versions"]:
        if version["served"]:
            await client.get_raw(f"/apis/{spec['group']}/{version['name']}/{spec['names']['plural']}")
    return True
