"""Which answers can be had as a table: those about stored objects, and of their parts those that Kubernetes prints."""

from __future__ import annotations

from typing import Final

from konverge.cluster.apiserver.resource import Resource

_SUBRESOURCES_WITHOUT: Final = frozenset(
    {
        "approval",
        "attach",
        "binding",
        "ephemeralcontainers",
        "eviction",
        "exec",
        "finalize",
        "log",
        "portforward",
        "proxy",
        "resize",
        "token",
    }
)
_STATUSES_WITHOUT: Final = frozenset(
    (
        ("apiextensions.k8s.io", "customresourcedefinitions"),
        ("apiregistration.k8s.io", "apiservices"),
        ("resource.k8s.io", "resourceclaims"),
    )
)


def offers_table(resource: Resource, subresource: str) -> bool:
    """Whether the answer to a request about a resource, or about a part of one, has a form as a table."""
    if not subresource:
        return "list" in resource.verbs  # a review, for one, is made and never kept
    if subresource == "status":
        return (resource.group, resource.plural) not in _STATUSES_WITHOUT
    return subresource not in _SUBRESOURCES_WITHOUT or resource.is_custom
