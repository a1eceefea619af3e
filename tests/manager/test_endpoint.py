from __future__ import annotations

import asyncio
import socket
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import NoReturn

import pytest

from konverge.errors import ConfigError
from konverge.manager.endpoint import Endpoint, checks_page, metrics_page, parse_address
from konverge.manager.health import Checks
from konverge.metrics import Metrics


@pytest.fixture
def checks() -> Checks:
    """The checks behind /readyz."""
    return Checks("readyz")


@pytest.fixture
def endpoint(checks: Checks) -> Iterator[Endpoint]:
    """An endpoint on loopback, bound."""
    made = Endpoint("test", "127.0.0.1:0", {"readyz": checks_page(checks), "metrics": metrics_page(Metrics())})
    made.bind()
    yield made
    made.close()


def get(endpoint: Endpoint, path: str) -> tuple[int, str, str]:
    """Return the status, the content type and the body."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{endpoint.port}{path}", timeout=30) as answer:
            return answer.status, answer.headers["Content-Type"], answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.headers["Content-Type"], error.read().decode()


def test_probes_and_metrics_are_served(endpoint: Endpoint, checks: Checks) -> None:
    """Paths, queries and content types are those of controller-runtime."""
    checks.add("one", lambda: None)
    assert get(endpoint, "/readyz") == (200, "text/plain; charset=utf-8", "ok")
    assert get(endpoint, "/readyz/")[2] == "ok"
    assert get(endpoint, "/readyz/one")[2] == "ok"
    assert get(endpoint, "/readyz?verbose")[2] == "[+]one ok\nhealthz check passed\n"
    status, kind, body = get(endpoint, "/metrics")
    assert (status, kind) == (200, "text/plain; version=0.0.4; charset=utf-8")
    assert "process_cpu_seconds_total" in body
    assert get(endpoint, "/healthz")[0] == 404
    assert get(endpoint, "/metrics/x")[0] == 404


async def test_answers_come_while_the_loop_is_blocked(endpoint: Endpoint) -> None:
    """The probe is made on the loop's own thread, by a call that blocks it."""
    assert get(endpoint, "/readyz")[2] == "ok"


async def test_an_endpoint_runs_until_it_is_cancelled() -> None:
    """As a runnable it binds, serves and lets go of its address."""
    endpoint = Endpoint("test", "127.0.0.1:0", {})
    task = asyncio.create_task(endpoint.run())
    await endpoint.ready()
    port = endpoint.port
    assert port
    task.cancel()
    await asyncio.wait([task])
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), timeout=10)


def test_an_address_in_use_is_named(endpoint: Endpoint) -> None:
    """The error says which endpoint, which address, and what to do."""
    with pytest.raises(ConfigError, match=f"the metrics endpoint cannot listen on 127.0.0.1:{endpoint.port}: .*None"):
        Endpoint("metrics", f"127.0.0.1:{endpoint.port}", {}).bind()


@pytest.mark.parametrize(
    ("text", "parsed"), [(":8080", ("", 8080)), ("127.0.0.1:0", ("127.0.0.1", 0)), ("[::1]:9", ("::1", 9))]
)
def test_addresses_are_read(text: str, parsed: tuple[str, int]) -> None:
    """Host and port, the host left out for all addresses, and in brackets for IPv6."""
    assert parse_address(text) == parsed


@pytest.mark.parametrize("text", ["8080", "localhost", "host:", "host:http", "host:65536", ""])
def test_what_is_no_address_is_refused(text: str) -> None:
    """The error shows how one is written."""
    with pytest.raises(ConfigError, match=r"127\.0\.0\.1:8080"):
        parse_address(text)


def test_a_client_that_says_nothing_holds_up_nobody(endpoint: Endpoint) -> None:
    """Each request has a thread of its own."""
    with socket.create_connection(("127.0.0.1", endpoint.port)):
        started = time.monotonic()
        assert get(endpoint, "/readyz")[2] == "ok"
        assert time.monotonic() - started < 9


def test_a_bug_in_a_page_is_logged_and_answered(caplog: pytest.LogCaptureFixture) -> None:
    """Whoever asks gets a 500, and the log has the stack."""

    def broken(name: str, query: object) -> NoReturn:
        raise KeyError(f"a bug with {name} {query}")

    made = Endpoint("test", "127.0.0.1:0", {"broken": broken})
    made.bind()
    try:
        assert get(made, "/broken")[0] == 500
    finally:
        made.close()
    assert [record.message for record in caplog.records if record.levelname == "ERROR"] == [
        "a page of an endpoint failed"
    ]
