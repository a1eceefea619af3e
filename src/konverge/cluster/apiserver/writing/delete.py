"""Delete: one object, with preconditions, finalizers, propagation and grace.

A deletion that has to wait (for finalizers, or for the object's own grace) marks the object and answers with it; one
that has not removes it and answers with a Status, or with the object where the kind is one that does so.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Final

from konverge.api.time import format_time, parse_time
from konverge.clock import now
from konverge.cluster.apiserver.call import Call, Outcome
from konverge.cluster.apiserver.context import Context
from konverge.cluster.apiserver.failure import conflict, forbidden, not_found
from konverge.cluster.apiserver.propagation import Propagation
from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.writing.admission import judge_deletion
from konverge.cluster.apiserver.writing.decode import check_size
from konverge.cluster.apiserver.writing.delete_options import DeleteOptions, delete_options
from konverge.cluster.apiserver.writing.live import Live, durable, find_live, is_same, put, remove, unchanged
from konverge.cluster.apiserver.writing.metadata_rules import FOREGROUND, ORPHAN
from konverge.cluster.apiserver.writing.namespaces import IMMORTAL

_ACCEPTED: Final = 202
_DELETIONS: Final = ("delete", "deletecollection")
_JOBS: Final = ("batch", "jobs")
_NAMESPACE: Final = ("", "namespaces")


async def delete(context: Context, call: Call) -> Outcome:
    """Answer a DELETE of an object."""
    check_size(call.request.body)
    options = delete_options(call)
    warn_of_orphans(call, options)
    outcome, is_gone = await delete_object(context, call, call.route.name, options)
    if not is_gone and options.orphan is False:
        return replace(outcome, status=_ACCEPTED)
    return outcome


def warn_of_orphans(call: Call, options: DeleteOptions) -> None:
    """Tell who deletes a job and does not say what becomes of its pods: they stay, which few expect."""
    if (call.resource.group, call.resource.plural) == _JOBS and not options.policy and options.orphan is None:
        call.warnings.append(
            "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove "
            "them or set propagationPolicy=Orphan to suppress this warning"
        )


async def delete_object(context: Context, call: Call, name: str, options: DeleteOptions) -> tuple[Outcome, bool]:
    """Delete an object, or begin to; also return whether it is gone.

    Admission is asked where the call is a DELETE: an eviction was admitted as what it is.
    """
    resource = call.resource
    live = find_live(context, call, name)
    if live is None:
        raise not_found(resource.plural, resource.group, name)
    if (resource.group, resource.plural) == _NAMESPACE:
        return await _delete_namespace(context, call, live, options)
    if resource.strategy.marks_deletion:
        return await _delete_definition(context, call, live, options)
    _check_preconditions(call, live, options)
    return await _delete(context, call, live, options)


def _check_preconditions(call: Call, live: Live, options: DeleteOptions) -> None:
    resource, name = call.resource, live.metadata["name"]
    uid, found = options.preconditions.get("uid"), live.metadata["uid"]
    if uid is not None and uid != found:
        why = (
            f"the UID in the precondition ({uid}) does not match the UID in record ({found}). "
            "The object might have been deleted and then recreated"
        )
        raise conflict(resource.kind, resource.group, name, why)
    version, found = options.preconditions.get("resourceVersion"), live.metadata["resourceVersion"]
    if version is not None and version != found:
        why = (
            f"the ResourceVersion in the precondition ({version}) does not match the ResourceVersion in record "
            f"({found}). The object might have been modified"
        )
        raise conflict(resource.kind, resource.group, name, why)


async def _delete(context: Context, call: Call, live: Live, options: DeleteOptions) -> tuple[Outcome, bool]:
    value = live.copy(call.resource)
    seconds = _begin_grace(call, value, options)
    if seconds == _PENDING:
        await durable(context.storage, live.stored)
        return _gone(call, live.value), False
    await _admit(context, call, live, options, seconds=seconds)
    _set_finalizers(call, value["metadata"], options)
    if value["metadata"].get("finalizers"):
        if seconds is None:
            _mark(value["metadata"])
        return await _store(context, call, value, live=live, options=options), False
    if seconds is None:
        return await _remove(context, call, live, options), True
    outcome = await _store(context, call, value, live=live, options=options)
    if seconds or options.is_dry_run:
        return outcome, seconds == 0
    ended = find_live(context, call, value["metadata"]["name"])
    if ended is None:
        return outcome, True
    await _admit(context, call, ended, options, seconds=seconds)
    return await _remove(context, call, ended, options), True


async def _admit(
    context: Context, call: Call, live: Live, options: DeleteOptions, *, seconds: int | None = None
) -> None:
    """Ask admission about a deletion; it is told the grace that the kind gives."""
    if call.route.verb not in _DELETIONS:
        return
    if seconds is not None and seconds != options.given.get("gracePeriodSeconds"):
        options = replace(options, given={"gracePeriodSeconds": seconds, **options.given})
    await judge_deletion(context, call, live.value, options, name=call.route.name)


async def _store(context: Context, call: Call, value: JsonObject, *, live: Live, options: DeleteOptions) -> Outcome:
    if await is_same(call, value, live):
        return await unchanged(context, call, live)
    if options.is_dry_run:
        return Outcome(status=200, value=value)
    return await put(context, call, value, live=live)


async def _remove(context: Context, call: Call, live: Live, options: DeleteOptions) -> Outcome:
    if options.is_dry_run:
        return _gone(call, live.value)
    last = await remove(context, call, live)
    is_shown = call.resource.converts and not call.resource.is_custom  # of a custom one, only the metadata is
    return _gone(call, call.resource.strategy.from_storage(last) if is_shown else last)


def _gone(call: Call, value: JsonObject) -> Outcome:
    """Answer that an object is deleted."""
    resource, metadata = call.resource, value["metadata"]
    if resource.strategy.returns_deleted:
        return Outcome(status=200, value=value)
    details = {"name": metadata["name"], "group": resource.group, "kind": resource.plural, "uid": metadata["uid"]}
    status = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success"}
    shown = {name: item for name, item in details.items() if item}
    return Outcome(status=200, value={**status, "details": shown}, is_own_kind=False)


# --- grace ---

_PENDING: Final = -1


def _begin_grace(call: Call, value: JsonObject, options: DeleteOptions) -> int | None:
    """Mark an object that ends gracefully; return its seconds, None if it does not, `_PENDING` if it already is."""
    metadata = value["metadata"]
    if "deletionTimestamp" in metadata:
        return _shorten(call, value, options)
    seconds = call.resource.strategy.grace(value, options.grace)
    if seconds is None:
        return None
    metadata["deletionTimestamp"] = format_time(now() + timedelta(seconds=seconds))
    metadata["deletionGracePeriodSeconds"] = seconds
    if metadata.get("generation"):
        metadata["generation"] += 1
    return seconds


def _shorten(call: Call, value: JsonObject, options: DeleteOptions) -> int | None:
    """A second deletion may only shorten the grace of the first."""
    metadata = value["metadata"]
    current = metadata.get("deletionGracePeriodSeconds")
    if not current or call.resource.strategy.grace(value, options.grace) is None:
        return None
    seconds = options.grace
    if seconds is None or seconds >= current:
        return _PENDING
    moment, end = now(), parse_time(metadata["deletionTimestamp"]) + timedelta(seconds=seconds - current)
    if end < moment:
        end, seconds = moment, 1 if seconds else 0
    metadata["deletionTimestamp"], metadata["deletionGracePeriodSeconds"] = format_time(end), seconds
    return seconds


def _mark(metadata: JsonObject) -> None:
    """Mark an object that waits for its finalizers."""
    moment = format_time(now())
    if "deletionTimestamp" not in metadata and metadata.get("generation"):
        metadata["generation"] += 1
    if metadata.get("deletionTimestamp", moment) >= moment:
        metadata["deletionTimestamp"] = moment
    metadata["deletionGracePeriodSeconds"] = 0


# --- propagation ---


def _set_finalizers(call: Call, metadata: JsonObject, options: DeleteOptions) -> None:
    """Set the finalizers that the garbage collector works by."""
    current: list[str] = metadata.get("finalizers", [])
    wanted = [name for name in current if name not in (ORPHAN, FOREGROUND)]
    default = call.resource.strategy.propagation
    if default is not Propagation.UNSUPPORTED:
        if _orphans(current, options, default):
            wanted.append(ORPHAN)
        if _is_foreground(current, options):
            wanted.append(FOREGROUND)
    if set(wanted) == set(current):
        return
    if wanted:
        metadata["finalizers"] = wanted
    else:
        metadata.pop("finalizers", None)


def _orphans(current: list[str], options: DeleteOptions, default: Propagation) -> bool:
    if options.orphan is not None:
        return options.orphan
    if options.policy:
        return options.policy == "Orphan"
    mark = next((name for name in current if name in (ORPHAN, FOREGROUND)), "")
    return mark == ORPHAN if mark else default is Propagation.ORPHAN


def _is_foreground(current: list[str], options: DeleteOptions) -> bool:
    if options.orphan is not None:
        return False
    if options.policy:
        return options.policy == "Foreground"
    return next((name for name in current if name in (ORPHAN, FOREGROUND)), "") == FOREGROUND


# --- kinds that have to finish something first ---


async def _delete_definition(context: Context, call: Call, live: Live, options: DeleteOptions) -> tuple[Outcome, bool]:
    """A definition is first marked as ending; it goes when its objects have."""
    _check_own_preconditions(call, live, options)
    if "deletionTimestamp" in live.metadata:
        return await _delete(context, call, live, options)
    await _admit(context, call, live, options)
    value = live.copy(call.resource)
    call.resource.strategy.begin_delete(value)
    return await _store(context, call, value, live=live, options=options), False


async def _delete_namespace(context: Context, call: Call, live: Live, options: DeleteOptions) -> tuple[Outcome, bool]:
    """A namespace is first marked as ending; it goes when its own finalizers have."""
    name = live.metadata["name"]
    _check_own_preconditions(call, live, options)
    if name in IMMORTAL:
        raise forbidden("namespaces", "", name, "this namespace may not be deleted")
    if "deletionTimestamp" in live.metadata:
        if live.value.get("spec", {}).get("finalizers"):
            return await unchanged(context, call, live), False
        return await _delete(context, call, live, options)
    await _admit(context, call, live, options)
    value = live.copy(call.resource)
    value["metadata"]["deletionTimestamp"] = format_time(now())
    value.setdefault("status", {})["phase"] = "Terminating"
    _set_namespace_finalizers(value["metadata"], options)
    return await _store(context, call, value, live=live, options=options), False


def _check_own_preconditions(call: Call, live: Live, options: DeleteOptions) -> None:
    resource = call.resource
    for name, title in (("uid", "UID"), ("resourceVersion", "ResourceVersion")):
        wanted, found = options.preconditions.get(name), live.metadata[name]
        if wanted is not None and wanted != found:
            why = f"Precondition failed: {title} in precondition: {wanted}, {title} in object meta: {found}"
            raise conflict(resource.plural, resource.group, live.metadata["name"], why)


def _set_namespace_finalizers(metadata: JsonObject, options: DeleteOptions) -> None:
    current: list[str] = metadata.get("finalizers", [])
    if options.orphan is not None:
        chosen = ORPHAN if options.orphan else FOREGROUND
    elif options.policy:
        chosen = {"Orphan": ORPHAN, "Foreground": FOREGROUND}.get(options.policy, "")
    else:
        return
    wanted = [name for name in current if name not in (ORPHAN, FOREGROUND)] + ([chosen] if chosen else [])
    if wanted:
        metadata["finalizers"] = wanted
    else:
        metadata.pop("finalizers", None)
