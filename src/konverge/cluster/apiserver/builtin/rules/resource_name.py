"""The names of resources, such as cpu: which are known, which a container can have, and which are counted whole."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from konverge.api.quantity import Quantity
from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.name_rules import qualified_name

_OF_CONTAINERS: Final = ("cpu", "memory", "ephemeral-storage")
_COUNTED: Final = (
    *("pods", "resourcequotas", "services", "replicationcontrollers", "secrets", "configmaps"),
    *("persistentvolumeclaims", "services.nodeports", "services.loadbalancers"),
)
_OF_QUOTAS: Final = (
    *_OF_CONTAINERS,
    *_COUNTED,
    *("requests.cpu", "requests.memory", "requests.storage", "requests.ephemeral-storage"),
    *("limits.cpu", "limits.memory", "limits.ephemeral-storage"),
)
_HUGE: Final = "hugepages-"
_HUGE_IN_QUOTAS: Final = (_HUGE, f"requests.{_HUGE}")
_THOUSAND: Final = 1000


def resource_errors(name: str, path: str) -> Iterator[FieldError]:
    """Judge the name of any resource."""
    wrong = qualified_name(name)
    yield from (field_error.invalid(path, field_error.named(name), text) for text in wrong)
    if not wrong and "/" not in name and name != "storage" and not is_quota_resource(name):
        yield field_error.invalid(path, field_error.named(name), "must be a standard resource type or fully qualified")


def container_resource_errors(name: str, path: str) -> Iterator[FieldError]:
    """Judge the name of a resource that a container can have."""
    yield from resource_errors(name, path)
    if "/" not in name:
        if name not in _OF_CONTAINERS and not name.startswith(_HUGE):
            yield field_error.invalid(path, field_error.named(name), "must be a standard resource for containers")
    elif not is_native(name) and not is_extended(name):
        yield field_error.invalid(path, field_error.named(name), "doesn't follow extended resource name standard")


def quota_resource_errors(name: str, path: str) -> Iterator[FieldError]:
    """Judge the name of a resource that a quota can limit."""
    yield from resource_errors(name, path)
    if "/" not in name and not is_quota_resource(name):
        yield field_error.invalid(path, field_error.named(name), "must be a standard resource for quota")


def is_quota_resource(name: str) -> bool:
    """Whether quotas know a resource by its name alone."""
    return name in _OF_QUOTAS or name.startswith(_HUGE_IN_QUOTAS)


def may_overcommit(name: str) -> bool:
    """Whether more of a resource may be promised than there is."""
    return is_native(name) and not name.startswith(_HUGE)


def amount_errors(name: str, amount: Quantity, path: str) -> Iterator[FieldError]:
    """Judge how much of a resource is meant."""
    if amount < 0:
        yield field_error.invalid(path, str(amount), "must be greater than or equal to 0")
    if (name in _COUNTED or is_extended(name)) and amount.milli_value() % _THOUSAND:
        yield field_error.invalid(path, str(amount), "must be an integer")


def is_native(name: str) -> bool:
    """Whether a resource is one of Kubernetes' own."""
    return "/" not in name or "kubernetes.io/" in name


def is_extended(name: str) -> bool:
    """Whether this can be the name of a resource that a node offers beyond those of Kubernetes."""
    return not is_native(name) and not name.startswith("requests.") and not qualified_name(f"requests.{name}")
