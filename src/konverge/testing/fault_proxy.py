"""`FaultProxy`: a proxy on loopback that stands before an API server and does to its answers what networks do.

::

    async with FaultProxy(cluster, seed=7) as proxy:
        proxy.inject(Fault.CUT, Fault.STALL, times=10)
        ...                             # a program with proxy.kubeconfig, or a client with proxy.config
        await proxy.spent()             # every fault has been met

It speaks TLS with a certificate of its own authority, wants a client certificate of that authority (it is in the
kubeconfig: whoever else finds the port gets nothing), and asks the real server as the user of the upstream config. A
request that carries a token is passed on as that token's user instead.
"""

from __future__ import annotations

import asyncio
import base64
import json
import os
import ssl
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import aiohttp
from aiohttp import web
from yarl import URL

from konverge.certificates import Authority, KeyPair
from konverge.client.config import Config
from konverge.client.config.tls import Tls
from konverge.testing.cluster import Cluster
from konverge.testing.fault import ALL, Call, Fault, FaultPlan, call_of
from konverge.testing.fault_passage import Passage, passed_on

_HOST = "127.0.0.1"
_GOODBYE = 0.1  # seconds for calls under way when the proxy is closed


class FaultProxy:
    """An async context manager; listens while it is entered.

    `chance` is the part of the calls that meet a fault while there are any; `delay` is how long a delayed answer takes.
    """

    def __init__(self, upstream: Cluster | Config, *, seed: int = 0, chance: float = 0.5, delay: float = 0.3) -> None:
        self._upstream = upstream if isinstance(upstream, Config) else upstream.config()
        self._spent = asyncio.Event()
        self._spent.set()
        self._plan = FaultPlan(seed=seed, chance=chance, on_spent=self._spent.set)
        self._delay = delay
        self._authority = Authority.create("fault-proxy")
        self._stack = AsyncExitStack()
        self.server = ""
        self.open_calls: Counter[Call] = Counter()  # those under way

    def __repr__(self) -> str:
        return f"FaultProxy({self.server or 'not listening'}, {self._plan})"

    # --- faults ---

    def inject(self, *faults: Fault, times: int = 1, calls: Iterable[Call] = ALL) -> None:
        """Let so many calls, of these sorts alone if some are named, meet each of these faults."""
        self._plan.add(faults * times, frozenset(calls))
        self._spent.clear()

    async def spent(self) -> None:
        """Wait until every injected fault has been met."""
        await self._spent.wait()

    @property
    def met(self) -> Counter[Fault]:
        """How often each fault has been met."""
        return self._plan.met.copy()

    @property
    def met_by(self) -> Counter[Call]:
        """How many faults calls of each sort have met."""
        return self._plan.met_by.copy()

    # --- ways to it ---

    @property
    def config(self) -> Config:
        """How to reach the real server through this proxy."""
        return Config(
            server=self.server,
            tls=Tls(
                ca_data=self._authority.certificate, certificate_data=self._user.certificate, key_data=self._user.key
            ),
        )

    # --- its life ---

    async def __aenter__(self) -> Self:
        async with AsyncExitStack() as stack:
            self._folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="konverge-proxy-")))
            self._user = self._authority.client("fault-proxy-user")
            self._as_user = await stack.enter_async_context(self._session(self._upstream.tls))
            self._with_token = await stack.enter_async_context(self._session(_without_certificate(self._upstream.tls)))
            self.server = await self._listen(stack)
            self.kubeconfig = self._folder / "kubeconfig"
            _write(self.kubeconfig, json.dumps(self._kubeconfig()).encode())
            self._stack = stack.pop_all()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._stack.aclose()

    async def _listen(self, stack: AsyncExitStack) -> str:
        # A client that goes away ends the call to the real server with it.
        server = web.Server(self._answer, handler_cancellation=True, access_log=None)
        runner = web.ServerRunner(server, shutdown_timeout=_GOODBYE)
        await runner.setup()
        stack.push_async_callback(runner.cleanup)
        site = web.TCPSite(runner, _HOST, 0, ssl_context=self._tls())
        await site.start()
        return f"https://{_HOST}:{runner.addresses[0][1]}"

    def _tls(self) -> ssl.SSLContext:
        pair = self._authority.server("localhost", _HOST)
        _write(self._folder / "server.pem", pair.certificate + pair.key)
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(self._folder / "server.pem")
        context.load_verify_locations(cadata=self._authority.certificate.decode())
        context.verify_mode = ssl.CERT_REQUIRED
        return context

    def _session(self, tls: Tls) -> aiohttp.ClientSession:
        return aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, ssl=tls.ssl_context()),
            timeout=aiohttp.ClientTimeout(total=None),
            auto_decompress=False,
            cookie_jar=aiohttp.DummyCookieJar(),
        )

    def _kubeconfig(self) -> dict[str, Any]:
        return _kubeconfig(self.server, authority=self._authority.certificate, pair=self._user)

    # --- one call ---

    async def _answer(self, request: web.BaseRequest) -> web.StreamResponse:
        call = call_of(request.method, request.path, dict(request.query))
        self.open_calls[call] += 1
        passage = Passage(request, call, self._plan, delay=self._delay)
        try:
            return await passage.answer(self._real_server(request))
        finally:
            self.open_calls[call] -= 1
            passage.end()

    @asynccontextmanager
    async def _real_server(self, request: web.BaseRequest) -> AsyncIterator[aiohttp.ClientResponse]:
        """Pass a request on, and give what the real server answers."""
        headers = passed_on(request.headers)
        session = self._with_token
        if "Authorization" not in request.headers:
            session = self._as_user
            own = await self._upstream.credentials.authorization()
            headers += [("Authorization", own)] if own is not None else []
        async with session.request(
            request.method,
            URL(self._upstream.server + request.raw_path, encoded=True),
            headers=headers,
            data=request.content if request.can_read_body else None,
            server_hostname=self._upstream.tls.tls_server_name or None,
            allow_redirects=False,
        ) as answer:
            try:
                yield answer
            finally:
                if (unread := answer.connection) is not None and unread.transport is not None:
                    unread.transport.abort()  # a polite end of TLS might outlive the loop


def _without_certificate(tls: Tls) -> Tls:
    """A token's user must not be taken for the certificate's: the server looks at certificates first."""
    return replace(tls, certificate_data=None, certificate_file=None, key_data=None, key_file=None)


def _kubeconfig(server: str, *, authority: bytes, pair: KeyPair) -> dict[str, Any]:
    cluster = {"server": server, "certificate-authority-data": base64.b64encode(authority).decode()}
    user = {
        "client-certificate-data": base64.b64encode(pair.certificate).decode(),
        "client-key-data": base64.b64encode(pair.key).decode(),
    }
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "fault-proxy", "cluster": cluster}],
        "users": [{"name": "fault-proxy", "user": user}],
        "contexts": [{"name": "fault-proxy", "context": {"cluster": "fault-proxy", "user": "fault-proxy"}}],
        "current-context": "fault-proxy",
    }


def _write(path: Path, content: bytes) -> None:
    """Write a file that only its owner can read, from its first byte on."""
    with open(path, "xb", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
        file.write(content)
