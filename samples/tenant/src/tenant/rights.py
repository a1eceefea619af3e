"""Rights: what the admins of every tenant may do in its namespaces.

The API server lets nobody hand on what they do not have: who writes a role must be allowed everything in it. So the
operator is allowed this as well, although it never does any of it.
"""

from konverge.models import rbac_v1

from tenant.api.v1.tenant import Tenant

ADMIN = (
    rbac_v1.PolicyRule(api_groups=[""], resources=["pods"], verbs=["delete", "get", "list", "watch"]),
    rbac_v1.PolicyRule(api_groups=["batch"], resources=["jobs"], verbs=["create", "delete", "get", "list"]),
)


def rules_of(tenant: Tenant) -> list[rbac_v1.PolicyRule]:
    """Return what the admins of one tenant may do."""
    more = [
        rbac_v1.PolicyRule(api_groups=right.groups, resources=right.resources, verbs=right.verbs)
        for right in tenant.spec.more_rights or []
    ]
    return [*ADMIN, *more]
