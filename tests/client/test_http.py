from __future__ import annotations

import asyncio
import gzip
import json
import ssl
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import pytest

import konverge as kv
from konverge.api import request
from konverge.certificates import Authority
from konverge.client.config import ClientCertificate, StaticToken, Tls
from konverge.client.http import HttpTransport, retry_seconds, warning_texts
from konverge.client.http import _TlsContext as TlsFiles
from konverge.errors import ApiError, ConnectionFailed, RequestError, Unauthorized, Unavailable
from konverge.models import core_v1

if TYPE_CHECKING:
    from tests.client.conftest import Answer, Loopback

ONCE = kv.RetryPolicy(attempts=1)


class Rotating:
    """Credentials that are another token after each invalidation, up to a last one."""

    kind: ClassVar[str] = "rotating"

    def __init__(self, last: int = 9) -> None:
        self.number = 0
        self.last = last
        self.invalidations = 0

    async def authorization(self) -> str | None:
        """Return the token of the moment."""
        await asyncio.sleep(0)  # others get their turn, as they do while a plugin runs
        return f"Bearer t{self.number}"

    async def client_certificate(self) -> ClientCertificate | None:
        """Have none."""
        return None

    def invalidate(self, rejected: str | None = None) -> None:
        """Go on to the next token, if the rejected one is the current one."""
        self.invalidations += 1
        if rejected == f"Bearer t{self.number}":
            self.number = min(self.number + 1, self.last)


# --- credentials ---


async def test_refused_credentials_are_renewed_once(loopback: Loopback) -> None:
    """A 401 asks for fresh credentials and sends the request once more with them, a write too."""
    loopback.answers = [loopback.status(401), loopback.json({"kind": "ConfigMap", "metadata": {"name": "a"}})]
    async with kv.Client.connect(loopback.config(credentials=Rotating())) as client:
        await client.create(core_v1.ConfigMap(metadata=kv.ObjectMeta(name="a", namespace="x")))
    assert [seen.header("Authorization") for seen in loopback.seen] == [["Bearer t0"], ["Bearer t1"]]


async def test_credentials_that_stay_wrong(loopback: Loopback) -> None:
    """A second 401 is raised; credentials that do not change are not sent twice."""
    loopback.answers = [loopback.status(401, "Unauthorized")]
    for credentials, times in ((Rotating(), 2), (Rotating(last=0), 1), (StaticToken("t"), 1)):
        loopback.seen.clear()
        async with kv.Client.connect(loopback.config(credentials=credentials)) as client:
            with pytest.raises(Unauthorized):
                await client.version()
        assert len(loopback.seen) == times


async def test_many_refusals_renew_once(loopback: Loopback) -> None:
    """Calls that are refused together throw the credentials away once."""
    loopback.answers = [*[loopback.status(401)] * 20, loopback.json({})]
    credentials = Rotating()
    async with kv.Client.connect(loopback.config(credentials=credentials)) as client:
        await asyncio.gather(*(client.version() for _ in range(20)))
    assert (credentials.number, credentials.invalidations) == (1, 1)


async def test_a_refused_watch_is_opened_with_fresh_credentials(loopback: Loopback) -> None:
    """A stream renews its credentials as a call does."""
    event = '{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"9"}}}\n'
    loopback.answers = [loopback.status(401), loopback.text(event)]
    async with kv.Client.connect(loopback.config(credentials=Rotating())) as client:
        assert len([event async for event in client.watch(core_v1.ConfigMap)]) == 1
    assert [seen.header("Authorization") for seen in loopback.seen] == [["Bearer t0"], ["Bearer t1"]]


# --- connections ---


async def test_connections_are_kept(loopback: Loopback) -> None:
    """Calls one after the other share a connection."""
    async with kv.Client.connect(loopback.config()) as client:
        for _ in range(5):
            await client.version()
    assert loopback.connections == 1


async def test_closed(loopback: Loopback) -> None:
    """A closed client says so, whether it was used before or not, and may be closed again."""
    for used in (False, True):
        client = kv.Client.connect(loopback.config())
        if used:
            await client.version()
        await client.close()
        await client.close()
        with pytest.raises(RequestError, match="closed"):
            await client.version()
        with pytest.raises(RequestError, match="closed"):
            await anext(client.watch(core_v1.ConfigMap))


