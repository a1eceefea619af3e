"""Webhooks of a running manager, asked by the embedded API server and by a real one."""

from __future__ import annotations

import asyncio
import base64
import io
import ssl
import urllib.request
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

import aiohttp
import msgspec
import pytest

import konverge as kv
from konverge.certificates import Authority
from konverge.errors import ApiError, ConfigError, Forbidden, InternalError, Invalid, RequestError
from konverge.manifest import crd
from konverge.testing import Cluster, eventually, running
from konverge.webhook import current_request
from konverge.webhook.server import ServerStopped

GROUP = "hooks.konverge.dev"
DEFINITION = kv.unstructured("apiextensions.k8s.io/v1", "CustomResourceDefinition")


class PageSpec(kv.Spec):
    """What a page shows, as lines."""

    lines: list[str] | None = None
    theme: str | None = None


class OldPageSpec(kv.Spec):
    """What a page shows, as one text."""

    text: str | None = None
    theme: str | None = None


@kv.resource(group=GROUP, version="v2", storage=True)
class Page(kv.CustomResource[PageSpec, None]):
    """A page."""


@kv.resource(group=GROUP, version="v1", kind="Page", storage=False)
class OldPage(kv.CustomResource[OldPageSpec, None]):
    """A page of old."""


def to_hub(page: OldPage) -> Page:
    """Split the text."""
    return Page(spec=PageSpec(lines=(page.spec.text or "").split("\n"), theme=page.spec.theme))


async def from_hub(page: Page) -> OldPage:
    """Join the lines."""
    if page.spec.lines == ["unconvertible"]:
        raise ZeroDivisionError("no way back")
    return OldPage(spec=OldPageSpec(text="\n".join(page.spec.lines or []), theme=page.spec.theme))


class Defaults:
    """Gives every page a theme."""

    async def default(self, page: Page) -> None:
        """Fill it in."""
        page.spec.theme = page.spec.theme or "plain"


@kv.webhook_options(timeout_seconds=5)
@dataclass
class Checks:
    """Refuses, warns, breaks and waits, as the theme says."""

    seen: list[str] = field(default_factory=list)
    never: asyncio.Event = field(default_factory=asyncio.Event)

    async def validate_create(self, page: Page) -> list[str]:
        """Collect what is wrong."""
        self.seen.append(f"{page.metadata.name} {page.spec.theme}")
        if page.spec.theme == "slow":
            await self.never.wait()
        if page.spec.theme == "broken":
            raise ZeroDivisionError(page.spec.theme)
        found = kv.FieldErrors()
        if page.spec.theme == "loud":
            found.not_supported("spec.theme", page.spec.theme, ["plain", "dark"])
        found.raise_for(page)
        return [f"{page.metadata.name} is new"]

    def validate_update(self, old: Page, new: Page) -> None:
        """Refuse, in a thread, to change the theme."""
        if old.spec.theme != new.spec.theme:
            raise kv.Denied(f"{current_request().user_info.username} may not change the theme")

    async def validate_delete(self, page: Page) -> None:
        """Keep what is to be kept."""
        if page.spec.theme == "kept":
            raise kv.Denied("it is to be kept")


@dataclass
class Site:
    """A manager with webhooks, and a client of the server that asks them."""

    client: kv.Client
    manager: kv.Manager
    checks: Checks
    reconciled: dict[str, None]
    namespace: str

    def page(self, name: str, **spec: object) -> Page:
        """Return a page of the test's namespace."""
        return Page.from_dict({"metadata": {"name": name, "namespace": self.namespace}, "spec": spec})


