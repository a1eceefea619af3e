"""Reading one object."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from konverge.cluster.apiserver.reading.scale import scale_of
from konverge.cluster.apiserver.resource import Resource, Scale
from konverge.cluster.apiserver.strategy import Strategy

if TYPE_CHECKING:
    from tests.cluster.apiserver.conftest import Served

CONFIG_MAP = "/api/v1/namespaces/default/configmaps/a"
GADGET = "/apis/example.com/v1/namespaces/default/gadgets/a"


async def test_plain(served: Served) -> None:
    """The stored bytes are the answer."""
    stored = served.storage.get("/core/configmaps/default/a")
    assert stored is not None
    assert (await served.get(CONFIG_MAP)).body is stored.value


async def test_status(served: Served) -> None:
    """The status subresource shows the whole object."""
    assert await served.read(f"{GADGET}/status") == await served.read(GADGET)


async def test_scale(served: Served) -> None:
    """The scale subresource shows replicas and selector in a form of its own."""
    found = await served.read(f"{GADGET}/scale")
    assert found == {
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": {"name": "a", "namespace": "default", "resourceVersion": "4"},
        "spec": {"replicas": 3},
        "status": {"replicas": 0, "selector": "a=b"},
    }


@pytest.mark.parametrize(
    ("selector", "text"),
    [
        (None, ""),
        ({"matchLabels": {"b": "2", "a": "1"}}, "a=1,b=2"),
        ({"matchExpressions": [{"key": "a", "operator": "In", "values": ["x", "y"]}]}, "a in (x,y)"),
        ({"a": "1"}, "a=1"),
    ],
)
def test_scale_of_built_in_kinds(selector: dict[str, Any] | None, text: str) -> None:
    """Their selectors are objects; no replicas are left out, as Go leaves out a zero."""
    resource = Resource(
        group="apps",
        version="v1",
        kind="Deployment",
        plural="deployments",
        singular="deployment",
        namespaced=True,
        storage_version="v1",
        strategy=Strategy(),
        scale=Scale(spec_replicas="spec.replicas", status_replicas="status.replicas", label_selector="spec.selector"),
    )
    value = {"metadata": {"name": "a"}, "spec": {"selector": selector}, "status": {"replicas": 2}}
    found = scale_of(resource, value)
    assert found["spec"] == {}
    assert found["status"] == {"replicas": 2, **({"selector": text} if text else {})}


async def test_as_metadata(served: Served) -> None:
    """PartialObjectMetadata is the metadata alone."""
    accept = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
    found = await served.read(CONFIG_MAP, accept=accept)
    assert sorted(found) == ["apiVersion", "kind", "metadata"]
    assert found["metadata"] == (await served.read(CONFIG_MAP))["metadata"]


async def test_as_table(served: Served) -> None:
    """A Table of one row, with the object's version."""
    found = await served.read(CONFIG_MAP, accept="application/json;as=Table;g=meta.k8s.io;v=v1")
    assert found["kind"] == "Table"
    assert found["metadata"] == {"resourceVersion": "2"}
    (row,) = found["rows"]
    assert row["cells"][0] == "a"
    assert row["object"]["kind"] == "PartialObjectMetadata"


async def test_pretty(served: Served) -> None:
    """Lines for people."""
    answer = await served.get(f"{CONFIG_MAP}?pretty=true")
    assert answer.body.startswith(b'{\n  "apiVersion": "v1"')
    assert json.loads(answer.body) == await served.read(CONFIG_MAP)