async def test_closed_under_a_call(loopback: Loopback) -> None:
    """A client that is closed while a call waits for its answer ends the call with an error of ours."""
    loopback.answers = [type(loopback.CUT)(hold=True)]
    client = kv.Client.connect(loopback.config(), retry=ONCE)
    call = asyncio.create_task(client.version())
    await loopback.arrived.wait()
    await client.close()
    with pytest.raises(ConnectionFailed):
        await call


async def test_cancellation(loopback: Loopback) -> None:
    """A cancelled call passes the cancellation on, closes its connection, and leaves the client usable."""
    loopback.answers = [type(loopback.CUT)(hold=True), loopback.json({"major": "1"})]
    async with kv.Client.connect(loopback.config()) as client:
        call = asyncio.create_task(client.version())
        await loopback.arrived.wait()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        await asyncio.wait_for(loopback.disconnected.wait(), 10)
        assert await client.version() == {"major": "1"}


async def test_a_server_that_does_not_answer(loopback: Loopback) -> None:
    """A call ends with the time it has."""
    loopback.answers = [type(loopback.CUT)(hold=True)]
    async with kv.Client.connect(loopback.config(), timeout=0.05, retry=ONCE) as client:
        with pytest.raises(ConnectionFailed, match=r"get /version: .* did not answer in time"):
            await client.version()


async def test_nobody_listens() -> None:
    """A server that is not there is named in the error."""
    async with kv.Client.connect(kv.Config(server="http://127.0.0.1:1"), retry=ONCE) as client:
        with pytest.raises(ConnectionFailed, match=r"get /version: no answer from http://127\.0\.0\.1:1"):
            await client.version()


@pytest.mark.parametrize(
    "garbage",
    [
        b"hello\r\n\r\n",
        b"HTTP/1.1 999999 X\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
        b"\x15\x03\x01\x00\x02\x02",
    ],
)
async def test_what_is_no_http(loopback: Loopback, garbage: bytes) -> None:
    """A server that speaks something else is a ConnectionFailed, not a foreign exception."""
    loopback.answers = [type(loopback.CUT)(garbage, close=True)]
    async with kv.Client.connect(loopback.config(), retry=ONCE) as client:
        with pytest.raises(ConnectionFailed):
            await client.version()


# --- answers of what stands between ---


async def test_a_proxys_error_page(loopback: Loopback) -> None:
    """An error page in HTML becomes the error of its code, with the beginning of the page."""
    loopback.answers = [loopback.text("<html>\n<h1>Bad  Gateway</h1>" + "x" * 1000, 502)]
    async with kv.Client.connect(loopback.config()) as client:
        with pytest.raises(Unavailable) as error:
            await client.version()
    assert str(error.value).startswith("get /version: <html> <h1>Bad Gateway</h1>xxx")
    assert len(str(error.value)) < 500


@pytest.mark.parametrize(
    ("code", "body"), [(418, "[1,2"), (418, ""), (418, '{"error":"no"}'), (418, '"no"'), (302, "")]
)
async def test_odd_errors(loopback: Loopback, code: int, body: str) -> None:
    """Whatever the body of an error, it is an ApiError with the code; a redirect is not followed."""
    loopback.answers = [loopback.text(body, code, Location="http://127.0.0.1:1/")]
    async with kv.Client.connect(loopback.config()) as client:
        with pytest.raises(ApiError) as error:
            await client.version()
    assert error.value.code == code
    assert str(code) in str(error.value)


def test_retry_after() -> None:
    """Seconds are read, anything else counts as one, and nothing is nothing."""
    assert [retry_seconds(header) for header in (None, "0", "7", "Wed, 21 Oct 2026 07:28:00 GMT", "-3", "²")] == [
        None,
        0,
        7,
        1,
        1,
        1,
    ]


def test_warning_headers() -> None:
    """A warning's text is what stands in its quotes; a header of another form is shown as it is."""
    assert warning_texts('299 - "deprecated"') == ["deprecated"]
    assert warning_texts("odd") == ["odd"]


# --- compression ---


def _gzipped(answer: type[Answer], body: bytes) -> Answer:
    packed = gzip.compress(body)
    head = f"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: {len(packed)}\r\n\r\n"
    return answer(head.encode() + packed)


