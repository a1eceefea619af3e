"""The webhooks of a manager: a runnable that serves them, keeps their certificate fresh and the API server informed.

It starts before the caches, since a list may need a conversion, and stops after them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from konverge import clock, log
from konverge.certificates import KeyPair
from konverge.client.client import Client
from konverge.errors import AlreadyExists, ConfigError, Conflict, Forbidden, KonvergeError
from konverge.manager.endpoint import parse_address
from konverge.manager.runnable import Group
from konverge.webhook.admission import AdmissionHandler
from konverge.webhook.ca_bundle import CaBundle, said
from konverge.webhook.calling import Call
from konverge.webhook.certificate import Certificates, read_files, renewed
from konverge.webhook.certificate_store import CertificateStore, InMemory, InSecret
from konverge.webhook.conversion import Conversion
from konverge.webhook.registration import Registration, WebhookService
from konverge.webhook.server import HookMetrics, WebhookServer
from konverge.webhook.serving import WebhookServing

_LOG: Final = log.get("webhook")
_SOON: Final = 1.0  # seconds before another try
_PATIENCE: Final = 10.0  # seconds that the start waits for the configurations


class Webhooks:
    """Serves from `run` to its end; what is served is added before."""

    group = Group.WEBHOOKS
    name = "webhooks"

    def __init__(self, serving: WebhookServing, client: Client, *, metrics: Callable[[str], HookMetrics]) -> None:
        self._serving, self._client = serving, client
        host, port = parse_address(serving.address)
        self.server = WebhookServer(host, port, metrics=metrics)
        self.registrations: list[Registration] = []
        self._bundle = CaBundle(client, name=serving.name)
        self._store = _store(serving, client)
        self._trusted = b""
        self._listening = asyncio.Event()

    def serve_by(self, serving: WebhookServing) -> None:
        """Serve in another way than was said, before it starts: where there is no Service that leads here."""
        self._serving = serving
        self.server.listen_on(*parse_address(serving.address))
        self._bundle = CaBundle(self._client, name=serving.name)
        self._store = _store(serving, self._client)

    # --- what it serves ---

    @property
    def serving(self) -> WebhookServing:
        """How they are served."""
        return self._serving

    @property
    def call(self) -> Call:
        """Calls the author's functions."""
        return self.server.call

    def add(self, registration: Registration, handler: AdmissionHandler) -> None:
        """Serve a webhook."""
        self.server.handle(registration.path, handler)
        self.registrations.append(registration)

    def add_conversion(self, conversion: Conversion) -> None:
        """Convert a kind."""
        self.server.conversions.add(conversion)

    # --- its life ---

    async def run(self) -> None:
        """Serve until cancelled."""
        if self._serving.target is None and self._serving.certificate_folder is None:
            _LOG.warning(
                "the webhooks' certificate is for this machine alone: in a cluster, name their Service, as in "
                "Manager(webhooks=WebhookServing(target=WebhookService(namespace=…, name=…)))"
            )
        try:
            await self._first_certificate()
            await self.server.start()
            told = await self._tell_in_time()
            self._listening.set()
            while True:
                await asyncio.sleep(self._serving.look_every if told else min(_SOON, self._serving.look_every))
                await self._look_again()
                told = await self._tell()
        finally:
            await self.server.close()

    async def ready(self) -> None:
        """Wait until it listens, and until the API server has been told, where that works at once."""
        await self._listening.wait()

    async def _first_certificate(self) -> None:
        while True:
            try:
                self.server.use(await self._certificate())
            except (ConfigError, Forbidden):
                raise  # no waiting helps
            except KonvergeError as error:
                _LOG.warning("the webhooks have no certificate yet; trying again", cause=str(error))
                await asyncio.sleep(_SOON)
            else:
                return

    async def _look_again(self) -> None:
        """Take a new certificate, if there is one; what is served stays good for long enough to try again."""
        try:
            self.server.use(await self._certificate())
        except KonvergeError as error:
            _LOG.warning("the webhooks' certificate could not be looked at; keeping it for now", cause=str(error))

    async def _certificate(self) -> KeyPair:
        folder = self._serving.certificate_folder
        if folder is None:
            return await self._own_certificate()
        pair, self._trusted = read_files(folder)
        return pair

    async def _own_certificate(self) -> KeyPair:
        found = await self._store.load()
        wanted = renewed(found, self._serving.names(), now=clock.now())
        if wanted != found:
            wanted = await self._saved(wanted)
        self._trusted = wanted.ca_bundle
        return wanted.serving

    async def _saved(self, wanted: Certificates) -> Certificates:
        try:
            await self._store.save(wanted)
        except (Conflict, AlreadyExists):  # another replica was faster: its certificates are ours, too
            return await self._store.load() or wanted
        return wanted

    # --- telling the API server ---

    async def _tell_in_time(self) -> bool:
        try:
            async with asyncio.timeout(_PATIENCE):
                return await self._tell()
        except TimeoutError:
            return False

    async def _tell(self) -> bool:
        """Bring the configurations up to date; return whether they are."""
        if self._serving.configurations == "none" or not self._trusted:
            return True
        try:
            return await self._told()
        except KonvergeError as error:
            said(error)
            return False

    async def _told(self) -> bool:
        target = self._serving.target_at(self.server.port)
        converted = [form.resource for form in self.server.conversions.kinds if form.resource is not None]
        if self._serving.configurations == "apply" and target is not None:
            return await self._bundle.apply(self.registrations, converted, bundle=self._trusted, target=target)
        return await self._bundle.inject(self.registrations, converted, bundle=self._trusted)


def _store(serving: WebhookServing, client: Client) -> CertificateStore:
    if isinstance(serving.target, WebhookService):
        return InSecret(client, namespace=serving.target.namespace, name=serving.secret)
    return InMemory()