@pytest.fixture
async def site(cluster: Cluster, namespace: str) -> AsyncIterator[Site]:
    """All of it running, and asked by the server; nothing of it is left behind."""
    serving = kv.WebhookServing(
        address="127.0.0.1:0", target="https://127.0.0.1:0", configurations="apply", name="hooks-test", look_every=0.1
    )
    manager = cluster.manager(webhooks=serving)
    checks, reconciled = Checks(), dict[str, None]()

    async def reconcile(ctx: kv.Context, request: kv.Request) -> None:
        page = await kv.ignore_not_found(ctx.client.get(Page, request))
        reconciled[f"{request.name} {page.spec.theme if page else 'gone'}"] = None

    builder = kv.new_controller(manager).for_(Page).with_defaulter(Defaults()).with_validator(checks)
    builder.with_conversion(kv.Spoke(OldPage, to_hub=to_hub, from_hub=from_hub)).complete(reconcile)
    async with cluster.client() as client:
        await client.create(kv.Unstructured.from_dict(crd(Page, OldPage)))
        async with running(manager):
            found = Site(client, manager, checks, reconciled, namespace)
            await eventually(lambda: is_asked(found))
            yield found
            await remove(client)


async def is_asked(site: Site) -> bool:
    """Whether the server has read the configurations and the CRD; a dry run leaves nothing behind."""
    old = OldPage(metadata=kv.ObjectMeta(name="probe", namespace=site.namespace), spec=OldPageSpec(text="a"))
    try:
        await site.client.create(old, dry_run=True)
        page = await site.client.create(site.page("probe"), dry_run=True)
    except ApiError:  # it learns of the one before the other
        return False
    return (old.spec.text, page.spec.theme) == ("a", "plain") and "probe plain" in site.checks.seen


async def remove(client: kv.Client) -> None:
    """Delete what the manager and the fixture made, so that no other test meets it."""
    group = "admissionregistration.k8s.io/v1"
    kinds = {
        kv.unstructured(group, "MutatingWebhookConfiguration"): "hooks-test-mutating-webhook-configuration",
        kv.unstructured(group, "ValidatingWebhookConfiguration"): "hooks-test-validating-webhook-configuration",
        DEFINITION: f"pages.{GROUP}",
    }
    for kind, name in kinds.items():
        await kv.ignore_not_found(client.delete(kind, name))
    await eventually(lambda: is_gone(client))


async def is_gone(client: kv.Client) -> bool:
    """Whether the kind is no more."""
    return await kv.ignore_not_found(client.get(DEFINITION, f"pages.{GROUP}")) is None


@pytest.mark.cluster("embedded", "real")
async def test_defaults_are_filled_in(site: Site) -> None:
    """The server stores the patched object, and the validator and the controller see it so."""
    made = await site.client.create(site.page("home", lines=["hi"]))
    assert made.spec.theme == "plain"
    assert "home plain" in site.checks.seen

    async def reconciled() -> bool:
        return "home plain" in site.reconciled

    await eventually(reconciled)


