from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import pytest

import konverge as kv
from konverge.client.retry import RetryingTransport
from konverge.errors import AlreadyExists, BadRequest, Conflict, DecodeError, NotFound, RequestError
from konverge.models import core_v1
from konverge.testing.scripted import Answer, ScriptedTransport

if TYPE_CHECKING:
    from tests.client.conftest import Loopback, Recorder


def config_map(name: str = "a", **data: str) -> core_v1.ConfigMap:
    """A ConfigMap that names no namespace."""
    return core_v1.ConfigMap(metadata=kv.ObjectMeta(name=name), data=data)


class Narrow(kv.Object):
    """A Widget of which the author knows the replicas and nothing else."""

    __resource__: ClassVar[kv.Resource] = kv.Resource(
        group="test.konverge.dev", version="v1", kind="Widget", plural="widgets", namespaced=True
    )

    class Spec(kv.Model):
        """The one known field."""

        replicas: int | None = None

    spec: Spec = kv.field(default_factory=Spec)


@dataclass(frozen=True)
class Request:
    """What a reconciler is given."""

    namespace: str
    name: str


async def test_version(client: kv.Client) -> None:
    """The server says which version it is."""
    assert (await client.version())["gitVersion"].startswith("v1.36.")


async def test_life_of_an_object(client: kv.Client, namespace: str) -> None:
    """An object is created, read, updated, listed and deleted."""
    made = config_map(x="1")
    made.metadata.namespace = namespace
    assert await client.create(made) is made
    assert made.metadata.uid
    read = await client.get(core_v1.ConfigMap, "a", namespace=namespace)
    assert read == made
    read.data = {"x": "2"}
    await client.update(read)
    assert read.metadata.resource_version != made.metadata.resource_version
    assert [found.data for found in await client.list(core_v1.ConfigMap, namespace=namespace)] == [{"x": "2"}]
    await client.delete(read)
    with pytest.raises(NotFound) as gone:
        await client.get(core_v1.ConfigMap, "a", namespace=namespace)
    assert f'get configmaps "{namespace}/a"' in str(gone.value)


async def test_get_by_anything_that_names_an_object(client: kv.Client, namespace: str) -> None:
    """A key, a request and metadata name an object as well as a name and a namespace do."""
    made = await client.in_namespace(namespace).create(config_map())
    for name in (kv.ObjectKey(namespace, "a"), Request(namespace, "a"), made.metadata):
        assert (await client.get(core_v1.ConfigMap, name)).metadata.uid == made.metadata.uid
    with pytest.raises(RequestError, match="name one namespace"):
        await client.get(core_v1.ConfigMap, made.metadata, namespace="other")


async def test_get_at_a_version(own: kv.Client) -> None:
    """A read from the server's cache asks for a version that is at least as new."""
    made = await own.create(config_map())
    found = await own.get(core_v1.ConfigMap, "a", resource_version=made.metadata.resource_version)
    assert found == made


async def test_create_twice(own: kv.Client) -> None:
    """A name that is taken raises AlreadyExists, which is no Conflict."""
    await own.create(config_map())
    with pytest.raises(AlreadyExists) as error:
        await own.create(config_map())
    assert not isinstance(error.value, Conflict)


async def test_generated_name(own: kv.Client) -> None:
    """An object without a name gets one from the server."""
    made = await own.create(core_v1.ConfigMap(metadata=kv.ObjectMeta(generate_name="made-")))
    assert (made.metadata.name or "").startswith("made-")


async def test_update_of_a_changed_object(own: kv.Client) -> None:
    """An update on top of an old version raises Conflict, and leaves the author's object as it was."""
    first = await own.create(config_map(x="1"))
    second = await own.get(core_v1.ConfigMap, "a")
    first.data = {"x": "2"}
    await own.update(first)
    second.data = {"x": "3"}
    with pytest.raises(Conflict, match="modified"):
        await own.update(second)
    assert second.data == {"x": "3"}


