"""Kubernetes' authorizer: declared, so that a name of it is told apart from an unknown one, and nothing more.

No rule of a custom resource has an authorizer to ask, so there is nothing to bind.
"""

from __future__ import annotations

from typing import Final

from konverge.cluster.apiserver.cel.declarations import Function, function, member
from konverge.cluster.apiserver.cel.types import BOOL, STRING, struct

_AUTHORIZER: Final = struct("kubernetes.authorization.Authorizer")
_PATH: Final = struct("kubernetes.authorization.PathCheck")
_GROUP: Final = struct("kubernetes.authorization.GroupCheck")
_RESOURCE: Final = struct("kubernetes.authorization.ResourceCheck")
_DECISION: Final = struct("kubernetes.authorization.Decision")

FUNCTIONS: Final[tuple[Function, ...]] = (
    function("path", member("authorizer_path", [_AUTHORIZER, STRING], _PATH)),
    function("group", member("authorizer_group", [_AUTHORIZER, STRING], _GROUP)),
    function("serviceAccount", member("authorizer_serviceaccount", [_AUTHORIZER, STRING, STRING], _AUTHORIZER)),
    function("resource", member("groupcheck_resource", [_GROUP, STRING], _RESOURCE)),
    function("subresource", member("resourcecheck_subresource", [_RESOURCE, STRING], _RESOURCE)),
    function("namespace", member("resourcecheck_namespace", [_RESOURCE, STRING], _RESOURCE)),
    function("name", member("resourcecheck_name", [_RESOURCE, STRING], _RESOURCE)),
    function(
        "check",
        member("pathcheck_check", [_PATH, STRING], _DECISION),
        member("resourcecheck_check", [_RESOURCE, STRING], _DECISION),
    ),
    function("errored", member("decision_errored", [_DECISION], BOOL)),
    function("error", member("decision_error", [_DECISION], STRING)),
    function("allowed", member("decision_allowed", [_DECISION], BOOL)),
    function("reason", member("decision_reason", [_DECISION], STRING)),
)
SELECTORS: Final[tuple[Function, ...]] = (
    function("fieldSelector", member("authorizer_fieldselector", [_RESOURCE, STRING], _RESOURCE)),
    function("labelSelector", member("authorizer_labelselector", [_RESOURCE, STRING], _RESOURCE)),
)
