"""Kubernetes' authorizer: `authorizer.group("apps").resource("deployments").namespace("a").check("get").allowed()`.

Rules of custom resources have no authorizer to ask; expressions of admission have one in `authorizer`. Whom it asks is
a port: a function of a question to an answer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final, Protocol

from konverge.cluster.apiserver.cel.cel_error import CelError, no_such_overload
from konverge.cluster.apiserver.cel.declarations import Function, function, member
from konverge.cluster.apiserver.cel.library.binding import Bindings
from konverge.cluster.apiserver.cel.types import BOOL, STRING, struct
from konverge.cluster.apiserver.name_rules import dns_label, dns_subdomain

AUTHORIZER: Final = struct("kubernetes.authorization.Authorizer")
_PATH: Final = struct("kubernetes.authorization.PathCheck")
_GROUP: Final = struct("kubernetes.authorization.GroupCheck")
RESOURCE_CHECK: Final = struct("kubernetes.authorization.ResourceCheck")
_DECISION: Final = struct("kubernetes.authorization.Decision")

FUNCTIONS: Final[tuple[Function, ...]] = (
    function("path", member("authorizer_path", [AUTHORIZER, STRING], _PATH)),
    function("group", member("authorizer_group", [AUTHORIZER, STRING], _GROUP)),
    function("serviceAccount", member("authorizer_serviceaccount", [AUTHORIZER, STRING, STRING], AUTHORIZER)),
    function("resource", member("groupcheck_resource", [_GROUP, STRING], RESOURCE_CHECK)),
    function("subresource", member("resourcecheck_subresource", [RESOURCE_CHECK, STRING], RESOURCE_CHECK)),
    function("namespace", member("resourcecheck_namespace", [RESOURCE_CHECK, STRING], RESOURCE_CHECK)),
    function("name", member("resourcecheck_name", [RESOURCE_CHECK, STRING], RESOURCE_CHECK)),
    function(
        "check",
        member("pathcheck_check", [_PATH, STRING], _DECISION),
        member("resourcecheck_check", [RESOURCE_CHECK, STRING], _DECISION),
    ),
    function("errored", member("decision_errored", [_DECISION], BOOL)),
    function("error", member("decision_error", [_DECISION], STRING)),
    function("allowed", member("decision_allowed", [_DECISION], BOOL)),
    function("reason", member("decision_reason", [_DECISION], STRING)),
)
SELECTORS: Final[tuple[Function, ...]] = (
    function("fieldSelector", member("authorizer_fieldselector", [RESOURCE_CHECK, STRING], RESOURCE_CHECK)),
    function("labelSelector", member("authorizer_labelselector", [RESOURCE_CHECK, STRING], RESOURCE_CHECK)),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What an expression asks: may they do this? A path, or a resource."""

    account: tuple[str, str] | None = None  # namespace and name of a service account; None: who made the request
    verb: str = ""
    path: str = ""
    group: str = ""
    resource: str = ""
    subresource: str = ""
    namespace: str = ""
    name: str = ""


class Answer(Protocol):
    """Whether they may, and why."""

    @property
    def is_allowed(self) -> bool:
        """Whether it is allowed."""
        ...

    @property
    def reason(self) -> str:
        """Why, in the authorizer's words."""
        ...


Ask = Callable[[Question], Answer]


class _Value:
    """A value that only has functions."""

    __slots__ = ()

    def same(self, other: Any) -> bool:
        """Say that such values cannot be compared."""
        del other
        raise no_such_overload()


@dataclass(frozen=True, slots=True)
class AuthorizerValue(_Value):
    """`authorizer`: as whom is asked."""

    CEL_TYPE: ClassVar[str] = AUTHORIZER.name

    ask: Ask
    question: Question = Question()


@dataclass(frozen=True, slots=True)
class PathCheckValue(_Value):
    """A path that is asked about."""

    CEL_TYPE: ClassVar[str] = _PATH.name

    ask: Ask
    question: Question


@dataclass(frozen=True, slots=True)
class GroupCheckValue(_Value):
    """A group whose resources are asked about."""

    CEL_TYPE: ClassVar[str] = _GROUP.name

    ask: Ask
    question: Question


@dataclass(frozen=True, slots=True)
class ResourceCheckValue(_Value):
    """A resource that is asked about."""

    CEL_TYPE: ClassVar[str] = RESOURCE_CHECK.name

    ask: Ask
    question: Question


@dataclass(frozen=True, slots=True)
class DecisionValue(_Value):
    """What the authorizer said."""

    CEL_TYPE: ClassVar[str] = _DECISION.name

    answer: Answer


def _path(authorizer: AuthorizerValue, path: str) -> PathCheckValue:
    if not path.strip():
        raise CelError("path must not be empty")
    return PathCheckValue(authorizer.ask, replace(authorizer.question, path=path))


def _group(authorizer: AuthorizerValue, group: str) -> GroupCheckValue:
    return GroupCheckValue(authorizer.ask, replace(authorizer.question, group=group))


def _service_account(authorizer: AuthorizerValue, namespace: str, name: str) -> AuthorizerValue:
    if dns_subdomain(name):
        raise CelError("Invalid service account name")
    if dns_label(namespace):
        raise CelError("Invalid service account namespace")
    return AuthorizerValue(authorizer.ask, replace(authorizer.question, account=(namespace, name)))


def _resource(group: GroupCheckValue, resource: str) -> ResourceCheckValue:
    if not resource.strip():
        raise CelError("resource must not be empty")
    return ResourceCheckValue(group.ask, replace(group.question, resource=resource))


def _narrowed(field: str) -> Callable[[ResourceCheckValue, str], ResourceCheckValue]:
    def narrow(check: ResourceCheckValue, value: str) -> ResourceCheckValue:
        narrower: dict[str, Any] = {field: value}
        return ResourceCheckValue(check.ask, replace(check.question, **narrower))

    return narrow


def _check(check: PathCheckValue | ResourceCheckValue, verb: str) -> DecisionValue:
    return DecisionValue(check.ask(replace(check.question, verb=verb)))


def _unselective(check: ResourceCheckValue, selector: str) -> ResourceCheckValue:
    del selector  # roles do not look at selectors
    return check


BINDINGS: Final[Bindings] = {
    "authorizer_path": _path,
    "authorizer_group": _group,
    "authorizer_serviceaccount": _service_account,
    "groupcheck_resource": _resource,
    "resourcecheck_subresource": _narrowed("subresource"),
    "resourcecheck_namespace": _narrowed("namespace"),
    "resourcecheck_name": _narrowed("name"),
    "pathcheck_check": _check,
    "resourcecheck_check": _check,
    "decision_errored": lambda _decision: False,
    "decision_error": lambda _decision: "",
    "decision_allowed": lambda decision: decision.answer.is_allowed,
    "decision_reason": lambda decision: decision.answer.reason,
    "authorizer_fieldselector": _unselective,
    "authorizer_labelselector": _unselective,
}
