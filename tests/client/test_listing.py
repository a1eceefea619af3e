from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import konverge as kv
from konverge.api import meta
from konverge.api.form import form_of
from konverge.api.meta import ListMeta
from konverge.api.request import ListOptions
from konverge.client.listing import Listing, ObjectList, read_page
from konverge.errors import DecodeError, Expired, RequestError
from konverge.models import core_v1

if TYPE_CHECKING:
    from tests.client.conftest import Recorder

Recorded = tuple[kv.Client, "Recorder"]


@pytest.fixture
async def seven(own: kv.Client) -> list[str]:
    """Seven ConfigMaps; every other one is labelled even."""
    names = [f"c{n}" for n in range(7)]
    for n, name in enumerate(names):
        labels = {"parity": "even" if n % 2 == 0 else "odd", "n": str(n)}
        await own.create(core_v1.ConfigMap(metadata=kv.ObjectMeta(name=name, labels=labels)))
    return names


def names_of(objects: list[core_v1.ConfigMap]) -> list[str | None]:
    """The names, in order."""
    return [obj.metadata.name for obj in objects]


async def test_pages_are_invisible(recorded: Recorded, seven: list[str]) -> None:
    """An awaited list has every object, however many pages it took, and the version of the first page."""
    client, recorder = recorded
    found = await client.list(core_v1.ConfigMap, page_size=2)
    assert names_of(found) == seven
    assert len(recorder.calls) == 4
    assert not found.metadata.continue_
    assert int(found.resource_version) > 0
    assert all(obj.metadata.uid and kv.has_changes(obj) is False for obj in found)


async def test_limit(recorded: Recorded, seven: list[str]) -> None:
    """A limit bounds the objects over all pages, and the result says where it stopped."""
    client, recorder = recorded
    found = await client.list(core_v1.ConfigMap, limit=3, page_size=2)
    assert names_of(found) == seven[:3]
    assert found.metadata.continue_
    assert [dict(call.query)["limit"] for call in recorder.calls] == ["2", "1"]


async def test_limit_on_a_list_from_the_cache(own: kv.Client, seven: list[str]) -> None:
    """A list at any version has no pages on the server; the limit holds all the same."""
    found = await own.list(core_v1.ConfigMap, limit=3, resource_version="0")
    assert len(found) == 3
    assert set(names_of(found)) <= set(seven)


async def test_iteration(recorded: Recorded, seven: list[str]) -> None:
    """An iteration asks for a page when it gets there, not before."""
    client, recorder = recorded
    seen: list[str | None] = []
    async for obj in client.list(core_v1.ConfigMap, page_size=3):
        seen.append(obj.metadata.name)
        assert len(recorder.calls) == (len(seen) + 2) // 3
    assert seen == seven


@pytest.mark.parametrize("size", [{"limit": 0}, {"limit": -1}, {"page_size": 0}])
def test_no_limit_of_nothing(size: dict[str, Any]) -> None:
    """A limit of 0 would mean none to the server, so it is refused."""
    with pytest.raises(RequestError, match="at least 1"):
        kv.Client.list(kv.Client.__new__(kv.Client), core_v1.ConfigMap, **size)


@pytest.mark.parametrize(
    "labels",
    [
        "parity=odd",
        "parity in (odd)",
        {"parity": "odd"},
        kv.LabelSelector.parse("parity=odd"),
        meta.LabelSelector(match_labels={"parity": "odd"}),
        meta.LabelSelector(
            match_expressions=[meta.LabelSelectorRequirement(key="parity", operator="NotIn", values=["even"])]
        ),
    ],
)
async def test_label_selectors(own: kv.Client, seven: list[str], labels: Any) -> None:
    """A label selector is taken as text, as a mapping, as a value and as it stands in a workload's spec."""
    assert names_of(await own.list(core_v1.ConfigMap, labels=labels)) == seven[1::2]


@pytest.mark.parametrize(
    "fields", ["metadata.name=c3", {"metadata.name": "c3"}, kv.FieldSelector.parse("metadata.name=c3")]
)
async def test_field_selectors(own: kv.Client, seven: list[str], fields: Any) -> None:
    """A field selector is taken as text, as a mapping and as a value."""
    assert names_of(await own.list(core_v1.ConfigMap, fields=fields)) == [seven[3]]


async def test_selectors_cannot_smuggle(client: kv.Client) -> None:
    """A value with a comma is no second requirement, and a selector of the other sort is refused."""
    with pytest.raises(RequestError):
        client.list(core_v1.ConfigMap, labels={"app": "x,tier=db"})
    with pytest.raises(RequestError, match="as fields"):
        client.list(core_v1.ConfigMap, labels=kv.FieldSelector.parse("a=b"))
    with pytest.raises(RequestError, match="as labels"):
        client.list(core_v1.ConfigMap, fields=kv.LabelSelector.parse("a=b"))
    assert await client.list(core_v1.ConfigMap, fields={"metadata.name": "x,metadata.namespace=default"}) == []


