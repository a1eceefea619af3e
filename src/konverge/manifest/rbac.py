"""RBAC: the service account of an operator, the roles it has, and the roles that users of its kinds may be given.

Each role has the rules that `rules` makes and no more. What is declared for one namespace is a Role there.
"""

from __future__ import annotations

from typing import Any, Final

from msgspec import structs

from konverge.api.rbac import Grant
from konverge.manifest.operator import Operator, OwnKind
from konverge.manifest.rules import READ, WRITE, policy_rules

Json = dict[str, Any]
ACCOUNT: Final = "controller-manager"
_GROUP: Final = "rbac.authorization.k8s.io"
_VERSION: Final = f"{_GROUP}/v1"
_LEASES: Final = "coordination.k8s.io"
_USERS: Final = {"admin": ("*",), "editor": WRITE, "viewer": READ}


def service_account(operator: Operator) -> Json:
    """Return who the operator is."""
    return operator.named("ServiceAccount", ACCOUNT, namespace=operator.namespace)


# --- what the operator may do ---


def roles(operator: Operator) -> list[Json]:
    """Return its ClusterRole, and a Role for each namespace that something is allowed in alone."""
    found = []
    for namespace in sorted({grant.namespace for grant in operator.grants}):
        role = _role(operator, "manager-role", namespace)
        role["rules"] = policy_rules(grant for grant in operator.grants if grant.namespace == namespace)
        found.append(role)
    return found


def role_bindings(operator: Operator) -> list[Json]:
    """Return what gives these roles to the operator."""
    namespaces = sorted({grant.namespace for grant in operator.grants})
    return [_binding(operator, "manager-role", namespace) for namespace in namespaces]


def leader_election_role(operator: Operator) -> Json:
    """Return what electing a leader takes: its own Lease and no other, but for the making of one."""
    making = Grant(groups=(_LEASES,), resources=("leases",), verbs=("create",))
    holding = structs.replace(making, verbs=("get", "update"), names=(operator.lease,))
    role = _role(operator, "leader-election-role", _lease_namespace(operator))
    role["rules"] = policy_rules([making, holding])
    return role


def leader_election_binding(operator: Operator) -> Json:
    """Return what gives it to the operator."""
    return _binding(operator, "leader-election-role", _lease_namespace(operator))


def _lease_namespace(operator: Operator) -> str:
    return operator.lease_namespace or operator.namespace


def _role(operator: Operator, part: str, namespace: str) -> Json:
    kind = "Role" if namespace else "ClusterRole"
    return operator.named(kind, part, api_version=_VERSION, namespace=namespace)


def _binding(operator: Operator, part: str, namespace: str) -> Json:
    role = _role(operator, part, namespace)
    found = operator.named(f"{role['kind']}Binding", f"{part}binding", api_version=_VERSION, namespace=namespace)
    found["roleRef"] = {"apiGroup": _GROUP, "kind": role["kind"], "name": role["metadata"]["name"]}
    account = {"kind": "ServiceAccount", "name": f"{operator.name}-{ACCOUNT}", "namespace": operator.namespace}
    found["subjects"] = [account]
    return found


# --- what users may do ---


def user_roles(operator: Operator, kind: OwnKind) -> dict[str, Json]:
    """Return the roles "admin", "editor" and "viewer" of a kind; nobody has them until somebody binds them."""
    return {name: _user_role(operator, kind, name, verbs=verbs) for name, verbs in _USERS.items()}


def _user_role(operator: Operator, kind: OwnKind, name: str, *, verbs: tuple[str, ...]) -> Json:
    definition = kind.stored
    wanted = [Grant(groups=(definition.group,), resources=(definition.plural,), verbs=verbs)]
    if definition.status:
        status = f"{definition.plural}/status"
        wanted.append(Grant(groups=(definition.group,), resources=(status,), verbs=("get",)))
    role = operator.named("ClusterRole", f"{definition.singular}-{name}-role", api_version=_VERSION)
    role["rules"] = policy_rules(wanted)
    return role
