"""What the author of a claim must be allowed to: access as an administrator, allocating, and reporting for a driver.

Access to devices that others use needs a label on the namespace. The status has three writers, each with rights of its
own: the scheduler allocates, a driver tells of its devices, best from the node where they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.access.user import User, split_account
from konverge.cluster.apiserver.builtin.rules.author import Author
from konverge.cluster.apiserver.builtin.rules.device.claim_status import device_id
from konverge.cluster.apiserver.builtin.rules.device.sameness import is_same
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.name_rules import dns_subdomain
from konverge.cluster.apiserver.strategy import JsonObject

_LABEL: Final = "resource.kubernetes.io/admin-access"
_NEEDS_LABEL: Final = f"admin access to devices requires the `{_LABEL}: true` label on the containing namespace"
_NODE_NAME: Final = "authentication.kubernetes.io/node-name"


def claim_author_errors(
    author: Author, value: JsonObject, old: JsonObject | None, subresource: str
) -> Iterator[FieldError]:
    """Judge what the author of a claim or of a template may do; a spec does not change, so it is judged once."""
    if subresource == "status" and old is not None:
        yield from _status_errors(author, value.get("status") or {}, old.get("status") or {})
    elif old is None:
        yield from _admin_errors(author, _asked_exactly(value), "spec.devices.requests")


def _asked_exactly(value: JsonObject) -> list[JsonObject]:
    spec = value.get("spec") or {}
    devices = spec.get("devices") or (spec.get("spec") or {}).get("devices") or {}
    return [request.get("exactly") or {} for request in devices.get("requests") or ()]


def _admin_errors(author: Author, requests: Sequence[JsonObject], path: str) -> Iterator[FieldError]:
    first = _first_admin(requests)
    if first is None:
        return
    labels = author.namespace().get("metadata", {}).get("labels", {})
    if labels.get(_LABEL) != "true":
        yield field_error.forbidden(f"{path}[{first}].adminAccess", _NEEDS_LABEL)


def _first_admin(requests: Sequence[JsonObject]) -> int | None:
    return next((index for index, each in enumerate(requests) if each.get("adminAccess")), None)


def _status_errors(author: Author, status: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    if _first_admin(_results(old)) is None:
        yield from _admin_errors(author, _results(status), "status.allocation.devices.results")
    if any(not is_same(status.get(name), old.get(name)) for name in ("allocation", "reservedFor")):
        verb = author.attempt.verb
        if why := author.refusal(verb=verb, subresource="binding", namespace="", name=""):
            what = "changing status.allocation or status.reservedFor requires"
            right = f'resource="resourceclaims/binding", verb="{verb}" permission'
            yield field_error.forbidden("status.allocation", f"{what} {right}: {why}")
    if status.get("allocation") is not None:
        yield from _driver_errors(author, status, old)


def _results(status: JsonObject) -> list[JsonObject]:
    devices = (status.get("allocation") or {}).get("devices") or {}
    return devices.get("results") or []


def _driver_errors(author: Author, status: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    verbs = _verbs(author, status)
    for driver in sorted(_changed_drivers(status.get("devices") or (), old.get("devices") or ())):
        whys = [
            author.refusal(verb=verb, subresource="driver", namespace=author.attempt.namespace, name=driver)
            for verb in verbs
        ]
        if all(whys):
            right = f'resource="resourceclaims/driver", verb="[{" ".join(verbs)}]" permission'
            yield field_error.forbidden("status.devices", f"changing status.devices requires {right}: {whys[0]}")


def _verbs(author: Author, status: JsonObject) -> list[str]:
    verb, node = author.attempt.verb, _node_of(status)
    anywhere = f"arbitrary-node:{verb}"
    return [f"associated-node:{verb}", anywhere] if node and _runs_on(author.user, node) else [anywhere]


def _node_of(status: JsonObject) -> str:
    """Return the one node that an allocation is for; empty where it may be another."""
    selector = (status.get("allocation") or {}).get("nodeSelector") or {}
    terms: list[JsonObject] = selector.get("nodeSelectorTerms") or []
    if len(terms) != 1 or terms[0].get("matchExpressions"):
        return ""
    fields: list[JsonObject] = terms[0].get("matchFields") or []
    if len(fields) != 1 or fields[0].get("key") != "metadata.name" or fields[0].get("operator") != "In":
        return ""
    values: list[str] = fields[0].get("values") or []
    return values[0] if len(values) == 1 else ""


def _runs_on(user: User, node: str) -> bool:
    """Whether a service account has shown a token of a pod on a node."""
    names = user.extra.get(_NODE_NAME, ())
    return split_account(user.name) is not None and tuple(names) == (node,) and not dns_subdomain(node)


def _changed_drivers(devices: Sequence[JsonObject], old: Sequence[JsonObject]) -> set[str]:
    """Return the drivers of which a report was added, changed or taken away."""
    now, before = ({device_id(each): each for each in every} for every in (devices, old))
    return {
        key[0] for key in {**now, **before} if key not in now or key not in before or not is_same(now[key], before[key])
    }