async def test_unknown_fields_survive_an_update(own: kv.Client, widgets: str) -> None:
    """Fields that the class does not know, at any depth, are on the server after an update through it."""
    whole = kv.Unstructured.from_dict(
        {
            "apiVersion": widgets,
            "kind": "Widget",
            "metadata": {"name": "w"},
            "spec": {"replicas": 1, "future": {"items": [{"a": 1.0}]}, "size": "S"},
        }
    )
    await own.create(whole)
    narrow = await own.get(Narrow, "w")
    narrow.spec.replicas = 2
    await own.update(narrow)
    found = await own.get(kv.unstructured(widgets, "Widget"), "w")
    assert found.to_dict()["spec"] == {"replicas": 2, "future": {"items": [{"a": 1.0}]}, "size": "S"}


@pytest.mark.parametrize("name", [".", "..", "a/b", "a%2fb"])
async def test_a_name_that_would_leave_its_place_in_the_url(own: kv.Client, name: str) -> None:
    """A name that is a path of its own is refused before anything is sent."""
    with pytest.raises(RequestError, match="no object can have this name"):
        await own.delete(core_v1.ConfigMap, name)


async def test_missing_names(client: kv.Client) -> None:
    """An empty name or a missing namespace is refused before a URL could mean something else."""
    with pytest.raises(RequestError, match="needs a name"):
        await client.get(core_v1.ConfigMap, "", namespace="default")
    with pytest.raises(RequestError, match="needs a namespace"):
        await client.get(core_v1.ConfigMap, "a")
    with pytest.raises(RequestError, match="needs the name"):
        await client.delete(core_v1.ConfigMap, namespace="default")


async def test_namespace_of_a_cluster_scoped_kind(client: kv.Client, namespace: str) -> None:
    """A namespace given for a kind that has none is an error; the namespace of a view does not apply to it."""
    with pytest.raises(RequestError, match="Namespace has no namespaces"):
        await client.get(core_v1.Namespace, namespace, namespace="default")
    with pytest.raises(RequestError, match="Namespace has no namespaces"):
        await client.list(core_v1.Namespace, namespace="default")
    assert (await client.in_namespace("other").get(core_v1.Namespace, namespace)).metadata.name == namespace


async def test_a_view_of_no_namespace(client: kv.Client) -> None:
    """An empty name would be a view of everything, so it is refused."""
    with pytest.raises(RequestError, match="empty"):
        client.in_namespace("")


async def test_a_view_of_one_namespace_cannot_be_left(own: kv.Client) -> None:
    """Every verb of a client of one namespace refuses another one."""
    elsewhere = config_map()
    elsewhere.metadata.namespace = "default"
    with pytest.raises(RequestError, match="this client is of namespace"):
        await own.create(elsewhere)
    with pytest.raises(RequestError, match="this client is of namespace"):
        await own.get(core_v1.ConfigMap, "a", namespace="default")
    with pytest.raises(RequestError, match="this client is of namespace"):
        await own.list(core_v1.ConfigMap, namespace="default")
    with pytest.raises(RequestError, match="this client is of namespace"):
        await own.delete(elsewhere)


async def test_raw_reads(client: kv.Client) -> None:
    """Any path can be read as it is; what is no path on this server is never sent."""
    assert await client.get_raw("/readyz", query={"verbose": ""}) != b""
    with pytest.raises(NotFound, match="/nowhere"):
        await client.get_raw("/nowhere")
    for path in ("version", ".example.com/version", "/a b", "/a\r\nX: y"):
        with pytest.raises(RequestError, match="not a path"):
            await client.get_raw(path)


async def test_metadata_only(own: kv.Client) -> None:
    """Metadata alone is read, listed and patched, and knows the kind that it belongs to."""
    await own.create(config_map(x="1"))
    form = kv.metadata_only(core_v1.ConfigMap)
    found = await own.get(form, "a")
    assert (found.api_version, found.kind) == ("v1", "ConfigMap")
    assert not kv.has_changes(found)
    assert [each.kind for each in await own.list(form)] == ["ConfigMap"]
    found.metadata.labels = {"tier": "web"}
    await own.patch(found)
    assert (await own.get(core_v1.ConfigMap, "a")).data == {"x": "1"}
    assert found.metadata.labels == {"tier": "web"}
    assert (found.api_version, found.kind) == ("v1", "ConfigMap")
    await own.delete(found)


