"""Empty lists that Go always writes: owned by who set them, null where they are stored."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from konverge.cluster.apiserver.builtin.go_empties import drop_empties
from konverge.cluster.apiserver.builtin.go_type import type_of

if TYPE_CHECKING:
    from tests.cluster.apiserver.builtin.conftest import Client

ROLES = "/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles"


def test_only_what_go_writes_becomes_null() -> None:
    """Inside lists and structs too; what is not empty stays."""
    pod = {"spec": {"containers": [], "affinity": {"nodeAffinity": {}}}}
    drop_empties(type_of("io.k8s.api.core.v1.Pod"), pod)
    assert pod == {"spec": {"containers": None, "affinity": {"nodeAffinity": {}}}}
    role = {"rules": [{"verbs": []}, {"verbs": ["get"]}]}
    drop_empties(type_of("io.k8s.api.rbac.v1.Role"), role)
    assert role == {"rules": [{"verbs": None}, {"verbs": ["get"]}]}


def test_a_type_that_contains_itself_is_no_trap() -> None:
    """The schema of a CRD is made of schemas."""
    kind = type_of("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition")
    value: dict[str, Any] = {"spec": {"versions": []}}
    drop_empties(kind, value)
    assert value == {"spec": {"versions": None}}


async def test_the_author_of_an_empty_list_owns_it(client: Client) -> None:
    """And sending it again changes nothing."""
    body = {"metadata": {"name": "r"}, "rules": []}
    made = await client.make(ROLES, "r", rules=[])
    assert made["rules"] is None
    assert made["metadata"]["managedFields"][0]["fieldsV1"] == {"f:rules": {}}
    _, again = await client.ask("PUT", f"{ROLES}/r", body)
    assert again["metadata"]["resourceVersion"] == made["metadata"]["resourceVersion"]
