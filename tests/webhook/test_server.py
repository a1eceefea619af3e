from __future__ import annotations

import asyncio
import io
import ssl
import threading
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import msgspec
import pytest

import konverge as kv
from konverge.certificates import Authority
from konverge.errors import ConfigError
from konverge.metrics import Metrics
from konverge.testing import eventually
from konverge.webhook import Conversion, Spoke, request_for
from konverge.webhook.defaulting import defaulter_handler
from konverge.webhook.server import LARGEST_BODY, ServerStopped, WebhookServer, parse_timeout


class PageSpec(kv.Spec):
    """What a page shows."""

    text: str | None = None


@kv.resource(group="pages.konverge.dev", version="v1")
class Page(kv.CustomResource[PageSpec, None]):
    """A page."""


@kv.resource(group="pages.konverge.dev", version="v2", kind="Page")
class PageV2(kv.CustomResource[PageSpec, None]):
    """A page."""


class Defaults:
    """Works in a thread, breaks, or takes for ever, as the text says."""

    def __init__(self) -> None:
        self.release = threading.Event()

    def default(self, page: Page) -> None:
        """Do it."""
        if page.spec.text == "break":
            raise ZeroDivisionError
        if page.spec.text == "slow":
            self.release.wait(60)
        page.spec.text = "done"


PATH = "/mutate-pages-konverge-dev-v1-page"


class Asking:
    """A server under test and a client that trusts it."""

    def __init__(
        self, server: WebhookServer, session: aiohttp.ClientSession, metrics: Metrics, defaults: Defaults
    ) -> None:
        self.server = server
        self.defaults = defaults
        self.session = session
        self.metrics = metrics

    async def ask(self, body: bytes, path: str = PATH, **options: Any) -> tuple[int, bytes]:
        """Send a body as the API server does; return the status and the answer."""
        options = {"headers": {"Content-Type": "application/json"}, **options}
        url = f"https://127.0.0.1:{self.server.port}{path}"
        async with self.session.post(url, data=io.BytesIO(body), **options) as response:
            return response.status, await response.read()

    async def review(self, text: str, **options: Any) -> dict[str, Any]:
        """Ask about a page; return the response in the review."""
        page = Page(metadata=kv.ObjectMeta(name="home"), spec=PageSpec(text=text))
        status, body = await self.ask(question(page), **options)
        assert status == 200
        found: dict[str, Any] = msgspec.json.decode(body)["response"]
        return found


def question(page: Page) -> bytes:
    """Return the bytes of a review."""
    request = msgspec.to_builtins(msgspec.json.decode(msgspec.json.encode(request_for("CREATE", page))))
    return msgspec.json.encode({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request})


@pytest.fixture
def authority() -> Authority:
    """Whom the client trusts."""
    return Authority.create()


@pytest.fixture
async def asking(authority: Authority) -> AsyncIterator[Asking]:
    """A server on loopback and its client."""
    metrics, defaults = Metrics(), Defaults()
    server = WebhookServer("127.0.0.1", 0, metrics=metrics.webhook)
    server.handle(PATH, defaulter_handler(Page, defaults, call=server.call))
    server.conversions.add(Conversion(Page, Spoke(PageV2, to_hub=broken, from_hub=to_v2)))
    server.use(authority.server("127.0.0.1"))
    await server.start()
    trust = ssl.create_default_context(cadata=authority.certificate.decode())
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(ssl=trust)) as session:
        yield Asking(server, session, metrics, defaults)
    defaults.release.set()
    await server.close()


async def broken(page: PageV2) -> Page:
    """Fail."""
    raise ZeroDivisionError(page.metadata.name)


def to_v2(page: Page) -> PageV2:
    """Take the text over."""
    return PageV2(spec=PageSpec(text=page.spec.text))


async def test_it_answers_over_https(asking: Asking) -> None:
    """A plain handler runs in a thread; counts have controller-runtime's names."""
    response = await asking.review("hi")
    assert response["allowed"]
    assert response["patchType"] == "JSONPatch"
    text = asking.metrics.scrape().decode()
    assert f'controller_runtime_webhook_requests_total{{code="200",webhook="{PATH}"}} 1.0' in text
    assert f'controller_runtime_webhook_requests_in_flight{{webhook="{PATH}"}} 0.0' in text
    assert f'controller_runtime_webhook_latency_seconds_count{{webhook="{PATH}"}} 1.0' in text


async def test_a_handler_that_breaks_is_answered_and_counted(asking: Asking) -> None:
    """With 500 in the review, and the server goes on."""
    assert (await asking.review("break"))["status"]["code"] == 500
    assert "controller_runtime_webhook_panics_total 1.0" in asking.metrics.scrape().decode()
    assert (await asking.review("hi"))["allowed"]


async def test_a_slow_handler_is_given_up_when_the_api_server_does(asking: Asking) -> None:
    """By the timeout in the query; others are answered meanwhile."""
    assert (await asking.review("slow", path=f"{PATH}?timeout=50ms"))["status"]["code"] == 504
    assert (await asking.review("hi"))["allowed"]


