"""What a client sees through the fault proxy."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from urllib.parse import urlsplit

import pytest

import konverge as kv
from konverge import errors
from konverge.api import request
from konverge.api.request import ListOptions
from konverge.client.config import StaticToken
from konverge.client.http import HttpTransport
from konverge.models.core_v1 import ConfigMap
from konverge.testing import Cluster, Fault, FaultProxy

PATIENCE = 60  # seconds after which a test fails instead of hanging


@asynccontextmanager
async def proxied(cluster: Cluster) -> AsyncIterator[tuple[FaultProxy, HttpTransport]]:
    """Return a proxy that lets every call meet a fault while there are any, and a transport through it."""
    async with asyncio.timeout(PATIENCE), FaultProxy(cluster, chance=1.0, delay=0.01) as proxy:
        transport = HttpTransport(proxy.config)
        try:
            yield proxy, transport
        finally:
            await transport.close()


async def test_without_faults_everything_passes(cluster: Cluster, namespace: str) -> None:
    """Reads, writes and errors are the real server's, for whoever has the kubeconfig."""
    async with proxied(cluster) as (proxy, _), kv.Client.connect(kv.Config.load(proxy.kubeconfig)) as client:
        await client.create(ConfigMap(metadata=kv.ObjectMeta(name="a", namespace=namespace), data={"x": "1"}))
        assert (await client.get(ConfigMap, "a", namespace=namespace)).data == {"x": "1"}
        assert len(await client.list(ConfigMap, namespace=namespace)) == 1
        with pytest.raises(errors.NotFound):
            await client.get(ConfigMap, "b", namespace=namespace)
        # In a thread: the proxy answers on this loop.
        get = partial(cluster.kubectl, "get", "cm", "a", "-n", namespace, "-o=name", kubeconfig=proxy.kubeconfig)
        assert await asyncio.to_thread(get) == "configmap/a\n"
        assert proxy.met.total() == 0


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        (Fault.CUT, errors.ConnectionFailed),
        (Fault.CUT_BODY, errors.ConnectionFailed),
        (Fault.TOO_MANY_REQUESTS, errors.TooManyRequests),
        (Fault.SERVER_ERROR, errors.InternalError),
        (Fault.UNAVAILABLE, errors.Unavailable),
        (Fault.GONE, errors.Expired),
    ],
)
async def test_a_list_meets_a_fault_once(
    cluster: Cluster, namespace: str, fault: Fault, expected: type[errors.KonvergeError]
) -> None:
    """The client sees it as the error it stands for; the next call is as ever."""
    call = request.list_(ConfigMap.__resource__, namespace, ListOptions())
    async with proxied(cluster) as (proxy, transport):
        proxy.inject(fault)
        with pytest.raises(expected) as caught:
            await transport.call(call)
        if fault is Fault.TOO_MANY_REQUESTS:
            assert isinstance(caught.value, errors.TooManyRequests)
            assert caught.value.retry_after == 1
        await proxy.spent()
        assert (await transport.call(call)).status == 200
        assert proxy.met == {fault: 1}


async def test_a_delayed_answer_arrives(cluster: Cluster, namespace: str) -> None:
    """It takes longer, and that is all."""
    async with proxied(cluster) as (proxy, transport):
        proxy.inject(Fault.DELAY)
        call = request.list_(ConfigMap.__resource__, namespace, ListOptions())
        assert (await transport.call(call)).status == 200
        assert proxy.met == {Fault.DELAY: 1}


@pytest.mark.parametrize("fault", [Fault.CUT_WATCH, Fault.TRUNCATE, Fault.STALL, Fault.EXPIRED])
async def test_a_watch_meets_a_fault(cluster: Cluster, namespace: str, fault: Fault) -> None:
    """It breaks, ends, is silent or says 410, after a few events have passed."""
    async with proxied(cluster) as (proxy, transport), kv.Client.connect(kv.Config.load(cluster.kubeconfig)) as client:
        proxy.inject(fault)
        received = b""
        writes = asyncio.create_task(_keep_writing(client, namespace))
        broke = False
        try:
            async with transport.stream(_watch(namespace)) as chunks:
                async for chunk in chunks:
                    received += chunk
                    if fault is Fault.STALL and proxy.met:
                        break
        except errors.ConnectionFailed:
            broke = True
        finally:
            writes.cancel()
        await proxy.spent()
    lines = received.split(b"\n")
    assert broke == (fault is Fault.CUT_WATCH)
    if fault is Fault.TRUNCATE:
        assert lines[-1] != b""
    if fault is Fault.EXPIRED:
        assert b'"code": 410' in lines[-2]


