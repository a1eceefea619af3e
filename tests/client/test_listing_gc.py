"""A page is decoded with garbage collection put off; nobody must find it switched off, or on, afterwards."""

import gc
from collections.abc import Iterator

import pytest

from konverge import errors
from konverge.api.form import form_of
from konverge.client.listing import read_page
from konverge.models import core_v1

GOOD = b'{"items":[{"metadata":{"name":"a"}}]}'
BAD = b'{"items":[{"metadata":{"name":7}}]}'


@pytest.fixture
def restored() -> Iterator[None]:
    """Leave the collector as the other tests want it."""
    yield
    gc.enable()


@pytest.mark.usefixtures("restored")
def test_the_collector_runs_again() -> None:
    """After a page, and after one that cannot be read, the collector is on as before."""
    read_page(GOOD, form_of(core_v1.ConfigMap))
    assert gc.isenabled()
    with pytest.raises(errors.DecodeError):
        read_page(BAD, form_of(core_v1.ConfigMap))
    assert gc.isenabled()


@pytest.mark.usefixtures("restored")
def test_the_collector_stays_off() -> None:
    """A program that has switched the collector off finds it off."""
    gc.disable()
    read_page(GOOD, form_of(core_v1.ConfigMap))
    assert not gc.isenabled()
