"""Eviction: a pod is deleted, unless a disruption budget says that it is needed.

A budget's status is what its controller last found; each eviction takes one from what it allows, and notes the pod, so
that two evictions in a row count as two before the controller has looked again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from konverge.api.label_selector import LabelSelector
from konverge.cluster.apiserver.call import Call, Outcome
from konverge.cluster.apiserver.context import Context
from konverge.cluster.apiserver.failure import Failure, bad_request, conflict, forbidden, not_found
from konverge.cluster.apiserver.resource import Resource
from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.writing.admission import judge, mutate_part
from konverge.cluster.apiserver.writing.decode import decode_object
from konverge.cluster.apiserver.writing.delete import delete_object
from konverge.cluster.apiserver.writing.delete_options import DeleteOptions
from konverge.cluster.apiserver.writing.expected import built_in
from konverge.cluster.apiserver.writing.live import Live, find_live, put, time_now
from konverge.cluster.apiserver.writing.namespaces import check_namespace, set_namespace
from konverge.cluster.apiserver.writing.object_meta import metadata_of
from konverge.cluster.apiserver.writing.options import WriteOptions
from konverge.cluster.apiserver.writing.ownership import record_update
from konverge.cluster.apiserver.writing.pod_condition import set_condition
from konverge.errors import KonvergeError

_EVICTION: Final = built_in("io.k8s.api.policy.v1.Eviction", "policy/v1")
_VIOLATED: Final = "Cannot evict pod as it would violate the pod's disruption budget."
_TOO_MANY: Final = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."
_MOST_DISRUPTED: Final = 2000  # pods whose eviction the budget's controller has not confirmed
_DISRUPTED: Final = {
    "type": "DisruptionTarget",
    "status": "True",
    "reason": "EvictionByEvictionAPI",
    "message": "Eviction API: evicting",
}


async def evict(context: Context, call: Call, options: WriteOptions) -> Outcome:
    """Mark a pod as disrupted and delete it, if its budget allows."""
    eviction = decode_object(call, options.field_validation, _EVICTION)
    metadata = metadata_of(eviction)
    set_namespace(call, metadata)
    check_namespace(context, call, call.route.name, is_create=True)
    await mutate_part(context, call, eviction, options)
    if metadata_of(eviction).get("name") != call.route.name:
        raise bad_request("name in URL does not match name in Eviction object")
    await judge(context, call, eviction, options)
    live = find_live(context, call)
    if live is None:
        raise not_found("pods", "", call.route.name)
    wanted = _delete_options(eviction.get("deleteOptions", {}), options)
    if not _is_past_harm(live.value):
        budgets = list(_budgets(context, call, live))
        if len(budgets) > 1:
            return _answer("Failure", 500, _TOO_MANY)
        for budget_call, budget in budgets:
            await _ask(context, budget_call, budget, pod=live.value, options=options, is_dry_run=wanted.is_dry_run)
    await _delete(context, call, wanted)
    return _answer("Success", 201)


def _answer(status: str, code: int, message: str = "") -> Outcome:
    value = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": status, "code": code}
    return Outcome(status=code, value={**value, "message": message} if message else value, is_own_kind=False)


def _delete_options(asked: JsonObject, options: WriteOptions) -> DeleteOptions:
    preconditions = asked.get("preconditions") or {}
    return DeleteOptions(
        is_dry_run=options.is_dry_run or bool(asked.get("dryRun")),
        grace=asked.get("gracePeriodSeconds"),
        policy=asked.get("propagationPolicy", ""),
        preconditions={name: value for name, value in preconditions.items() if value},
    )


async def _delete(context: Context, call: Call, wanted: DeleteOptions) -> None:
    live = find_live(context, call)
    if live is None:
        raise not_found("pods", "", call.route.name)
    if not wanted.is_dry_run:
        _check_preconditions(live, wanted)
        value = live.copy(call.resource)
        set_condition(value.setdefault("status", {}), _DISRUPTED)
        marked = await put(context, call, value, live=live)
        if wanted.preconditions.get("resourceVersion"):  # the version it has by our own mark
            version = marked.value["metadata"]["resourceVersion"]
            wanted = replace(wanted, preconditions={**wanted.preconditions, "resourceVersion": version})
    await delete_object(context, call, call.route.name, wanted)


def _check_preconditions(live: Live, wanted: DeleteOptions) -> None:
    for name, title, end in (
        ("uid", "UID", "deleted and then recreated"),
        ("resourceVersion", "ResourceVersion", "modified"),
    ):
        given, found = wanted.preconditions.get(name), live.metadata[name]
        if given and given != found:
            why = (
                f"the {title} in the precondition ({given}) does not match the {title} in record ({found}). "
                f"The object might have been {end}"
            )
            raise conflict("Pod", "", live.metadata["name"], why)


def _is_past_harm(pod: JsonObject) -> bool:
    """Whether nothing is disrupted by its end: it has ended, has not begun, or is being deleted."""
    phase = pod.get("status", {}).get("phase")
    return phase in ("Succeeded", "Failed", "Pending") or "deletionTimestamp" in pod["metadata"]


# --- budgets ---


def _budgets(context: Context, call: Call, pod: Live) -> Iterator[tuple[Call, Live]]:
    """Yield the budgets that speak of a pod, each with the call that is about it."""
    resource = context.resources.find("policy", "v1", "poddisruptionbudgets")
    if resource is None:
        return
    labels = pod.metadata.get("labels") or {}
    for stored in context.storage.range(f"{resource.prefix}{call.route.namespace}/").items:
        name = stored.key.rpartition("/")[2]
        about = _about(call, resource, name)
        live = find_live(context, about)
        if live is not None and _matches(live.value, labels):
            yield about, live


def _about(call: Call, resource: Resource, name: str) -> Call:
    route = replace(
        call.route, group=resource.group, version=resource.version, plural=resource.plural, name=name, subresource=""
    )
    return replace(call, resource=resource, route=route)


def _matches(budget: JsonObject, labels: dict[str, str]) -> bool:
    try:
        return LabelSelector.from_spec(budget["spec"].get("selector")).matches(labels)
    except KonvergeError:
        return False  # a selector that cannot be read chooses nothing


async def _ask(
    context: Context, call: Call, budget: Live, *, pod: JsonObject, options: WriteOptions, is_dry_run: bool
) -> None:
    """Take one disruption from what a budget allows, or refuse."""
    spec, status = budget.value["spec"], budget.value.get("status", {})
    if not _is_ready(pod) and _may_go_unready(spec, status):
        return
    _check(budget.value, status)
    if is_dry_run:
        return
    value = budget.copy(call.resource)
    _take_one(value, pod["metadata"]["name"])
    by_server = replace(options, manager="kube-apiserver")
    value = record_update(call, budget.value, value, by_server, subresource="status")
    await put(context, call, value, live=budget)


def _is_ready(pod: JsonObject) -> bool:
    conditions = pod.get("status", {}).get("conditions") or ()
    return any(each["type"] == "Ready" and each["status"] == "True" for each in conditions)


def _may_go_unready(spec: JsonObject, status: JsonObject) -> bool:
    if spec.get("unhealthyPodEvictionPolicy") == "AlwaysAllow":
        return True
    desired = status.get("desiredHealthy", 0)
    return bool(desired > 0 and status.get("currentHealthy", 0) >= desired)


def _check(budget: JsonObject, status: JsonObject) -> None:
    name, allowed = budget["metadata"]["name"], status.get("disruptionsAllowed", 0)
    if status.get("observedGeneration", 0) < budget["metadata"].get("generation", 0):
        raise _violated(f"The disruption budget {name} is still being processed by the server.", retry_after=10)
    if allowed < 0:
        raise forbidden("poddisruptionbudget", "policy", name, "pdb disruptions allowed is negative")
    if len(status.get("disruptedPods") or ()) > _MOST_DISRUPTED:
        why = "DisruptedPods map too big - too many evictions not confirmed by PDB controller"
        raise forbidden("poddisruptionbudget", "policy", name, why)
    if allowed == 0:
        raise _violated(_why_none(name, status))


def _violated(cause: str, *, retry_after: int = 0) -> Failure:
    causes = [{"reason": "DisruptionBudget", "message": cause}]
    return Failure(429, "TooManyRequests", _VIOLATED, details={"causes": causes}, retry_after=retry_after)


def _why_none(name: str, status: JsonObject) -> str:
    conditions: list[dict[str, Any]] = status.get("conditions") or []
    found = next((each for each in conditions if each["type"] == "DisruptionAllowed"), {})
    told = found.get("message", "") if found.get("status") == "False" else ""
    desired, current = status.get("desiredHealthy", 0), status.get("currentHealthy", 0)
    subject = f"The disruption budget {name}"
    if told and found.get("reason") == "SyncFailed":
        return f"{subject} does not allow evicting pods currently because it failed sync: {told}"
    if current <= desired:
        return f"{subject} needs {desired} healthy pods and has {current} currently"
    reason = f" ({found.get('reason', '')}): {told}" if told else ""
    return f"{subject} does not allow evicting pods currently{reason}"


def _take_one(budget: JsonObject, pod: str) -> None:
    status = budget.setdefault("status", {})
    status["disruptionsAllowed"] -= 1
    status.setdefault("disruptedPods", {})[pod] = time_now()
    if status["disruptionsAllowed"] == 0:
        _tell_none_left(status)


def _tell_none_left(status: JsonObject) -> None:
    conditions = status.setdefault("conditions", [])
    told = {
        "type": "DisruptionAllowed",
        "status": "False",
        "reason": "InsufficientPods",
        "message": "",
        "observedGeneration": status.get("observedGeneration", 0),
    }
    for index, old in enumerate(conditions):
        if old["type"] == told["type"]:
            moment = old["lastTransitionTime"] if old["status"] == "False" else time_now()
            conditions[index] = {**told, "lastTransitionTime": moment}
            return
    conditions.append({**told, "lastTransitionTime": time_now()})
