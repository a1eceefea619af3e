"""Reviews: kinds that are asked and answered in one request, and never stored.

Who am I, may I, may they, what may I, whose token is this.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from konverge.api.invalid import InvalidValue
from konverge.api.label_selector import LabelSelector
from konverge.cluster.apiserver.access import User
from konverge.cluster.apiserver.access.attempt import Attempt, aggregated
from konverge.cluster.apiserver.access.rule import PolicyRule
from konverge.cluster.apiserver.access.tokens import AUDIENCES, BadToken
from konverge.cluster.apiserver.call import Call, Outcome
from konverge.cluster.apiserver.context import Context
from konverge.cluster.apiserver.failure import bad_request, invalid
from konverge.cluster.apiserver.reading.field_fault import field_selector_fault
from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.writing.admission import judge, mutate_part
from konverge.cluster.apiserver.writing.decode import decode_object
from konverge.cluster.apiserver.writing.namespaces import set_namespace
from konverge.cluster.apiserver.writing.object_meta import metadata_of, wipe_system_fields
from konverge.cluster.apiserver.writing.options import WriteOptions
from konverge.cluster.apiserver.writing.ownership import record_update
from konverge.cluster.apiserver.writing.review_errors import review_errors

Review = Callable[[Context, Call, JsonObject, WriteOptions], JsonObject]
_CREATED: Final = 201
_PARTLY: Final = "spec.resourceAttributes.{} {}ignored due to parse error"
_LABEL_OPERATORS: Final = ("In", "NotIn", "Exists", "DoesNotExist")


async def review(context: Context, call: Call, options: WriteOptions) -> Outcome:
    """Answer the POST of a review."""
    value = decode_object(call, options.field_validation)
    metadata = metadata_of(value)
    wipe_system_fields(metadata)
    set_namespace(call, metadata)
    value = record_update(call, None, value, options)
    await mutate_part(context, call, value, options)
    answer = REVIEWS[call.resource.plural](context, call, value, options)
    await judge(context, call, value, options)
    return Outcome(status=_CREATED, value=answer)


# --- may they? ---


def _subject_access(context: Context, call: Call, value: JsonObject, options: WriteOptions) -> JsonObject:  # noqa: ARG001 - as all reviews
    is_local = call.resource.namespaced
    _judge(call, value, has_subject=True, is_local=is_local)
    spec = value["spec"]
    user = User(spec.get("user", ""), tuple(spec.get("groups") or ()), spec.get("uid", ""))
    return {**value, "status": _access(context, user, spec)}


def _own_access(context: Context, call: Call, value: JsonObject, options: WriteOptions) -> JsonObject:  # noqa: ARG001 - as all reviews
    _judge(call, value, has_subject=False)
    return {**value, "status": _access(context, call.user, value["spec"])}


def _judge(call: Call, value: JsonObject, *, has_subject: bool, is_local: bool = False) -> None:
    errors = review_errors(value, has_subject=has_subject, is_local=is_local)
    if errors:  # the real server names no kind here
        raise invalid("", call.resource.group, "", errors)


def _access(context: Context, user: User, spec: JsonObject) -> JsonObject:
    resource = spec.get("resourceAttributes")
    decision = context.access.authorization.decide(user, _attempt(resource, spec))
    status: JsonObject = {"allowed": decision.is_allowed}
    if decision.reason:
        status["reason"] = decision.reason
    if ignored := _ignored_selectors(resource or {}):
        status["evaluationError"] = ignored
    return status


def _attempt(resource: JsonObject | None, spec: JsonObject) -> Attempt:
    if resource is None:
        other = spec["nonResourceAttributes"]
        return Attempt(verb=other.get("verb", ""), is_resource=False, path=other.get("path", ""))
    return Attempt(
        verb=resource.get("verb", ""),
        group=resource.get("group", ""),
        resource=resource.get("resource", ""),
        subresource=resource.get("subresource", ""),
        namespace=resource.get("namespace", ""),
        name=resource.get("name", ""),
    )


def _ignored_selectors(resource: JsonObject) -> str:
    """Say which selectors could not be read; none of them decides anything, with RBAC."""
    told = []
    for name, reads_text, reads in (
        ("fieldSelector", _reads_fields, _reads_field),
        ("labelSelector", _reads_labels, _reads_label),
    ):
        selector = resource.get(name) or {}
        good = [reads(each) for each in selector.get("requirements") or ()]
        if selector.get("rawSelector"):
            good.append(reads_text(selector["rawSelector"]))
        if not all(good):
            told.append(_PARTLY.format(name, "partially " if any(good) else ""))
    return "; ".join(told)


def _reads_fields(text: str) -> bool:
    return not field_selector_fault(text)


def _reads_labels(text: str) -> bool:
    try:
        LabelSelector.parse(text)
    except InvalidValue:
        return False
    return True


def _reads_field(requirement: JsonObject) -> bool:
    return requirement.get("operator") in ("In", "NotIn") and len(requirement.get("values") or ()) == 1


def _reads_label(requirement: JsonObject) -> bool:
    return requirement.get("operator") in _LABEL_OPERATORS


# --- what may I? ---


def _own_rules(context: Context, call: Call, value: JsonObject, options: WriteOptions) -> JsonObject:  # noqa: ARG001 - as all reviews
    namespace = (value.get("spec") or {}).get("namespace", "")
    if not namespace:
        raise bad_request("no namespace on request")
    grants = context.access.authorization.roles.grants(call.user, namespace)
    rules = [grant.rule for grant in grants.found]
    status: JsonObject = {
        "resourceRules": [_resource_rule(rule) for rule in rules if rule.resources],
        "nonResourceRules": [_path_rule(rule) for rule in rules if rule.non_resource_urls],
        "incomplete": False,
    }
    if grants.missing:
        status["evaluationError"] = aggregated(str(role) for role in grants.missing)
    return {"kind": value["kind"], "apiVersion": value["apiVersion"], "metadata": {}, "spec": {}, "status": status}


def _resource_rule(rule: PolicyRule) -> JsonObject:
    parts = {"apiGroups": rule.api_groups, "resources": rule.resources, "resourceNames": rule.resource_names}
    return {"verbs": rule.verbs, **{name: part for name, part in parts.items() if part}}


def _path_rule(rule: PolicyRule) -> JsonObject:
    return {"verbs": rule.verbs, "nonResourceURLs": rule.non_resource_urls}


# --- who is it? ---


def _own_self(context: Context, call: Call, value: JsonObject, options: WriteOptions) -> JsonObject:  # noqa: ARG001 - as all reviews
    return {
        "kind": value["kind"],
        "apiVersion": value["apiVersion"],
        "metadata": {"creationTimestamp": options.time},
        "status": {"userInfo": call.user.info()},
    }


def _token(context: Context, call: Call, value: JsonObject, options: WriteOptions) -> JsonObject:  # noqa: ARG001 - as all reviews
    spec = value.get("spec") or {}
    token = spec.get("token", "")
    if not token:
        raise bad_request("token is required for TokenReview in authentication")
    return {**value, "status": _owner(context, token, spec.get("audiences") or AUDIENCES)}


def _owner(context: Context, token: str, audiences: Any) -> JsonObject:
    try:
        user, shared = context.access.holder(token.partition(" ")[0], audiences)
    except BadToken as error:
        return {"user": {}, "error": str(error)}
    return {"authenticated": True, "user": user.info(), "audiences": list(shared)}


REVIEWS: Final[dict[str, Review]] = {
    "localsubjectaccessreviews": _subject_access,
    "selfsubjectaccessreviews": _own_access,
    "selfsubjectreviews": _own_self,
    "selfsubjectrulesreviews": _own_rules,
    "subjectaccessreviews": _subject_access,
    "tokenreviews": _token,
}