async def test_compression(loopback: Loopback) -> None:
    """Answers are asked for compressed, and unpacked."""
    loopback.answers = [_gzipped(type(loopback.CUT), json.dumps({"major": "1"}).encode())]
    async with kv.Client.connect(loopback.config()) as client:
        assert await client.version() == {"major": "1"}
    assert loopback.seen[0].header("Accept-Encoding") == ["gzip"]


async def test_compression_can_be_refused(loopback: Loopback) -> None:
    """`disable-compression` of a kubeconfig asks for answers as they are."""
    async with kv.Client.connect(loopback.config(disable_compression=True)) as client:
        await client.list(core_v1.ConfigMap, namespace="x")
    assert [seen.header("Accept-Encoding") for seen in loopback.seen] == [["identity"]]


async def test_plain_http_through_a_proxy(loopback: Loopback) -> None:
    """A request through a proxy names the whole URL, and the name in it is the proxy's to resolve."""
    async with kv.Client.connect(kv.Config(server="http://api.example.com", proxy_url=loopback.url)) as client:
        await client.version()
    assert loopback.seen[0].target == "http://api.example.com/version"


async def test_who_asks(loopback: Loopback) -> None:
    """Requests say which program they come from, and carry no cookies back."""
    loopback.answers = [loopback.json({}, Set_Cookie="a=b; Path=/")]
    async with kv.Client.connect(loopback.config()) as client:
        await client.version()
        await client.version()
    assert loopback.seen[1].header("User-Agent")[0].startswith("konverge/")
    assert loopback.seen[1].header("Cookie") == []


# --- proxies ---


async def test_a_proxy_that_refuses(loopback: Loopback) -> None:
    """A proxy's refusal says what to check and never shows the password in its URL."""
    loopback.answers = [loopback.text("no", 407)]
    proxy = loopback.url.replace("//", "//user:hush@")
    for port in (loopback.url.rpartition(":")[2], "1"):
        url = proxy.rpartition(":")[0] + f":{port}"
        config = kv.Config(server="https://api.example.com", proxy_url=url)
        async with kv.Client.connect(config, retry=ONCE) as client:
            with pytest.raises(ConnectionFailed, match="proxy") as error:
                await client.version()
        assert "hush" not in f"{error.value!r}{error.value.__cause__!r}{client._engine.transport!r}"
    assert loopback.seen[0].method == "CONNECT"
    assert loopback.seen[0].header("Proxy-Authorization")


# --- TLS ---


@pytest.fixture(scope="module")
def authority() -> Authority:
    """An authority for the tests of this file."""
    return Authority.create("test")


def server_context(authority: Authority, folder: Path, *names: str) -> ssl.SSLContext:
    """The TLS context of a server of these names that asks for client certificates."""
    pair = authority.server(*names)
    file = folder / "server.pem"
    file.write_bytes(pair.certificate + pair.key)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cadata=authority.certificate.decode())
    context.load_cert_chain(file)
    context.verify_mode = ssl.CERT_OPTIONAL
    return context


async def test_tls_server_name(loopback: Loopback, authority: Authority, tmp_path: Path) -> None:
    """The name to expect of the server may differ from the one in its URL; one that does not fit is explained."""
    context = server_context(authority, tmp_path, "api.internal")
    listener = await asyncio.start_server(loopback.serve, "127.0.0.1", 0, ssl=context)
    url = f"https://127.0.0.1:{listener.sockets[0].getsockname()[1]}"
    async with listener:
        named = Tls(ca_data=authority.certificate, tls_server_name="api.internal")
        async with kv.Client.connect(kv.Config(server=url, tls=named)) as client:
            assert await client.version() == {}
        for tls in (Tls(ca_data=authority.certificate), Tls(ca_data=Authority.create("other").certificate)):
            async with kv.Client.connect(kv.Config(server=url, tls=tls), retry=ONCE) as client:
                with pytest.raises(ConnectionFailed, match=f"certificate of {url} is not trusted.*tls-server-name"):
                    await client.version()


async def test_plain_http_to_a_tls_port(loopback: Loopback, authority: Authority, tmp_path: Path) -> None:
    """No TLS where the server wants it ends in ConnectionFailed."""
    context = server_context(authority, tmp_path, "127.0.0.1")
    listener = await asyncio.start_server(loopback.serve, "127.0.0.1", 0, ssl=context)
    url = f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}"
    async with listener, kv.Client.connect(kv.Config(server=url), retry=ONCE) as client:
        with pytest.raises(ConnectionFailed):
            await client.version()


