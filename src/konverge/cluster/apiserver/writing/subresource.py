"""What a POST to a subresource does: a pod is bound to a node, or evicted from it; a token is given out."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import cache
from typing import Final

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.apply.field_manager import FieldManager
from konverge.cluster.apiserver.builtin.admission.topology_labels import label_binding
from konverge.cluster.apiserver.call import Call, Outcome
from konverge.cluster.apiserver.context import Context
from konverge.cluster.apiserver.failure import Failure, bad_request, conflict, method_not_supported, not_found
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.go_text import quoted
from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.writing.admission import admission_of, judge, mutate_part
from konverge.cluster.apiserver.writing.decode import decode_object
from konverge.cluster.apiserver.writing.eviction import evict
from konverge.cluster.apiserver.writing.expected import built_in
from konverge.cluster.apiserver.writing.live import Live, find_live, put
from konverge.cluster.apiserver.writing.namespaces import check_namespace, set_namespace
from konverge.cluster.apiserver.writing.object_meta import metadata_of
from konverge.cluster.apiserver.writing.options import WriteOptions
from konverge.cluster.apiserver.writing.pod_condition import set_condition
from konverge.cluster.apiserver.writing.token_request import request_token

_BINDING: Final = built_in("io.k8s.api.core.v1.Binding", "v1")


async def create_subresource(context: Context, call: Call, options: WriteOptions) -> Outcome:
    """Answer a POST to a subresource."""
    run = _CREATES.get((call.resource.group, call.resource.plural, call.route.subresource))
    if run is None:
        raise method_not_supported(call.resource.plural, call.resource.group, "create")
    return await run(context, call, options)


def _done(status: int = 201) -> Outcome:
    value = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": status}
    return Outcome(status=status, value=value, is_own_kind=False)


# --- binding ---


async def bind(context: Context, call: Call, options: WriteOptions) -> Outcome:
    """Bind a pod to a node, by its own subresource or by the old collection of bindings."""
    binding = decode_object(call, options.field_validation, _BINDING)
    metadata = metadata_of(binding)
    name = call.route.name or metadata.get("name", "")
    pods = _of_pods(context, call, name)
    set_namespace(pods, metadata)
    check_namespace(context, pods, name, is_create=True)
    if context.admission.mutates or context.admission.validates:
        binding = _recorded(call, binding, options)  # nobody else sees it
    if call.route.subresource:
        label_binding(admission_of(context, call, binding, None))
    await mutate_part(context, call, binding, options)
    metadata = metadata_of(binding)
    if metadata.get("name", "") != name:
        raise bad_request("name in URL does not match name in Binding object")
    if errors := _binding_errors(binding):
        shown = ", ".join(str(error) for error in errors)
        raise Failure(500, "", shown if len(errors) == 1 else f"[{shown}]")
    await judge(context, call, binding, options)
    if not name:
        raise bad_request("Name parameter required.")
    live = find_live(context, pods)
    if live is None:
        raise not_found("pods", "", name)
    value = _bound(pods, live, binding)
    if not options.is_dry_run:
        await put(context, pods, value, live=live)
    return _done()


@cache
def _binding_fields() -> FieldManager:
    # The rules of some kinds need the write side's own, so they cannot be imported from here.
    from konverge.cluster.apiserver.builtin import strategy  # noqa: PLC0415 - see above

    return strategy.BuiltinStrategy("", "v1", "Binding").field_manager


def _recorded(call: Call, binding: JsonObject, options: WriteOptions) -> JsonObject:
    where = call.route.subresource
    return _binding_fields().update(None, binding, manager=options.manager, subresource=where, time=options.time)


def _of_pods(context: Context, call: Call, name: str) -> Call:
    """Return the call as one about a pod."""
    pods = context.resources.find("", "v1", "pods")
    if pods is None:
        raise not_found("pods", "", name)
    return replace(call, resource=pods, route=replace(call.route, plural="pods", name=name))


def _binding_errors(binding: JsonObject) -> list[FieldError]:
    target = binding.get("target", {})
    errors = []
    if target.get("kind", "") not in ("", "Node"):
        errors.append(field_error.not_supported("target.kind", target["kind"], ["Node", "<empty>"], is_plain=True))
    if not target.get("name"):
        errors.append(field_error.required("target.name"))
    return errors


def _bound(call: Call, live: Live, binding: JsonObject) -> JsonObject:
    name, metadata = call.route.name, binding["metadata"]
    _check_binding_preconditions(live, metadata)
    value = live.copy(call.resource)
    spec, own = value["spec"], value["metadata"]
    if why := _unbindable(value):
        raise conflict("pods/binding", "", name, f"pod {name} {why}")
    spec["nodeName"] = binding["target"]["name"]
    for part in ("annotations", "labels"):
        if metadata.get(part):
            own[part] = {**own.get(part, {}), **metadata[part]}
    status = value.setdefault("status", {})
    status.pop("nominatedNodeName", None)
    set_condition(status, {"type": "PodScheduled", "status": "True"})
    return value


def _unbindable(pod: JsonObject) -> str:
    if "deletionTimestamp" in pod["metadata"]:
        return "is being deleted, cannot be assigned to a host"
    if node := pod["spec"].get("nodeName"):
        return f"is already assigned to node {quoted(node)}"
    return "has non-empty .spec.schedulingGates" if pod["spec"].get("schedulingGates") else ""


def _check_binding_preconditions(live: Live, metadata: JsonObject) -> None:
    for name, title in (("uid", "UID"), ("resourceVersion", "ResourceVersion")):
        wanted, found = metadata.get(name), live.metadata[name]
        if wanted and wanted != found:
            why = f"Precondition failed: {title} in precondition: {wanted}, {title} in object meta: {found}"
            raise conflict("pods", "", live.metadata["name"], why)


_CREATES: Final[dict[tuple[str, str, str], Callable[[Context, Call, WriteOptions], Awaitable[Outcome]]]] = {
    ("", "pods", "binding"): bind,
    ("", "pods", "eviction"): evict,
    ("", "serviceaccounts", "token"): request_token,
}
