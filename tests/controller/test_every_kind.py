from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

import pytest

from konverge import ObjectMeta, Resource, Unstructured, new_controller
from konverge.client.served import ServedKind
from konverge.controller import Context, Event, EveryKindSource, Request
from konverge.models import core_v1
from konverge.testing import VirtualCluster, running

pytestmark = pytest.mark.virtual_time


class Noting:
    """Notes the events of a kind, and asks for a reconcile of each object under its kind's name."""

    def __init__(self, resource: Resource) -> None:
        self._resource = resource

    def requests(self, event: Event[Any]) -> Iterable[Request]:
        """Return the object."""
        return [Request(self._resource.plural, event.key.name)]


def some(kind: ServedKind) -> bool:
    """ConfigMaps, and what the test installs."""
    return kind.allows("list", "watch") and kind.resource.plural in (
        "configmaps",
        "widgets",
        "customresourcedefinitions",
    )


async def test_a_kind_that_is_installed_later_is_watched_and_one_that_goes_is_not() -> None:
    """A definition that changes is news at once; nothing is asked of a server whose kinds stay the same."""
    cluster = VirtualCluster()
    manager = cluster.manager()
    source = EveryKindSource(manager.cache, manager.live, Noting, kinds=some)
    seen: list[str] = []

    async def reconcile(_: Context, request: Request) -> None:
        seen.append(str(request))

    new_controller(manager).named("every").watches_source(source).complete(reconcile)
    async with running(manager), cluster.client() as client:
        await client.create(core_v1.ConfigMap(metadata=ObjectMeta(name="c", namespace="default")))
        await client.create(definition())
        await asyncio.sleep(3)
        metadata = ObjectMeta(name="w", namespace="default")
        await client.create(Unstructured(api_version="test.konverge.dev/v1", kind="Widget", metadata=metadata))
        await asyncio.sleep(1)
        assert {"configmaps/c", "widgets/w"} <= {*seen}
        assert "test.konverge.dev/v1 widgets" in [str(each) for each in source.resources]
        await client.delete(definition())
        await asyncio.sleep(10)
        assert "test.konverge.dev/v1 widgets" not in [str(each) for each in source.resources]
        assert [informer.resource.plural for informer in manager.cache.informers] == [
            "configmaps",
            "customresourcedefinitions",
        ]


def definition() -> Unstructured:
    """A kind of the test's own."""
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {"type": "object"}}}
    spec = {
        "group": "test.konverge.dev",
        "scope": "Namespaced",
        "names": {"kind": "Widget", "plural": "widgets"},
        "versions": [version],
    }
    return Unstructured(
        api_version="apiextensions.k8s.io/v1",
        kind="CustomResourceDefinition",
        metadata=ObjectMeta(name="widgets.test.konverge.dev"),
        content={"spec": spec},  # type: ignore[arg-type]  # it is taken over by value
    )


async def test_it_says_how_many_kinds_it_watches() -> None:
    """In logs, and where it waits."""
    manager = VirtualCluster().manager()
    assert repr(EveryKindSource(manager.cache, manager.live, Noting)) == "EveryKindSource(0 kinds)"