async def test_a_thread_that_works_is_known(asking: Asking) -> None:
    """Who ends the process has to know that it would not end by itself."""

    async def is_busy() -> bool:
        return asking.server.busy_threads == 1

    async def is_free() -> bool:
        return asking.server.busy_threads == 0

    under_way = asyncio.create_task(asking.review("slow"))
    await eventually(is_busy)
    asking.defaults.release.set()
    assert (await under_way)["allowed"]
    await eventually(is_free)


async def test_a_body_that_is_too_large_is_refused_in_a_review(asking: Asking) -> None:
    """One byte above 7 MiB; 7 MiB of garbage are read and refused as garbage."""
    status, body = await asking.ask(b"x" * (LARGEST_BODY + 1))
    response = msgspec.json.decode(body)["response"]
    assert (status, response["status"]["code"]) == (200, 413)
    assert response["status"]["message"] == "request entity is too large; limit is 7340032 bytes"
    status, body = await asking.ask(b"x" * LARGEST_BODY)
    assert (status, msgspec.json.decode(body)["response"]["status"]["code"]) == (200, 400)
    assert (await asking.review("hi"))["allowed"]


async def test_what_is_no_json_is_refused(asking: Asking) -> None:
    """Another content type, an empty body, a path that nobody serves."""
    _, body = await asking.ask(b"a: 1", headers={"Content-Type": "application/yaml"})
    message = msgspec.json.decode(body)["response"]["status"]["message"]
    assert message == "contentType=application/yaml, expected application/json"
    _, body = await asking.ask(b"")
    assert msgspec.json.decode(body)["response"]["status"]["message"] == "request body is empty"
    assert (await asking.ask(b"{}", "/mutate-other"))[0] == 404


async def test_conversions_are_served(asking: Asking) -> None:
    """At /convert: success, a failure that is counted apart, and garbage as a plain 400."""
    page = {"apiVersion": "pages.konverge.dev/v1", "kind": "Page", "metadata": {"name": "a"}, "spec": {"text": "t"}}
    got = await asking.ask(conversion("v2", page), "/convert?timeout=30s")
    assert msgspec.json.decode(got[1])["response"]["convertedObjects"] == [
        {**page, "apiVersion": "pages.konverge.dev/v2"}
    ]
    got = await asking.ask(conversion("v1", {**page, "apiVersion": "pages.konverge.dev/v2"}), "/convert")
    assert msgspec.json.decode(got[1])["response"]["result"]["status"] == "Failure"
    assert "controller_runtime_conversion_webhook_panics_total 1.0" in asking.metrics.scrape().decode()
    assert (await asking.ask(b"garbage", "/convert"))[0] == 400


def conversion(version: str, page: dict[str, Any]) -> bytes:
    """Return the bytes of a review."""
    request = {"uid": "u", "desiredAPIVersion": f"pages.konverge.dev/{version}", "objects": [page]}
    body = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview", "request": request}
    return msgspec.json.encode(body)


async def test_a_new_certificate_needs_no_restart(asking: Asking, authority: Authority) -> None:
    """The next connection sees it, and those that are open go on."""
    first = await shown(asking.server, authority)
    await asking.review("hi")
    asking.server.use(authority.server("127.0.0.1"))
    await asking.review("hi")
    assert await shown(asking.server, authority) != first


async def shown(server: WebhookServer, authority: Authority) -> bytes:
    """Connect without naming the server, as Go does for an address; return the certificate that it shows."""
    trust = ssl.create_default_context(cadata=authority.certificate.decode())
    trust.check_hostname = False
    _, writer = await asyncio.open_connection("127.0.0.1", server.port, ssl=trust, server_hostname="")
    found: bytes = writer.get_extra_info("ssl_object").getpeercert(binary_form=True)
    writer.close()
    await writer.wait_closed()
    return found


async def test_an_address_in_use_is_named(asking: Asking, authority: Authority) -> None:
    """And so is a server without a certificate."""
    other = WebhookServer("127.0.0.1", asking.server.port, metrics=asking.metrics.webhook)
    with pytest.raises(ConfigError, match="no certificate yet"):
        await other.start()
    other.use(authority.server("127.0.0.1"))
    with pytest.raises(ConfigError, match=f"cannot listen on 127.0.0.1:{asking.server.port}"):
        await other.start()
    with pytest.raises(ServerStopped):
        other.check()
    asking.server.check()


def test_a_path_has_one_handler() -> None:
    """A second one would hide the first."""
    server = WebhookServer("127.0.0.1", 0, metrics=Metrics().webhook)
    server.handle(PATH, defaulter_handler(Page, Defaults()))
    with pytest.raises(ConfigError, match="has a handler already"):
        server.handle(PATH, defaulter_handler(Page, Defaults()))


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("10s", 10), ("1m0s", 30), ("500ms", 0.5), ("2.5s", 2.5), ("", 30), ("soon", 30), ("0s", 30)],
)
def test_timeouts_are_read_as_go_writes_them(text: str, seconds: float) -> None:
    """Never longer than the API server ever waits."""
    assert parse_timeout(text) == seconds
