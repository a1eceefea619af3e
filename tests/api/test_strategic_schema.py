from __future__ import annotations

from konverge.api.strategic_schema import schema_of
from konverge.models import apps_v1, core_v1
from konverge.models.apiextensions_v1 import JSONSchemaProps


def test_the_rules_of_built_in_lists() -> None:
    """Merge keys and strategies come from the markers, by wire name, at any depth."""
    spec = schema_of(apps_v1.Deployment).get("spec")
    assert spec is not None
    assert spec.schema is not None
    strategy = spec.schema.get("strategy")
    assert strategy is not None
    assert strategy.strategy == ("retainKeys",)
    pod_spec = schema_of(core_v1.PodSpec)
    containers, volumes = pod_spec.get("containers"), pod_spec.get("volumes")
    assert containers is not None
    assert (containers.strategy, containers.merge_key) == (("merge",), "name")
    assert volumes is not None
    assert (volumes.strategy, volumes.merge_key) == (("merge", "retainKeys"), "name")
    assert containers.schema is not None
    ports = containers.schema.get("ports")
    assert ports is not None
    assert ports.merge_key == "containerPort"


def test_lists_of_scalars_and_plain_fields() -> None:
    """A set of strings is merged without a key, a plain field has no rule, and an unknown one is unknown."""
    metadata = schema_of(core_v1.Pod).get("metadata")
    assert metadata is not None
    assert metadata.schema is not None
    finalizers, labels = metadata.schema.get("finalizers"), metadata.schema.get("labels")
    assert finalizers is not None
    assert (finalizers.strategy, finalizers.merge_key) == (("merge",), None)
    assert labels is not None
    assert (labels.strategy, labels.schema) == ((), None)
    assert metadata.schema.get("resource_version") is None
    assert metadata.schema.get("resourceVersion") is not None


def test_types_that_contain_themselves() -> None:
    """A schema is looked up when it is asked for, so recursion ends."""
    properties = schema_of(JSONSchemaProps).get("properties")
    assert properties is not None
    assert properties.schema is schema_of(JSONSchemaProps)