async def test_namespaces(client: kv.Client, own: kv.Client, seven: list[str], namespace: str) -> None:
    """A list is of all namespaces, of the one named, or of the client's own."""
    everywhere = await client.list(core_v1.ConfigMap, labels="parity")
    assert {obj.metadata.namespace for obj in everywhere} >= {namespace}
    assert names_of(await client.list(core_v1.ConfigMap, namespace=namespace)) == seven
    assert names_of(await own.list(core_v1.ConfigMap)) == seven


async def test_items_know_their_kind(own: kv.Client, seven: list[str]) -> None:
    """Items of a built-in list carry no kind on the wire; as Unstructured they have one, and can be written."""
    found = await own.list(kv.unstructured("v1", "ConfigMap"), limit=1)
    assert (found[0].api_version, found[0].kind) == ("v1", "ConfigMap")
    found[0]["data"] = {"x": "1"}
    await own.update(found[0])
    assert (await own.get(core_v1.ConfigMap, seven[0])).data == {"x": "1"}


def page(names: list[str], token: str | None = None) -> ObjectList[core_v1.ConfigMap]:
    """A page with objects of these names."""
    objects = [core_v1.ConfigMap(metadata=kv.ObjectMeta(name=name)) for name in names]
    return ObjectList(objects, ListMeta(resource_version="7", continue_=token))


class Forgetful:
    """Serves one page, forgets its version, and serves everything at once to whoever starts over."""

    def __init__(self) -> None:
        self.asked: list[ListOptions] = []

    async def __call__(self, options: ListOptions) -> ObjectList[core_v1.ConfigMap]:
        """Answer one request."""
        self.asked.append(options)
        if options.continue_:
            raise Expired("the continue token is too old")
        return page(["a"], "more") if options.limit else page(["a", "b"])

    def listing(self) -> Listing[core_v1.ConfigMap]:
        """A list in pages of one."""
        return Listing(self, ListOptions(), limit=None, page_size=1)


async def test_expired_token_starts_over() -> None:
    """When the server forgets the version half-way, an awaited list is asked for anew, at once and without pages."""
    server = Forgetful()
    assert names_of(await server.listing()) == ["a", "b"]
    assert [options.limit for options in server.asked] == [1, 1, None]


async def note(listing: Listing[core_v1.ConfigMap], seen: list[str | None]) -> None:
    """Iterate, noting each name as it comes."""
    async for obj in listing:
        seen.append(obj.metadata.name)  # noqa: PERF401 - what was given before an error counts


async def test_expired_token_ends_an_iteration() -> None:
    """An iteration has given objects away already, so it raises Expired."""
    seen: list[str | None] = []
    with pytest.raises(Expired):
        await note(Forgetful().listing(), seen)
    assert seen == ["a"]


async def test_expired_first_page() -> None:
    """A version that was too old to begin with is raised at once, not asked for twice."""
    asked = []

    async def fetch(options: ListOptions) -> ObjectList[core_v1.ConfigMap]:
        asked.append(options)
        raise Expired("too old")

    with pytest.raises(Expired):
        await Listing(fetch, ListOptions(resource_version="1"), limit=None, page_size=1)
    assert len(asked) == 1


@pytest.mark.parametrize(
    "body",
    [
        b'{"metadata":{"resourceVersion":"5"},"items":null}',
        b'{"metadata":{"resourceVersion":"5"}}',
        b'{"items":[],"metadata":{"resourceVersion":"5"}}',
    ],
)
def test_empty_lists(body: bytes) -> None:
    """A list without items, in each spelling, is empty and has its version."""
    found = read_page(body, form_of(core_v1.ConfigMap))
    assert found == []
    assert found.resource_version == "5"


async def test_an_empty_first_page_with_a_token() -> None:
    """A page may be empty and yet not the last: the list goes on."""
    pages = {None: page([], "more"), "more": page(["a"])}

    async def fetch(options: ListOptions) -> ObjectList[core_v1.ConfigMap]:
        return pages[options.continue_]

    assert names_of(await Listing(fetch, ListOptions(), limit=5, page_size=2)) == ["a"]


def test_kind_is_only_added_where_it_is_missing() -> None:
    """An item that says its kind keeps its bytes, wherever in the item that stands."""
    form = kv.unstructured("v1", "ConfigMap")
    body = b'{"items":[{"metadata":{"name":"a"},"kind":"Other","apiVersion":"x/v1"},{},{"metadata":{"name":"b"}}]}'
    assert [(obj.api_version, obj.kind) for obj in read_page(body, form)] == [
        ("x/v1", "Other"),
        ("v1", "ConfigMap"),
        ("v1", "ConfigMap"),
    ]


def test_a_bad_item_is_named() -> None:
    """An item that does not fit the class is named in the error."""
    with pytest.raises(DecodeError, match=r'"x/bad": .*Unstructured'):
        read_page(b'{"items":[{"metadata":{"name":"bad","namespace":"x"},"data":3}]}', form_of(core_v1.ConfigMap))
