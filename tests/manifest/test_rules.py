"""Rules from what controllers touch and declare, and merged as controller-gen merges them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import marker_kinds
import pytest
import yaml

import konverge as kv
from konverge.api.access import Access
from konverge.api.form import Form, form_of
from konverge.api.rbac import Grant, grants_of
from konverge.errors import RequestError
from konverge.manifest.layout import to_yaml
from konverge.manifest.rules import grants, policy_rules
from konverge.models import apps_v1, core_v1

# Made by controller-gen from data/go/rbac (`make generate`).
GOLDEN = Path(__file__).parent / "data" / "rbac" / "role.yaml"


@kv.rbac("apps", "deployments", verbs=["get", "list"])
@kv.rbac("apps", "deployments", verbs=["watch", "get"])
@kv.rbac("apps", ["statefulsets", "replicasets"], verbs=["watch", "list", "get"])
@kv.rbac(["batch", "core"], "jobs", verbs="create")
@kv.rbac("core", ["pods", "secrets"], verbs=["*", "get"])
@kv.rbac("", "configmaps", verbs="get", names=["b", "a"])
@kv.rbac("", "configmaps", verbs="get")
@kv.rbac("b.example.com", "things", verbs=["get", "delete"])
@kv.rbac("a.example.com", "things", verbs=["delete", "get"])
@kv.rbac("a.example.com", "things/status", verbs="update")
@kv.rbac(urls="/metrics", verbs="get")
@kv.rbac(urls=["/healthz", "/livez"], verbs="get")
@kv.rbac("apps", "deployments/scale", verbs="update", namespace="shop")
@kv.rbac("", "events", verbs="create", namespace="shop")
async def declared(ctx: kv.Context, request: kv.Request) -> None:
    """Declare what the Go package declares."""


def test_rules_are_merged_and_sorted_as_controller_gen_does() -> None:
    """The same declarations give the same roles, byte for byte."""
    golden = GOLDEN.read_text()
    roles = list(yaml.safe_load_all(golden))
    for role in roles:
        namespace = role["metadata"].get("namespace", "")
        role["rules"] = policy_rules(grant for grant in grants_of(declared) if grant.namespace == namespace)
    assert to_yaml(*roles) == golden


def test_the_order_of_declarations_does_not_matter() -> None:
    """A role changes only when what is allowed does."""
    found = [grant for grant in grants_of(declared) if not grant.namespace]
    assert policy_rules(reversed(found)) == policy_rules(found)


def allowed(access: Access, **options: Any) -> dict[str, str]:
    """Return the verbs by namespace and resource, in one word each."""
    return {
        f"{grant.namespace}:{resource}.{grant.groups[0]}": " ".join(sorted(grant.verbs))
        for grant in grants([access], **options)
        for resource in grant.resources
    }


def test_what_the_builder_knows_needs_no_word() -> None:
    """The kind that is reconciled, its status and finalizers, what it owns, what it watches, and events."""
    access = Access(
        reconciles=form_of(marker_kinds.Widget),
        owns=(form_of(apps_v1.Deployment),),
        watches=(kv.metadata_only(core_v1.Secret),),
    )
    assert allowed(access) == {
        ":widgetry.markers.konverge.dev": "get list patch update watch",
        ":widgetry/status.markers.konverge.dev": "get patch update",
        ":widgetry/finalizers.markers.konverge.dev": "update",
        ":deployments.apps": "create delete get list patch update watch",
        ":secrets.": "get list watch",
        ":events.events.k8s.io": "create patch",
    }


def test_a_kind_without_a_status_gets_no_rule_for_one() -> None:
    """ConfigMaps have none."""
    assert ":configmaps/status." not in allowed(Access(reconciles=form_of(core_v1.ConfigMap)))


def test_a_cache_of_some_namespaces_needs_roles_in_these_alone() -> None:
    """But a kind without namespaces is everywhere or nowhere."""

    def namespaces(form: Form[Any] | None) -> tuple[str, ...]:
        return ("a", "b") if form is not None else ()

    access = Access(reconciles=form_of(core_v1.ConfigMap), watches=(form_of(core_v1.Node),))
    assert allowed(access, namespaces=namespaces) == {
        **{f"{name}:configmaps.": "get list patch update watch" for name in ("a", "b")},
        **{f"{name}:configmaps/finalizers.": "update" for name in ("a", "b")},
        **{f"{name}:events.events.k8s.io": "create patch" for name in ("a", "b")},
        ":nodes.": "get list watch",
    }


def test_a_kind_that_discovery_would_find_has_its_name() -> None:
    """A built-in one is looked up, another is spelt as English would."""
    access = Access(watches=(kv.unstructured("v1", "Endpoints"), kv.unstructured("example.com/v1", "Policy")))
    assert {":endpoints.", ":policies.example.com"} <= allowed(access).keys()


def test_what_is_declared_is_kept_as_it_is() -> None:
    """With its namespace, and beside what is known."""
    own = Grant(groups=("",), resources=("secrets",), verbs=("get",), namespace="shop")
    assert own in grants([Access(declared=(own,))])


@kv.rbac("apps", "deployments", verbs=["list", "watch", "create"], only=True)
@kv.rbac("events.k8s.io", "events", verbs=(), only=True)
@kv.rbac("markers.konverge.dev", ["widgetry", "widgetry/status"], verbs="patch", only=True)
@kv.rbac("", "nodes", verbs="get")
async def careful(ctx: kv.Context, request: kv.Request) -> None:
    """Need less than the builder would allow."""


def test_only_takes_the_place_of_what_the_builder_allows() -> None:
    """For its resources alone, where the kind is held; without verbs nothing is left."""
    access = Access(
        reconciles=form_of(marker_kinds.Widget), owns=(form_of(apps_v1.Deployment),), declared=grants_of(careful)
    )
    assert allowed(access, namespaces=lambda _: ("shop",)) == {
        ":widgetry.markers.konverge.dev": "patch",
        ":widgetry/status.markers.konverge.dev": "patch",
        ":widgetry/finalizers.markers.konverge.dev": "update",
        "shop:deployments.apps": "create list watch",
        ":nodes.": "get",
    }


def test_only_of_what_the_builder_does_not_know_is_a_mistake() -> None:
    """It would leave the rights as wide as they are, unnoticed."""
    with pytest.raises(RequestError, match="nothing to cut: leave only out, or mend the name"):
        allowed(Access(reconciles=form_of(marker_kinds.Widget), declared=grants_of(careful)))