def _watch(namespace: str) -> request.ApiRequest:
    return request.watch(
        ConfigMap.__resource__,
        namespace,
        ListOptions(resource_version_match="NotOlderThan", timeout_seconds=60),
        send_initial_events=True,
    )


async def _keep_writing(client: kv.Client, namespace: str) -> None:
    number = 0
    while True:
        number += 1
        await client.create(ConfigMap(metadata=kv.ObjectMeta(name=f"a{number}", namespace=namespace)))


async def test_a_client_that_goes_away_leaves_nothing_behind(cluster: Cluster, namespace: str) -> None:
    """A stalled watch is held as long as its client, and no longer."""
    async with proxied(cluster) as (proxy, transport):
        async with transport.stream(_watch(namespace)):
            assert proxy.open_calls.total() == 1
        while proxy.open_calls.total():  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.01)


async def test_a_token_is_passed_on_as_its_user(cluster: Cluster, namespace: str) -> None:
    """Who brings a token is that token's user, not the administrator."""
    path = f"/api/v1/namespaces/{namespace}/serviceaccounts/default/token"
    token = cluster.call("POST", path, {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}})
    async with proxied(cluster) as (proxy, _):
        config = proxy.config.with_(credentials=StaticToken(token["status"]["token"]))
        async with kv.Client.connect(config) as client:
            with pytest.raises(errors.Forbidden, match=f"system:serviceaccount:{namespace}:default"):
                await client.list(ConfigMap, namespace=namespace)


async def test_the_upstream_may_be_known_by_a_token(cluster: Cluster, namespace: str) -> None:
    """Whose config has a token asks the real server with it."""
    path = f"/api/v1/namespaces/{namespace}/serviceaccounts/default/token"
    token = cluster.call("POST", path, {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}})
    config = kv.Config.load(cluster.kubeconfig)
    tls = replace(config.tls, certificate_data=None, key_data=None)
    upstream = config.with_(tls=tls, credentials=StaticToken(token["status"]["token"]))
    async with FaultProxy(upstream) as proxy, kv.Client.connect(proxy.config) as client:
        with pytest.raises(errors.Forbidden, match=f"system:serviceaccount:{namespace}:default"):
            await client.list(ConfigMap, namespace=namespace)


async def test_large_objects_pass(cluster: Cluster, namespace: str) -> None:
    """As large as the real server takes them."""
    async with proxied(cluster) as (proxy, _), kv.Client.connect(proxy.config) as client:
        made = ConfigMap(metadata=kv.ObjectMeta(name="a", namespace=namespace), data={"x": "y" * 1_000_000})
        await client.create(made, dry_run=True)
        made.data = {"x": "y" * 2_000_000}
        with pytest.raises(errors.Invalid, match="Too long"):
            await client.create(made, dry_run=True)


async def test_nobody_else_gets_in(cluster: Cluster) -> None:
    """The port alone is worth nothing: the proxy wants a certificate of its own authority."""
    async with proxied(cluster) as (proxy, _):
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        port = urlsplit(proxy.server).port
        with pytest.raises((ssl.SSLError, ConnectionError, asyncio.IncompleteReadError)):
            await _ask(port or 0, context)


async def _ask(port: int, context: ssl.SSLContext) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=context)
    try:
        writer.write(b"GET /version HTTP/1.1\r\nHost: localhost\r\n\r\n")
        await writer.drain()
        await reader.readexactly(1)
    finally:
        writer.transport.abort()


async def test_a_server_that_is_down_is_a_broken_connection() -> None:
    """The proxy invents no answer of its own."""
    async with asyncio.timeout(PATIENCE), FaultProxy(kv.Config(server="https://127.0.0.1:1")) as proxy:
        transport = HttpTransport(proxy.config)
        with pytest.raises(errors.ConnectionFailed):
            await transport.call(request.raw("/version"))
        await transport.close()
        assert repr(proxy).startswith("FaultProxy(https://127.0.0.1:")
