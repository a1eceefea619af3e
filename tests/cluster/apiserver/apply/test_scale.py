from __future__ import annotations

from typing import Any

from konverge.cluster.apiserver.apply.scale import ScaleFields, scale_field_manager

PATHS = {"apps/v1": "spec.replicas"}


def entry(manager: str, fields: dict[str, Any], operation: str = "Apply", **more: Any) -> dict[str, Any]:
    """Return an entry of managedFields."""
    made = {"manager": manager, "operation": operation, "apiVersion": "apps/v1", **more}
    return {**made, "fieldsType": "FieldsV1", "fieldsV1": fields}


REPLICAS: dict[str, Any] = {"f:spec": {"f:replicas": {}}}


def test_the_scale_shows_who_owns_the_replicas() -> None:
    """Only owners of the replicas are shown, in the Scale's version."""
    parent = [entry("one", {"f:spec": {"f:paused": {}}}), entry("two", REPLICAS, time="2026-01-01T00:00:00Z")]
    shown = ScaleFields(parent, "apps/v1", PATHS).to_scale()
    assert shown == [entry("two", REPLICAS, time="2026-01-01T00:00:00Z") | {"apiVersion": "autoscaling/v1"}]


def test_a_scale_takes_the_replicas_from_their_owner() -> None:
    """Who scales owns the replicas from then on; an owner of nothing else is forgotten."""
    more: dict[str, Any] = {"f:spec": {"f:replicas": {}, "f:paused": {}}}
    parent = [entry("one", more), entry("two", REPLICAS, "Update")]
    fields = ScaleFields(parent, "apps/v1", PATHS)
    old = {
        "metadata": {"uid": "u", "managedFields": fields.to_scale()},
        "spec": {"replicas": 1},
        "status": {"replicas": 1},
    }
    new = {**old, "apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": {"uid": "u"}, "spec": {"replicas": 2}}
    scaled = scale_field_manager().update(
        {**old, "apiVersion": "autoscaling/v1", "kind": "Scale"},
        new,
        manager="kubectl",
        time="2026-01-02T00:00:00Z",
        subresource="scale",
    )
    assert fields.to_parent(scaled["metadata"]["managedFields"]) == [
        entry("one", {"f:spec": {"f:paused": {}}}),
        entry("kubectl", REPLICAS, "Update", subresource="scale"),
    ]


def test_owners_that_keep_the_replicas_keep_their_entry() -> None:
    """An applier whose replicas nobody took stays as it was; a version without a scale too; an unknown one goes."""
    parent = [
        entry("one", REPLICAS, time="2026-01-01T00:00:00Z"),
        entry("two", REPLICAS) | {"apiVersion": "apps/v1beta1"},
    ]
    gone = entry("three", REPLICAS) | {"apiVersion": "apps/v0"}
    fields = ScaleFields([*parent, gone], "apps/v1", {**PATHS, "apps/v1beta1": None})
    assert fields.to_parent(fields.to_scale()) == [parent[1], parent[0]]


def test_scales_of_a_deployment(real: Any) -> None:
    """Updates, patches and applies of a Scale leave the same owners on the real server's Deployment."""
    path = "/apis/apps/v1/namespaces/default/deployments"
    pod = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "a", "image": "i"}]}}
    spec = {"replicas": 1, "selector": {"matchLabels": {"a": "b"}}, "template": pod}
    body = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "scaled"}, "spec": spec}
    real.send("POST", f"{path}?fieldManager=author", body)
    apply = "application/apply-patch+yaml"
    merge = "application/merge-patch+json"
    manager = scale_field_manager()
    for name, media, replicas, force in (
        ("one", merge, 2, False),
        ("two", merge, 2, False),
        ("three", apply, 3, True),
        ("three", apply, 3, False),
        ("four", merge, 4, False),
        ("three", apply, 4, True),
        ("author", merge, 5, False),
    ):
        live = real.send("GET", f"{path}/scaled", None).body
        old = real.send("GET", f"{path}/scaled/scale", None).body
        patch = {
            "apiVersion": "autoscaling/v1",
            "kind": "Scale",
            "metadata": {"name": "scaled"},
            "spec": {"replicas": replicas},
        }
        query = f"fieldManager={name}" + ("&force=true" if force else "")
        assert real.send("PATCH", f"{path}/scaled/scale?{query}", patch, media).code == 200
        fields = ScaleFields(live["metadata"]["managedFields"], "apps/v1", PATHS)
        old["metadata"]["managedFields"] = fields.to_scale()
        options = {"manager": name, "time": "2026-01-01T00:00:00Z", "subresource": "scale"}
        new = (
            manager.apply(old, patch, force=force, **options)
            if media == apply
            else manager.update(
                old, {**old, "metadata": dict(old["metadata"]), "spec": {"replicas": replicas}}, **options
            )
        )
        after = real.send("GET", f"{path}/scaled", None).body["metadata"]["managedFields"]
        ours = fields.to_parent(new["metadata"].get("managedFields", []))
        assert [{**entry, "time": ""} for entry in ours] == [{**entry, "time": ""} for entry in after]
        assert [bool(entry.get("time")) for entry in ours] == [bool(entry.get("time")) for entry in after]
