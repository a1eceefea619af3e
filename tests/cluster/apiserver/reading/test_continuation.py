"""Continue tokens there and back."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from konverge.cluster.apiserver.failure import Failure
from konverge.cluster.apiserver.reading import continuation
from konverge.cluster.apiserver.reading.continuation import Continuation

NAMES = st.text("ab.-0", min_size=1).filter(lambda name: set(name) - {"."})
PREFIX = "/core/configmaps/"


@given(name=NAMES, namespace=NAMES, revision=st.integers(1, 2**62) | st.just(-1))
def test_round_trip(name: str, namespace: str, revision: int) -> None:
    """What is written is read back."""
    place = Continuation(f"{PREFIX}{namespace}/{name}", revision)
    assert continuation.read(PREFIX, continuation.written(PREFIX, place)) == place


def test_form() -> None:
    """A token is the real server's, so that the suites need no mask for its form."""
    token = continuation.written(PREFIX, Continuation(f"{PREFIX}default/a", 212))
    decoded = base64.urlsafe_b64decode(token + "=" * (-len(token) % 4))
    assert decoded == b'{"v":"meta.k8s.io/v1","rv":212,"start":"/default/a\\u0000"}'


@given(st.text() | st.binary().map(lambda found: base64.urlsafe_b64encode(found).decode().rstrip("=")))
def test_garbage_is_a_bad_request(text: str) -> None:
    """Nothing that a client sends is a defect of the server."""
    with pytest.raises(Failure, match="invalid continue token: continue key is not valid"):
        continuation.read(PREFIX, text)


def test_a_key_that_was_not_sent_yet() -> None:
    """A token of another maker may name the first key to send: it goes on just before it."""
    token = base64.urlsafe_b64encode(b'{"v":"meta.k8s.io/v1","rv":1,"start":"b"}').decode().rstrip("=")
    after = continuation.read(PREFIX, token).after
    assert f"{PREFIX}a/z" < after < f"{PREFIX}b"