async def test_metadata_alone_is_never_written_as_a_whole(own: kv.Client) -> None:
    """An update or create with nothing but metadata would delete the rest, so it is refused."""
    await own.create(config_map(x="1"))
    found = await own.get(kv.metadata_only(core_v1.ConfigMap), "a")
    for verb in (own.update, own.create, own.status.update):
        with pytest.raises(RequestError, match="metadata alone"):
            await verb(found)


async def test_metadata_only_sends_little(recorded: tuple[kv.Client, Recorder]) -> None:
    """The server is asked for the metadata, not for the whole to be cut here."""
    client, recorder = recorded
    await client.list(kv.metadata_only(core_v1.ConfigMap))
    assert "as=PartialObjectMetadataList" in recorder.calls[-1].accept


async def test_dry_run(own: kv.Client) -> None:
    """A dry run, of one call or of a whole client, changes nothing."""
    made = await own.create(config_map(), dry_run=True)
    assert made.metadata.uid
    dry = own.with_defaults(dry_run=True)
    await dry.create(config_map())
    assert await own.list(core_v1.ConfigMap) == []
    real = await own.create(config_map(x="1"))
    real.data = {"x": "2"}
    await dry.update(real)
    await dry.apply(config_map(y="1"), field_owner="other")
    await dry.delete(core_v1.ConfigMap, "a")
    await dry.delete_all_of(core_v1.ConfigMap)
    assert (await own.get(core_v1.ConfigMap, "a")).data == {"x": "1"}
    await dry.delete(core_v1.ConfigMap, "a", dry_run=False)
    assert await kv.ignore_not_found(own.get(core_v1.ConfigMap, "a")) is None


class Misspelt(kv.Object):
    """A ConfigMap with a field that the server does not have."""

    __resource__: ClassVar[kv.Resource] = core_v1.ConfigMap.__resource__
    dada: dict[str, str] | None = None


async def test_strict_field_validation(own: kv.Client) -> None:
    """A strict client is told the name of a field that does not exist."""
    strict = own.with_defaults(field_validation="Strict")
    with pytest.raises(BadRequest, match='unknown field "dada"'):
        await strict.create(Misspelt(metadata=kv.ObjectMeta(name="a"), dada={}))


async def test_each_warning_is_logged_once(own: kv.Client, caplog: pytest.LogCaptureFixture) -> None:
    """A warning of the server reaches the log once, with the operation that caused it, however often it comes."""
    for name in ("a", "b"):
        await own.create(Misspelt(metadata=kv.ObjectMeta(name=name), dada={}), field_validation="Warn")
    await own.in_namespace(own._engine.defaults.namespace or "").create(
        Misspelt(metadata=kv.ObjectMeta(name="c"), dada={})
    )
    assert [record.getMessage() for record in caplog.records] == ['unknown field "dada"']
    assert "create configmaps" in vars(caplog.records[0])["fields"]["operation"]


async def test_field_owner(own: kv.Client) -> None:
    """Writes carry the field owner of the call, else of the client, else konverge's."""
    views = (own, own.with_defaults(field_owner="mine"))
    owners = [(await view.create(config_map(f"a{n}", x="1"))).metadata.managed_fields for n, view in enumerate(views)]
    owners.append((await own.create(config_map("a2", x="1"), field_owner="once")).metadata.managed_fields)
    assert [[entry.manager for entry in entries or ()] for entries in owners] == [["konverge"], ["mine"], ["once"]]


async def test_ignoring(own: kv.Client) -> None:
    """An object that is gone, or there already, can be no error."""
    assert await kv.ignore_not_found(own.get(core_v1.ConfigMap, "a")) is None
    await kv.ignore_not_found(own.delete(core_v1.ConfigMap, "a"))
    assert await kv.ignore_already_exists(own.create(config_map())) is not None
    assert await kv.ignore_already_exists(own.create(config_map())) is None
    assert await kv.ignore_not_found(own.get(core_v1.ConfigMap, "a")) is not None


