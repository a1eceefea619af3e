"""The target of an autoscaler: any kind that has a scale, whichever version of it the autoscaler names."""

from __future__ import annotations

from dataclasses import dataclass

import konverge as kv
from konverge.api.kind import Resource
from konverge.errors import ApiError, KonvergeError
from konverge.models import autoscaling_v1, autoscaling_v2


class NoScale(KonvergeError):
    """The target is not there, or has no scale."""


@dataclass(frozen=True, slots=True)
class Target:
    """A target and how many replicas it asks for."""

    named: kv.Unstructured
    scale: autoscaling_v1.Scale


async def read_target(client: kv.Client, autoscaler: autoscaling_v2.HorizontalPodAutoscaler) -> Target:
    """Ask for the scale of an autoscaler's target. Raises `NoScale`."""
    reference = autoscaler.spec.scale_target_ref
    resource = await _resource(client, reference)
    metadata = kv.ObjectMeta(name=reference.name, namespace=autoscaler.metadata.namespace)
    named = kv.Unstructured(api_version=resource.api_version, kind=resource.kind, metadata=metadata)
    try:
        return Target(named, await client.subresource("scale").get(named, autoscaling_v1.Scale))
    except ApiError as error:
        raise NoScale(error.message) from error


async def _resource(client: kv.Client, reference: autoscaling_v2.CrossVersionObjectReference) -> Resource:
    group = (reference.api_version or "").rpartition("/")[0]
    for served in (await client.served_kinds()).preferred():
        if (served.resource.group, served.resource.kind) == (group, reference.kind):
            return served.resource
    raise NoScale(f'no matches for kind "{reference.kind}" in group "{group}"')


async def resize_target(client: kv.Client, target: Target, replicas: int) -> None:
    """Write how many replicas a target is to have."""
    target.scale.spec.replicas = replicas
    await client.subresource("scale").update(target.named, target.scale)
