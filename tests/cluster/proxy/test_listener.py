from __future__ import annotations

import errno

import pytest

from konverge.cluster.proxy.listener import Place, bind_fault, places
from konverge.cluster.proxy.plan import PlannedPort
from konverge.cluster.proxy.service_proxy import read_served


def port(number: int) -> PlannedPort:
    """Return a port of a Service."""
    return PlannedPort(key=str(number), address="127.96.0.9", number=number, targets=())


def test_where_a_port_is_tried() -> None:
    """Its own place first, then the last one, a number above the low ones, and whatever is free."""
    free = Place("127.0.0.1", 0)
    assert places(port(8080)) == [Place("127.96.0.9", 8080), free]
    assert places(port(80)) == [Place("127.96.0.9", 80), Place("127.96.0.9", 8080), free]
    assert places(port(8080), "127.0.0.1:4711") == [Place("127.96.0.9", 8080), Place("127.0.0.1", 4711), free]


@pytest.mark.parametrize("before", ["", "nonsense", "127.0.0.1:", "127.0.0.1:x", ":80", "0.0.0.0:80", "192.0.2.1:80"])
def test_an_annotation_that_someone_spoiled_is_passed_over(before: str) -> None:
    """It is only a wish."""
    assert places(port(8080), before) == places(port(8080))


def test_what_the_annotation_says() -> None:
    """By port; what cannot be read is not there."""
    assert read_served("80=127.0.0.1:4711,443=127.96.0.1:8443,x") == {"80": "127.0.0.1:4711", "443": "127.96.0.1:8443"}
    assert read_served("") == {}


def test_why_a_port_cannot_be_had() -> None:
    """In words that say what to do."""
    assert "right" in bind_fault(OSError(errno.EACCES, "x"))
    assert "another program" in bind_fault(OSError(errno.EADDRINUSE, "x"))
    assert "no such address" in bind_fault(OSError(errno.EADDRNOTAVAIL, "x"))
    assert bind_fault(OSError(errno.EMFILE, "x")) == "Too many open files"