async def test_tls_to_a_plain_port(authority: Authority) -> None:
    """TLS where the server has none ends in ConnectionFailed."""

    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()
        await writer.wait_closed()

    listener = await asyncio.start_server(refuse, "127.0.0.1", 0)
    url = f"https://127.0.0.1:{listener.sockets[0].getsockname()[1]}"
    config = kv.Config(server=url, tls=Tls(ca_data=authority.certificate))
    async with listener, kv.Client.connect(config, retry=ONCE) as client:
        with pytest.raises(ConnectionFailed):
            await client.version()


async def test_a_new_certificate_gets_a_new_connection(
    loopback: Loopback, authority: Authority, tmp_path: Path
) -> None:
    """A certificate that changed is presented at the next call, on a connection of its own."""
    context = server_context(authority, tmp_path, "127.0.0.1")
    listener = await asyncio.start_server(loopback.serve, "127.0.0.1", 0, ssl=context)
    url = f"https://127.0.0.1:{listener.sockets[0].getsockname()[1]}"
    credentials = Certificates(authority)
    config = kv.Config(server=url, tls=Tls(ca_data=authority.certificate), credentials=credentials)
    async with listener, kv.Client.connect(config) as client:
        await client.version()
        await client.version()
        assert loopback.connections == 1
        credentials.renew()
        await client.version()
        assert loopback.connections == 2


class Certificates:
    """Credentials that are a client certificate."""

    kind: ClassVar[str] = "certificate"

    def __init__(self, authority: Authority) -> None:
        self._authority = authority
        self.renew()

    def renew(self) -> None:
        """Have another certificate from now on."""
        pair = self._authority.client("alice")
        self._current = ClientCertificate(pair.certificate, pair.key)

    async def authorization(self) -> str | None:
        """Have none."""
        return None

    async def client_certificate(self) -> ClientCertificate | None:
        """Return the current one."""
        return self._current

    def invalidate(self, rejected: str | None = None) -> None:
        """Nothing can be fetched anew."""


class _MovableLoop(asyncio.SelectorEventLoop):
    offset = 0.0

    def time(self) -> float:
        """The loop's own time plus the jumps."""
        return super().time() + self.offset


def test_rotated_files(authority: Authority, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Certificate files are looked at now and then; a pair that is half replaced does not end the work."""
    certificate, key = tmp_path / "tls.crt", tmp_path / "tls.key"
    first, second = authority.client("alice"), authority.client("alice")
    certificate.write_bytes(first.certificate)
    key.write_bytes(first.key)
    tls = Tls(ca_data=authority.certificate, certificate_file=certificate, key_file=key)
    files = TlsFiles(kv.Config(server="https://127.0.0.1:1", tls=tls))

    async def main(loop: _MovableLoop) -> None:
        before = files.current(None)
        loop.offset += 11
        assert files.current(None) is before
        certificate.write_bytes(second.certificate)
        assert files.current(None) is before  # not looked at yet
        loop.offset += 11
        assert files.current(None) is before
        assert "cannot be used yet" in caplog.text
        key.write_bytes(second.key)
        loop.offset += 11
        assert files.current(None) is not before

    with asyncio.Runner(loop_factory=_MovableLoop) as runner:
        loop = runner.get_loop()
        assert isinstance(loop, _MovableLoop)
        runner.run(main(loop))


async def test_a_big_answer(loopback: Loopback) -> None:
    """An answer of many megabytes arrives whole."""
    items = [{"metadata": {"name": f"c{n}"}, "data": {"x": "y" * 1000}} for n in range(20_000)]
    loopback.answers = [loopback.json({"items": items, "metadata": {"resourceVersion": "1"}})]
    async with kv.Client.connect(loopback.config()) as client:
        found = await client.list(core_v1.ConfigMap)
    assert len(found) == 20_000
    assert (found[-1].metadata.name, found[-1].kind) == ("c19999", "ConfigMap")


async def test_the_transport_alone(loopback: Loopback) -> None:
    """The transport shows its server, and the answers it gives show no body."""
    transport = HttpTransport(loopback.config())
    response = await transport.call(request.raw("/version"))
    assert repr(response) == "ApiResponse(status=200, warnings=())"
    assert loopback.url in repr(transport)
    await transport.close()
