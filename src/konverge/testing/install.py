"""`install`: what the manifests of a project say, in a cluster to test on."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import yaml

from konverge.api.form import unstructured
from konverge.api.model import encode
from konverge.api.unstructured import Unstructured
from konverge.client.client import Client
from konverge.testing.eventually import eventually

_DEFINITION = unstructured("apiextensions.k8s.io/v1", "CustomResourceDefinition")


async def install(client: Client, *files: Path | str) -> None:
    """Apply every object of these YAML files, in order, and wait until the kinds that they define are served.

    It may be done again: a real cluster is shared by the tests of a session.
    """
    for file in files:
        for value in yaml.safe_load_all(Path(file).read_text(encoding="utf-8")):
            if value:
                await _install(client, Unstructured.__decode__(encode(value)))


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
