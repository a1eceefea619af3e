"""A question as the API server would ask it, from typed objects: for tests of handlers in process."""

from __future__ import annotations

import msgspec

from konverge.api.kind import GroupVersionKind, GroupVersionResource
from konverge.api.object import Object, write
from konverge.errors import RequestError
from konverge.webhook.admission import AdmissionRequest, UserInfo


def request_for(
    operation: str,
    obj: Object | None = None,
    *,
    old: Object | None = None,
    user: str = "kubernetes-admin",
    groups: tuple[str, ...] = (),
    dry_run: bool = False,
) -> AdmissionRequest:
    """Return a request: CREATE has an object, UPDATE both, DELETE an old one. `admit` answers it."""
    subject = obj or old
    if subject is None or (operation == "DELETE") != (obj is None) or (operation == "CREATE") != (old is None):
        raise RequestError(f"{operation}: CREATE takes an object, UPDATE an object and old=, DELETE only old=")
    gvk: GroupVersionKind = subject.gvk
    resource = getattr(type(subject), "__resource__", None)
    return AdmissionRequest(
        uid="in-process",
        kind=gvk,
        resource=GroupVersionResource(gvk.group, gvk.version, resource.plural if resource else gvk.kind.lower()),
        operation=operation,
        name=subject.metadata.name or "",
        namespace=subject.metadata.namespace or "",
        user_info=UserInfo(username=user, groups=groups),
        object=_raw(obj),
        old_object=_raw(old),
        dry_run=dry_run,
    )


def _raw(obj: Object | None) -> msgspec.Raw:
    return msgspec.Raw(b"null" if obj is None else write(obj))
