"""Who may write which part of a claim."""

from __future__ import annotations

from typing import Any

import pytest

from konverge.cluster.apiserver.access.access import Access
from konverge.cluster.apiserver.access.attempt import Attempt
from konverge.cluster.apiserver.access.user import ADMINISTRATOR, User
from konverge.cluster.apiserver.builtin.rules.author import Author
from konverge.cluster.apiserver.builtin.rules.device.claim_author import claim_author_errors
from konverge.cluster.apiserver.storage import Storage

RESULT = {"request": "r", "driver": "a", "pool": "p", "device": "d"}
NODE = {"nodeSelectorTerms": [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n"]}]}]}
ALLOCATION = {"devices": {"results": [RESULT]}, "nodeSelector": NODE}
REPORT = {"driver": "a", "pool": "p", "device": "d"}
DRIVER = User("system:serviceaccount:n:d", extra={"authentication.kubernetes.io/node-name": ("n",)})


def _told(user: User, status: dict[str, Any], old: dict[str, Any]) -> list[str]:
    storage = Storage.in_memory()
    attempt = Attempt(
        verb="update", group="resource.k8s.io", resource="resourceclaims", subresource="status", namespace="n", name="c"
    )
    author = Author(user=user, attempt=attempt, authorization=Access(storage).authorization, storage=storage)
    return [error.detail for error in claim_author_errors(author, {"status": status}, {"status": old}, "status")]


def test_an_allocation_needs_a_right_of_its_own() -> None:
    """One of the whole cluster."""
    (told,) = _told(User("u"), {"allocation": ALLOCATION}, {})
    assert 'resource="resourceclaims/binding", verb="update" permission' in told
    assert told.endswith("at the cluster scope")
    assert _told(ADMINISTRATOR, {"allocation": ALLOCATION}, {}) == []


@pytest.mark.parametrize(
    ("user", "verbs"),
    [(User("u"), "[arbitrary-node:update]"), (DRIVER, "[associated-node:update arbitrary-node:update]")],
)
def test_a_driver_is_asked_for_its_node(user: User, verbs: str) -> None:
    """Its service account shows by its token where it runs; there it needs less."""
    old = {"allocation": ALLOCATION}
    (told,) = _told(user, {**old, "devices": [REPORT]}, old)
    assert f'resource="resourceclaims/driver", verb="{verbs}" permission' in told


def test_what_stays_needs_no_right() -> None:
    """Neither do reports that go with their allocation."""
    whole = {"allocation": ALLOCATION, "devices": [REPORT]}
    assert _told(User("u"), whole, whole) == []


def test_access_as_an_administrator_needs_a_label_on_the_namespace() -> None:
    """Also where it is the allocation that says so."""
    results = [{**RESULT, "adminAccess": True}]
    (told,) = _told(ADMINISTRATOR, {"allocation": {"devices": {"results": results}}}, {})
    assert "requires the `resource.kubernetes.io/admin-access: true` label" in told
