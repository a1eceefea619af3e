"""Children: the objects that a Tenant asks for. Pure."""

import konverge as kv
from konverge.models import core_v1, rbac_v1

from tenant.api.v1.tenant import Tenant
from tenant.rights import rules_of

LABEL = "tenant.example.com/tenant"
RBAC = "rbac.authorization.k8s.io"


def namespaces_of(tenant: Tenant) -> list[core_v1.Namespace]:
    """Return its namespaces, with a label that says whose they are."""
    labels = {LABEL: tenant.metadata.name or ""}
    names = [f"{tenant.metadata.name}-{suffix}" for suffix in tenant.spec.namespaces]
    return [core_v1.Namespace(metadata=kv.ObjectMeta(name=name, labels=labels)) for name in names]


def cluster_role_of(tenant: Tenant) -> rbac_v1.ClusterRole:
    """Return the role of its admins."""
    return rbac_v1.ClusterRole(metadata=kv.ObjectMeta(name=role_name(tenant)), rules=rules_of(tenant))


def role_binding_of(tenant: Tenant, namespace: str) -> rbac_v1.RoleBinding:
    """Return what gives the role to its admins, in one namespace."""
    return rbac_v1.RoleBinding(
        metadata=kv.ObjectMeta(name="tenant-admins", namespace=namespace),
        role_ref=rbac_v1.RoleRef(api_group=RBAC, kind="ClusterRole", name=role_name(tenant)),
        subjects=[rbac_v1.Subject(api_group=RBAC, kind="User", name=name) for name in tenant.spec.admins or []],
    )


def role_name(tenant: Tenant) -> str:
    """Return the name of the role of its admins."""
    return f"tenant-{tenant.metadata.name}-admin"
