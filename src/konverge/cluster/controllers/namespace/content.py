"""Deletes the content of a namespace, kind by kind, and says what is left of each.

Only what is not being deleted yet is deleted: a namespace that waits for a finalizer costs reads alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Final

from konverge.api.form import Form, metadata_only
from konverge.api.kind import GroupVersionResource
from konverge.api.unstructured import PartialObjectMetadata, Unstructured
from konverge.client.client import Client
from konverge.client.ignore import ignore_not_found
from konverge.client.served import ServedKind
from konverge.cluster.controllers.namespace.outcome import Left, Outcome
from konverge.errors import ApiError, MethodNotAllowed, NotFound
from konverge.models import core_v1

PODS: Final = GroupVersionResource("", "v1", "pods")
_FINALIZER_SECONDS: Final = 15  # what a finalizer is given before the next look
_ENDED: Final = ("Succeeded", "Failed")


async def delete_kind(client: Client, kind: ServedKind, *, namespace: str, outcome: Outcome, seconds: int = 0) -> None:
    """Delete the objects of one kind, and note what is left or went wrong; `seconds` is what they are given."""
    resource = kind.resource.group_version_resource
    try:
        left = await _delete(client, kind, namespace=namespace)
    except (NotFound, MethodNotAllowed):
        return  # the kind has gone, or never had the verb
    except ApiError as error:
        outcome.failures.append(error.message)
        return
    if not left:
        return
    finalizers = Counter(finalizer for each in left for finalizer in each.metadata.finalizers or ())
    if not seconds and not finalizers:
        where = f"{resource.group}/{resource.version}, Resource={resource.resource}"
        outcome.failures.append(f"unexpected items still remain in namespace: {namespace} for gvr: {where}")
    outcome.add(
        resource,
        Left(count=len(left), finalizers=finalizers, seconds=seconds or (_FINALIZER_SECONDS if finalizers else 0)),
    )


async def _delete(client: Client, kind: ServedKind, *, namespace: str) -> Sequence[PartialObjectMetadata]:
    """Delete what is there; return what is left."""
    form = _form(kind)
    if not kind.allows("list"):
        await client.delete_all_of(form, namespace=namespace, propagation="Background")
        return ()
    there = await client.list(form, namespace=namespace)
    fresh = [each for each in there if not each.metadata.deletion_timestamp]
    if not fresh:
        return list(there)
    if kind.allows("deletecollection"):
        # Not Orphan, whatever the kind's default: what is left here would keep the namespace.
        await client.delete_all_of(form, namespace=namespace, propagation="Background")
    else:
        await _delete_each(client, fresh)
    return list(await client.list(form, namespace=namespace))


async def _delete_each(client: Client, objects: Iterable[PartialObjectMetadata]) -> None:
    for obj in objects:
        await ignore_not_found(client.delete(obj, propagation="Background"))


def grace_seconds(pods: Iterable[core_v1.Pod], *, deleted_at: datetime, now: datetime) -> int:
    """Return how long pods may take to end, as the longest of them says; 0 once that time is over."""
    running = (pod for pod in pods if pod.status.phase not in _ENDED)
    longest = max((pod.spec.termination_grace_period_seconds or 0 for pod in running if pod.spec), default=0)
    return 0 if (now - deleted_at).total_seconds() >= longest else longest


def _form(kind: ServedKind) -> Form[PartialObjectMetadata]:
    return metadata_only(Form(Unstructured, kind.resource.group_version_kind, kind.resource))
