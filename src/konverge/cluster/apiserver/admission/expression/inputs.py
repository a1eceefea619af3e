"""Inputs: what the expressions of one policy or webhook may look at in one write."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from konverge.cluster.apiserver.access.attempt import Attempt
from konverge.cluster.apiserver.access.authorization import Authorization, Decision
from konverge.cluster.apiserver.access.user import User, account_groups, account_name
from konverge.cluster.apiserver.admission.attributes import Attributes, GroupVersionKind
from konverge.cluster.apiserver.admission.expression.declarations import REQUEST_RESOURCE
from konverge.cluster.apiserver.cel.json_view import from_json
from konverge.cluster.apiserver.cel.library.authorizers import AuthorizerValue, Question, ResourceCheckValue
from konverge.cluster.apiserver.strategy import JsonObject

_OF_NAMESPACES: Final = (
    *("name", "generateName", "namespace", "uid", "resourceVersion", "generation", "creationTimestamp"),
    *("deletionTimestamp", "deletionGracePeriodSeconds", "labels", "annotations", "finalizers"),
)


class MatchedResource(NamedTuple):
    """In which version a policy or webhook wants to see a write: the request's own, or an equivalent one."""

    group: str
    version: str
    plural: str
    kind: GroupVersionKind


class Inputs:
    """The variables of one write: those of `Attributes`, in the version that was matched, and the parameters."""

    def __init__(
        self,
        attributes: Attributes,
        matched: MatchedResource,
        *,
        value: JsonObject | None,
        old: JsonObject | None,
        authorization: Authorization | None = None,
        namespace: JsonObject | None = None,
        params: JsonObject | None = None,
    ) -> None:
        self._attributes = attributes
        self._authorization = authorization
        self.variables: dict[str, Any] = {
            "object": from_json(value),
            "oldObject": from_json(old),
            "params": from_json(params),
            "request": from_json(admission_request(attributes, matched)),
            "namespaceObject": from_json(shown_namespace(namespace)),
        }
        if authorization is not None:
            self.variables |= self._authorizers()

    def _authorizers(self) -> dict[str, Any]:
        attributes = self._attributes
        own = Question(
            group=attributes.resource.group,
            resource=attributes.resource.plural,
            subresource=attributes.subresource,
            namespace=attributes.namespace,
            name=attributes.name,
        )
        return {"authorizer": AuthorizerValue(self._ask), REQUEST_RESOURCE: ResourceCheckValue(self._ask, own)}

    def without_authorizer(self) -> dict[str, Any]:
        """Return the variables of an expression that may not ask the authorizer."""
        return {name: value for name, value in self.variables.items() if not name.startswith("authorizer")}

    def _ask(self, question: Question) -> Decision:
        assert self._authorization is not None  # noqa: S101 - there is no authorizer to call otherwise
        user = self._attributes.user
        if question.account is not None:
            namespace, name = question.account
            user = User(account_name(namespace, name), account_groups(namespace))
        return self._authorization.decide(user, _attempt(question))


def _attempt(question: Question) -> Attempt:
    return Attempt(
        verb=question.verb,
        is_resource=not question.path,
        group=question.group,
        resource=question.resource,
        subresource=question.subresource,
        namespace=question.namespace,
        name=question.name,
        path=question.path,
    )


def admission_request(attributes: Attributes, matched: MatchedResource) -> JsonObject:
    """Return the AdmissionRequest of a write, without its objects."""
    resource, kind = attributes.resource, attributes.kind
    optional = {
        "subResource": attributes.subresource,
        "requestSubResource": attributes.subresource,
        "name": attributes.name,
        "namespace": attributes.namespace,
    }
    return {
        "uid": "",
        "kind": matched.kind._asdict(),
        "resource": {"group": matched.group, "version": matched.version, "resource": matched.plural},
        "requestKind": kind._asdict(),
        "requestResource": {"group": resource.group, "version": resource.version, "resource": resource.plural},
        **{name: text for name, text in optional.items() if text},
        "operation": str(attributes.operation),
        "userInfo": attributes.user.info(),
        "dryRun": attributes.is_dry_run,
        "options": attributes.options,
    }


def shown_namespace(namespace: Mapping[str, Any] | None) -> JsonObject | None:
    """Return what expressions see of a namespace."""
    if namespace is None:
        return None
    metadata = {name: namespace["metadata"][name] for name in _OF_NAMESPACES if name in namespace["metadata"]}
    return {"metadata": metadata, "spec": namespace.get("spec") or {}, "status": namespace.get("status") or {}}
