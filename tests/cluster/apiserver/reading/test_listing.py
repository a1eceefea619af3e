"""Lists: whole, selected and in pages."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from konverge.testing.virtual_time import run

if TYPE_CHECKING:
    from tests.cluster.apiserver.conftest import Served

CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"
GADGETS = "/apis/example.com/v1/namespaces/default/gadgets"
PARTIALS = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"


def names(found: dict[str, Any]) -> list[str]:
    """Return the names of a list's items."""
    return [item["metadata"]["name"] for item in found["items"]]


async def test_built_in(served: Served) -> None:
    """A list of a built-in kind says what it is once; its items do not."""
    found = await served.read(CONFIG_MAPS)
    assert (found["kind"], found["apiVersion"]) == ("ConfigMapList", "v1")
    assert found["metadata"] == {"resourceVersion": str(served.storage.revision)}
    assert [sorted(item) for item in found["items"]] == [["data", "metadata"]] * 2


async def test_items_whose_kind_does_not_come_first(served: Served) -> None:
    """However an object was stored, as an item it has no kind."""
    value = served.config_map("c")
    await served.put({"metadata": value["metadata"], "kind": "ConfigMap", "apiVersion": "v1"})
    assert "kind" not in (await served.read(CONFIG_MAPS))["items"][-1]


async def test_custom(served: Served) -> None:
    """Items of a custom resource's list keep their kind, and the list always has a continue."""
    found = await served.read(GADGETS)
    assert found["kind"] == "GadgetList"
    assert found["metadata"] == {"resourceVersion": str(served.storage.revision), "continue": ""}
    assert {item["kind"] for item in found["items"]} == {"Gadget"}


async def test_another_version(served: Served) -> None:
    """Items are in the version of the request, which is deprecated."""
    answer = await served.get("/apis/example.com/v1beta1/gadgets")
    assert {item["apiVersion"] for item in json.loads(answer.body)["items"]} == {"example.com/v1beta1"}
    warning = '299 - "example.com/v1beta1 Gadget is deprecated; use example.com/v1 Gadget"'
    assert ("Warning", warning) in answer.headers


async def test_empty(served: Served) -> None:
    """An empty list has an empty array."""
    assert (await served.read("/api/v1/namespaces/other/configmaps"))["items"] == []


async def test_across_namespaces(served: Served) -> None:
    """All namespaces, in the order of namespace and name; a field selector narrows to one."""
    await served.put(served.config_map("0", namespace="other"))
    assert names(await served.read("/api/v1/configmaps")) == ["a", "b", "0"]
    assert names(await served.read("/api/v1/configmaps?fieldSelector=metadata.namespace%3Dother")) == ["0"]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("labelSelector=x%3D1", ["a"]),
        ("labelSelector=x", ["a"]),
        ("labelSelector=!x", ["b"]),
        ("fieldSelector=metadata.name%3Da", ["a"]),
        ("fieldSelector=metadata.name!%3Da", ["b"]),
        ("fieldSelector=metadata.name%3Da,metadata.name%3Db", []),
        ("fieldSelector=metadata.name%3Da&labelSelector=!x", []),
        ("fieldSelector=metadata.namespace%3Dother", []),
    ],
)
async def test_selectors(served: Served, query: str, expected: list[str]) -> None:
    """Labels and fields select."""
    assert names(await served.read(f"{CONFIG_MAPS}?{query}")) == expected


@pytest.mark.parametrize(
    ("selector", "expected"),
    [("spec.color%3Dred", ["a"]), ("spec.color!%3Dred", ["b"]), ("spec.size%3D4", ["a"]), ("spec.size%3D", ["b"])],
)
async def test_selectable_fields(served: Served, selector: str, expected: list[str]) -> None:
    """A custom resource is selected by the fields that its definition names; an absent one is empty."""
    assert names(await served.read(f"{GADGETS}?fieldSelector={selector}")) == expected


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ("spec.nodeName%3Dn", ["on"]),
        ("spec.nodeName%3D", ["off"]),
        ("spec.hostNetwork%3Dtrue", ["on"]),
        ("spec.hostNetwork%3Dfalse", ["off"]),
    ],
)
async def test_fields_of_a_built_in_kind(served: Served, selector: str, expected: list[str]) -> None:
    """A built-in kind's fields read as they do in Go where they are absent."""
    head = {"apiVersion": "v1", "kind": "Pod"}
    await served.put({**head, "metadata": {"name": "off", "namespace": "default"}, "spec": {}})
    spec = {"nodeName": "n", "hostNetwork": True}
    await served.put({**head, "metadata": {"name": "on", "namespace": "default"}, "spec": spec})
    assert names(await served.read(f"/api/v1/pods?fieldSelector={selector}")) == expected


async def test_pages(served: Served) -> None:
    """Pages are of one version; each but the last says how many remain and where to go on."""
    first = await served.read(f"{CONFIG_MAPS}?limit=1")
    assert names(first) == ["a"]
    assert first["metadata"]["remainingItemCount"] == 1
    await served.put(served.config_map("aa"))
    second = await served.read(f"{CONFIG_MAPS}?limit=1&continue={first['metadata']['continue']}")
    assert names(second) == ["b"]
    assert second["metadata"] == {"resourceVersion": first["metadata"]["resourceVersion"]}