@pytest.mark.cluster("embedded", "real")
async def test_mistakes_reach_the_user_with_their_fields(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    """As the server's own validation would say it, after the name of the webhook; warnings come along."""
    with pytest.raises(Invalid) as caught:
        await site.client.create(site.page("home", theme="loud"))
    assert 'admission webhook "vpage-v2.hooks.konverge.dev" denied the request: Page.hooks' in caught.value.message
    (cause,) = caught.value.causes
    assert (cause.reason, cause.field) == ("FieldValueNotSupported", "spec.theme")
    await site.client.create(site.page("warned"))
    assert "warned is new" in caplog.messages  # our client logs what servers warn of


@pytest.mark.cluster("embedded", "real")
async def test_changes_and_deletions_are_asked_about(site: Site) -> None:
    """By a plain handler that knows who asks, and by an async one."""
    page = await site.client.create(site.page("home", theme="kept"))
    page.spec.lines = ["new"]
    await site.client.update(page)
    page.spec.theme = "dark"
    with pytest.raises(Forbidden, match="may not change the theme"):
        await site.client.update(page)
    with pytest.raises(Forbidden, match="it is to be kept"):
        await site.client.delete(page)


@pytest.mark.cluster("embedded", "real")
async def test_a_handler_that_breaks_or_waits_refuses_and_the_manager_lives_on(site: Site) -> None:
    """Both are answers that the server understands, within the webhook's time; so is 7 MiB of garbage."""
    with pytest.raises(InternalError, match="the webhook failed: ZeroDivisionError: broken"):
        await site.client.create(site.page("home", theme="broken"))
    with pytest.raises(ApiError, match=r"vpage-v2\.hooks\.konverge\.dev"):
        await site.client.create(site.page("home", theme="slow"))
    assert await garbage(site.manager.ports["webhook"]) == 413
    assert (await site.client.create(site.page("home"))).spec.theme == "plain"
    text = site.manager.metrics.scrape().decode()
    assert "controller_runtime_webhook_panics_total 1.0" in text


async def garbage(port: int) -> int:
    """Send more than 7 MiB of anything to the validator; return the code in the review."""
    anyone = ssl.create_default_context()
    anyone.check_hostname, anyone.verify_mode = False, ssl.CERT_NONE
    url = f"https://127.0.0.1:{port}/validate-hooks-konverge-dev-v2-page"
    headers = {"Content-Type": "application/json"}
    async with (
        aiohttp.ClientSession(connector=aiohttp.TCPConnector(ssl=anyone)) as session,
        session.post(url, data=io.BytesIO(b"\xff" * (7 * 1024 * 1024 + 1)), headers=headers) as response,
    ):
        found: int = msgspec.json.decode(await response.read())["response"]["status"]["code"]
        return found


@pytest.mark.cluster("embedded", "real")
async def test_versions_are_converted(site: Site) -> None:
    """Written as v1, stored as v2, read as either; lists too; and a conversion that breaks is an error of its own."""
    metadata = kv.ObjectMeta(name="old", namespace=site.namespace, labels={"a": "b"})
    old = await site.client.create(OldPage(metadata=metadata, spec=OldPageSpec(text="a\nb")))
    assert (old.spec.text, old.spec.theme) == ("a\nb", "plain")
    new = await site.client.get(Page, "old", namespace=site.namespace)
    assert new.spec.lines == ["a", "b"]
    assert new.metadata.labels == {"a": "b"}
    pages = await site.client.list(OldPage, namespace=site.namespace)
    assert [page.spec.text for page in pages] == ["a\nb"]
    await site.client.create(site.page("stuck", lines=["unconvertible"]))
    with pytest.raises(ApiError, match="ZeroDivisionError: no way back"):
        await site.client.get(OldPage, "stuck", namespace=site.namespace)
    assert (await site.client.get(OldPage, "old", namespace=site.namespace)).spec.text == "a\nb"
    await site.client.delete(Page, "stuck", namespace=site.namespace)


@pytest.mark.cluster("embedded", "real")
async def test_a_bundle_that_was_lost_comes_back(site: Site) -> None:
    """Whoever writes the configuration anew without it is corrected."""
    kind = kv.unstructured("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration")
    name = "hooks-test-validating-webhook-configuration"
    found = await site.client.get(kind, name)
    bundle = found.to_dict()["webhooks"][0]["clientConfig"].pop("caBundle")
    hooks = found.to_dict()["webhooks"]
    del hooks[0]["clientConfig"]["caBundle"]
    found["webhooks"] = hooks
    await site.client.update(found)

    async def is_back() -> bool:
        hook = (await site.client.get(kind, name)).to_dict()["webhooks"][0]
        return bool(hook["clientConfig"].get("caBundle") == bundle)

    await eventually(is_back)


async def test_certificates_from_files_are_read_again(cluster: Cluster, tmp_path: Path) -> None:
    """A renewed Secret is mounted: the next connection sees the new certificate."""
    authority = Authority.create()
    write(tmp_path, authority)
    serving = kv.WebhookServing(address="127.0.0.1:0", certificate_folder=tmp_path, look_every=0.05)
    manager = cluster.manager(webhooks=serving, health_address="127.0.0.1:0")
    kv.new_webhook(manager, Page).with_defaulter(Defaults()).complete()
    async with running(manager):
        assert await asyncio.to_thread(is_ready, manager.ports["health"])
        first = await shown(manager.ports["webhook"], authority)
        assert await shown(manager.ports["webhook"], authority) == first
        write(tmp_path, authority)

        async def is_new() -> bool:
            return await shown(manager.ports["webhook"], authority) != first

        await eventually(is_new)
        (tmp_path / "tls.key").write_bytes(b"half a ")  # a writer that is not done: the old one stays

        async def is_said() -> bool:
            return await shown(manager.ports["webhook"], authority) != b""

        await eventually(is_said)


def is_ready(port: int) -> bool:
    """Whether the readiness probe has the webhooks, and they are."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz?verbose") as answer:
        return b"[+]webhook ok" in answer.read()


def write(folder: Path, authority: Authority) -> None:
    """Write a new certificate."""
    pair = authority.server("127.0.0.1")
    (folder / "tls.crt").write_bytes(pair.certificate)
    (folder / "tls.key").write_bytes(pair.key)


async def shown(port: int, authority: Authority) -> bytes:
    """Return the certificate that a client sees, once it has verified it."""
    trust = ssl.create_default_context(cadata=authority.certificate.decode())
    _, writer = await asyncio.open_connection("127.0.0.1", port, ssl=trust)
    found: bytes = writer.get_extra_info("ssl_object").getpeercert(binary_form=True)
    writer.close()
    await writer.wait_closed()
    return found


async def test_replicas_behind_a_service_share_one_authority(cluster: Cluster, namespace: str) -> None:
    """The first one makes the Secret, the second one takes it; both show a certificate of the same authority."""
    service = kv.WebhookService(namespace=namespace, name="webhooks")
    serving = kv.WebhookServing(address="127.0.0.1:0", target=service, configurations="none")
    managers = [cluster.manager(webhooks=serving) for _ in range(2)]
    for manager in managers:
        kv.new_webhook(manager, Page).with_defaulter(Defaults()).complete()
    async with running(managers[0]), running(managers[1]):
        secret = cluster.call("GET", f"/api/v1/namespaces/{namespace}/secrets/webhook-server-cert")
        trust = ssl.create_default_context(cadata=base64.b64decode(secret["data"]["ca.crt"]).decode())
        for manager in managers:
            port = manager.ports["webhook"]
            _, writer = await asyncio.open_connection("127.0.0.1", port, ssl=trust, server_hostname=service.host)
            writer.close()
            await writer.wait_closed()


def test_webhooks_are_added_before_the_start_and_once(cluster: Cluster) -> None:
    """A second defaulter, a kind without one, and a controller without a kind are mistakes."""
    manager = cluster.manager()
    kv.new_webhook(manager, Page).with_defaulter(Defaults()).complete()
    with pytest.raises(ConfigError, match="has a handler already"):
        kv.new_webhook(manager, Page).with_defaulter(Defaults()).complete()
    with pytest.raises(RequestError, match="has a defaulter already"):
        kv.new_webhook(manager, Page).with_defaulter(Defaults()).with_defaulter(Defaults())
    with pytest.raises(RequestError, match="has no webhook"):
        kv.new_webhook(manager, Page).complete()
    with pytest.raises(RequestError, match="before it"):
        kv.new_controller(manager).with_defaulter(Defaults())


@pytest.mark.virtual_time
async def test_under_virtual_time_no_address_is_bound(cluster: Cluster) -> None:
    """The rest of the manager runs; handlers are tested in process there."""
    manager = cluster.manager()
    kv.new_webhook(manager, Page).with_defaulter(Defaults()).complete()
    async with running(manager):
        with pytest.raises(ServerStopped):
            manager.webhooks.server.check()


async def test_without_a_target_it_serves_this_machine(cluster: Cluster, caplog: pytest.LogCaptureFixture) -> None:
    """It says so, says which configurations are missing, and runs all the same; webhooks cannot be added any more."""
    manager = cluster.manager(webhooks=kv.WebhookServing(address="127.0.0.1:0"))
    kv.new_webhook(manager, Page).with_validator(Checks()).complete()
    other = cluster.manager()
    async with running(manager), running(other):
        manager.webhooks.server.check()
        with pytest.raises(RequestError, match="add webhooks before it starts"):
            kv.new_webhook(other, Page)
    said = " ".join(caplog.messages)
    assert "for this machine alone" in said
    assert "no CA bundle can be injected yet" in said
