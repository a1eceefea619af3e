"""Creating and deleting the pods of a workload, with the events that tell its owner so."""

from __future__ import annotations

import konverge as kv
from konverge.errors import ApiError, NotFound
from konverge.models import core_v1


async def create_pod(ctx: kv.Context, owner: kv.Object, pod: core_v1.Pod) -> core_v1.Pod:
    """Create a pod in the name of its owner."""
    try:
        created = await ctx.client.create(pod)
    except ApiError as error:
        if not is_namespace_terminating(error):
            ctx.recorder.warning(owner, "FailedCreate", f"Error creating: {error.message}")
        raise
    ctx.recorder.normal(owner, "SuccessfulCreate", f"Created pod: {created.metadata.name}")
    return created


async def delete_pod(ctx: kv.Context, owner: kv.Object, pod: core_v1.Pod) -> None:
    """Delete a pod in the name of its owner; one that is gone is no news."""
    try:
        await ctx.client.delete(pod)
    except NotFound:
        return
    except ApiError as error:
        ctx.recorder.warning(owner, "FailedDelete", f"Error deleting: {error.message}")
        raise
    ctx.recorder.normal(owner, "SuccessfulDelete", f"Deleted pod: {pod.metadata.name}")


def is_namespace_terminating(error: ApiError) -> bool:
    """Whether nothing can be created any more because the namespace is on its way out."""
    return any(cause.reason == "NamespaceTerminating" for cause in error.causes)