async def test_a_selected_page_does_not_count_what_remains(served: Served) -> None:
    """With a selector the number that remains is not known."""
    found = await served.read(f"{CONFIG_MAPS}?limit=1&labelSelector=x")
    assert "continue" in found["metadata"]
    assert "remainingItemCount" not in found["metadata"]


async def test_version_0_ignores_the_limit(served: Served) -> None:
    """A list of any version is whole."""
    assert names(await served.read(f"{CONFIG_MAPS}?limit=1&resourceVersion=0")) == ["a", "b"]


async def test_exact(served: Served) -> None:
    """An exact version shows the state of that time, and says so; so does a limit with a version."""
    revision = served.storage.revision
    await served.put(served.config_map("c"))
    for query in (f"resourceVersion={revision}&resourceVersionMatch=Exact", f"resourceVersion={revision}&limit=9"):
        found = await served.read(f"{CONFIG_MAPS}?{query}")
        assert names(found) == ["a", "b"]
        assert found["metadata"]["resourceVersion"] == str(revision)


async def test_exact_of_one_object(served: Served) -> None:
    """The one object that a selector names, as it was."""
    revision = served.storage.revision
    await served.put(served.config_map("a", x="2"))
    query = f"resourceVersion={revision}&resourceVersionMatch=Exact&fieldSelector=metadata.name%3Da"
    (item,) = (await served.read(f"{CONFIG_MAPS}?{query}"))["items"]
    assert item["metadata"]["labels"] == {"x": "1"}


async def test_not_older_than(served: Served) -> None:
    """A version that has passed gives what is there now."""
    found = await served.read(f"{CONFIG_MAPS}?resourceVersion=2&resourceVersionMatch=NotOlderThan")
    assert found["metadata"]["resourceVersion"] == str(served.storage.revision)


def test_a_version_that_comes_while_waiting(serving: type[Served]) -> None:
    """A list waits up to three seconds for a version that is yet to come."""

    async def main() -> None:
        served = serving()
        asking = asyncio.create_task(served.read(f"{CONFIG_MAPS}?resourceVersion=2"))
        await asyncio.sleep(2)
        await served.put(served.config_map("a"))
        assert names(await asking) == ["a"]

    run(main())


def test_an_expired_continue(serving: type[Served]) -> None:
    """A page whose version is gone is a 410 with a token that goes on with what is there now."""

    async def main() -> None:
        served = serving()
        for name in "abc":
            await served.put(served.config_map(name))
        token = (await served.read(f"{CONFIG_MAPS}?limit=1"))["metadata"]["continue"]
        for name in "de":
            await asyncio.sleep(3600)
            await served.put(served.config_map(name))
        answer = await served.get(f"{CONFIG_MAPS}?limit=1&continue={token}")
        status = json.loads(answer.body)
        assert (answer.status, status["reason"]) == (410, "Expired")
        assert status["message"].startswith("The provided continue parameter is too old")
        found = await served.read(f"{CONFIG_MAPS}?continue={status['metadata']['continue']}")
        assert names(found) == ["b", "c", "d", "e"]
        gone = await served.get(f"{CONFIG_MAPS}?resourceVersion=2&resourceVersionMatch=Exact")
        assert json.loads(gone.body)["message"] == "The resourceVersion for the provided list is too old."

    run(main())


async def test_as_metadata(served: Served) -> None:
    """PartialObjectMetadataList has the metadata of each, and the list's own."""
    found = await served.read(f"{CONFIG_MAPS}?limit=1", accept=PARTIALS)
    assert found["kind"] == "PartialObjectMetadataList"
    assert found["metadata"]["remainingItemCount"] == 1
    (item,) = found["items"]
    assert (item["kind"], sorted(item)) == ("PartialObjectMetadata", ["apiVersion", "kind", "metadata"])


async def test_as_yaml(served: Served) -> None:
    """YAML says the same as JSON."""
    answer = await served.get(CONFIG_MAPS, accept="application/yaml")
    assert answer.content_type == "application/yaml"
    assert yaml.safe_load(answer.body) == await served.read(CONFIG_MAPS)


@given(
    sizes=st.lists(st.integers(1, 4), min_size=1, max_size=8),
    stored=st.lists(
        st.tuples(st.sampled_from("ab"), st.text("ab-", min_size=1, max_size=3), st.booleans()), max_size=12
    ),
    selects=st.booleans(),
)
def test_pages_make_the_whole(
    serving: type[Served], sizes: list[int], stored: list[tuple[str, str, bool]], selects: bool
) -> None:
    """Whatever the sizes of pages, together they are the list at the version of the first, and each item comes once."""

    async def main() -> None:
        served = serving()
        for namespace, name, is_marked in {each[:2]: each for each in stored}.values():
            labels = {"x": "1"} if is_marked else {}
            await served.put(served.config_map(name, namespace=namespace, **labels))
        path = "/api/v1/configmaps?" + ("labelSelector=x&" if selects else "")
        whole = await served.read(path)
        items, token, turn = [], "", 0
        while True:
            page = await served.read(f"{path}limit={sizes[turn % len(sizes)]}&continue={token}")
            assert len(page["items"]) <= sizes[turn % len(sizes)]
            items += page["items"]
            token, turn = page["metadata"].get("continue", ""), turn + 1
            await served.put(served.config_map(f"later{turn}"))
            if not token:
                break
        assert items == whole["items"]

    run(main())