async def test_an_answer_that_does_not_fit(loopback: Loopback) -> None:
    """What cannot be decoded is a DecodeError that names the object and the way round."""
    loopback.answers = [loopback.json({"metadata": {"name": "a", "namespace": "x"}, "data": {"k": 7}})]
    async with kv.Client.connect(loopback.config()) as client:
        with pytest.raises(DecodeError) as error:
            await client.get(core_v1.ConfigMap, "a", namespace="x")
    assert all(part in str(error.value) for part in ('get configmaps "x/a"', "Unstructured", "$.data"))


async def test_html_in_place_of_an_answer(loopback: Loopback) -> None:
    """A login page with status 200 is a DecodeError wherever it turns up, never a foreign exception."""
    loopback.answers = [loopback.text("<html>please log in</html>")]
    async with kv.Client.connect(loopback.config()) as client:
        for call in (
            client.version(),
            client.get(core_v1.ConfigMap, "a", namespace="x"),
            client.get(kv.unstructured("v1", "ConfigMap"), "a", namespace="x"),
            client.status.patch(config_map(), kv.RawPatch("application/merge-patch+json", b"{}")),
        ):
            with pytest.raises((DecodeError, RequestError)):
                await call
        with pytest.raises(DecodeError, match="list configmaps"):
            await client.list(core_v1.ConfigMap)


async def test_wrong_arguments() -> None:
    """What is no kind, no object or no selector gets a sentence, and nothing is sent."""
    transport = ScriptedTransport()
    client: Any = kv.Client(transport)
    for kind in ("pods", config_map(), dict):
        with pytest.raises(RequestError, match=r"a kind was expected, not a (text|ConfigMap|type)"):
            await client.get(kind, "a", namespace="x")
        with pytest.raises(RequestError, match="a kind was expected"):
            client.list(kind)
    with pytest.raises(RequestError, match="a kind was expected"):
        await client.delete("pods", "a")
    for verb in (client.create, client.update, client.patch, client.apply, client.status.update):
        with pytest.raises(RequestError, match="was given a dict: give it the object itself"):
            await verb({"kind": "ConfigMap"})
    with pytest.raises(RequestError, match="labels=… was given a list"):
        client.list(core_v1.ConfigMap, labels=["a"])
    with pytest.raises(RequestError, match="fields=… was given a list"):
        client.list(core_v1.ConfigMap, fields=["a"])
    assert transport.requests == []


@pytest.mark.parametrize("name", ["..", ".", "a/b", "a%2fb", "x/configmaps/a?x="])
async def test_a_namespace_or_subresource_that_would_leave_its_place_in_the_url(name: str) -> None:
    """The other parts of a path are checked like the name."""
    transport = ScriptedTransport()
    client = kv.Client(transport)
    with pytest.raises(RequestError, match="no namespace can have this name"):
        await client.get(core_v1.ConfigMap, "a", namespace=name)
    with pytest.raises(RequestError, match="no namespace can have this name"):
        await client.in_namespace(name).list(core_v1.ConfigMap)
    with pytest.raises(RequestError, match="no namespace can have this name"):
        await client.create(core_v1.ConfigMap(metadata=kv.ObjectMeta(name="a", namespace=name)))
    with pytest.raises(RequestError, match="is no subresource"):
        client.subresource(name)
    assert transport.requests == []


def test_a_client_in_a_second_loop() -> None:
    """A client that was used in one event loop is refused in another, with the remedy."""
    transport = ScriptedTransport().then(Answer({"major": "1"}), Answer({"major": "1"}))
    client = kv.Client(RetryingTransport(transport, kv.RetryPolicy()))
    assert asyncio.run(client.version()) == {"major": "1"}
    with pytest.raises(RequestError, match=r"inside each asyncio\.run"):
        asyncio.run(client.version())


async def test_warnings_without_end(loopback: Loopback, caplog: pytest.LogCaptureFixture) -> None:
    """A server whose warnings never repeat does not fill the memory."""
    async with kv.Client.connect(loopback.config()) as client:
        for number in range(1005):
            loopback.answers = [loopback.json({}, Warning=f'299 - "number {number}"')]
            await client.version()
        assert len(client._engine._warned) == 1000
    assert len(caplog.records) == 1005
