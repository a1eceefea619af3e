"""Claims of a pod on devices: each has a name of its own and one source; containers use them by name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.rules.go_order import in_go_order
from konverge.cluster.apiserver.field_error import Fault, FieldError
from konverge.cluster.apiserver.name_rules import dns_label, dns_subdomain
from konverge.cluster.apiserver.strategy import JsonObject


def pod_claim_errors(claims: list[JsonObject], path: str) -> Iterator[FieldError]:
    """Judge the claims of a pod."""
    names: set[str] = set()
    for index, claim in enumerate(claims):
        where, name = f"{path}[{index}]", claim.get("name", "")
        if not name:
            yield field_error.required(f"{where}.name")
        elif name in names:
            yield field_error.duplicate(f"{where}.name", name)
        else:
            yield from (field_error.invalid(f"{where}.name", name, wrong) for wrong in dns_label(name))
        names.add(name)
        yield from _source_errors(claim, where)


def _source_errors(claim: JsonObject, path: str) -> Iterator[FieldError]:
    own, template = claim.get("resourceClaimName"), claim.get("resourceClaimTemplateName")
    shown = {"Name": claim.get("name", ""), "ResourceClaimName": own, "ResourceClaimTemplateName": template}
    if own is not None and template is not None:
        wrong = "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified"
        yield field_error.invalid(path, in_go_order(shown), wrong)
    if own is None and template is None:
        wrong = "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"
        yield field_error.invalid(path, in_go_order(shown), wrong)
    for field, name in (("resourceClaimName", own), ("resourceClaimTemplateName", template)):
        if name is not None:
            yield from (field_error.invalid(f"{path}.{field}", name, wrong) for wrong in dns_subdomain(name))


def used_claim_errors(used: list[JsonObject], path: str, *, claims: list[JsonObject]) -> Iterator[FieldError]:
    """Judge which claims of its pod a container uses."""
    if not used:
        return
    known = {claim["name"] for claim in claims if claim.get("name")}
    listed = f": {', '.join(sorted(known))}" if known else " which is empty"
    unknown = f"must be one of the names in pod.spec.resourceClaims{listed}"  # one text, however many are
    seen: Counter[str] = Counter()
    uses: Counter[str] = Counter()
    for index, claim in enumerate(used):
        where, name = f"{path}[{index}]", claim.get("name", "")
        if not name:
            yield field_error.required(where)
            continue
        yield from _repeated_errors(name, claim.get("request", ""), where, seen=seen, uses=uses)
        if name not in known:
            yield FieldError(Fault.NOT_FOUND, where, name, unknown)


def _repeated_errors(
    name: str, request: str, path: str, *, seen: Counter[str], uses: Counter[str]
) -> Iterator[FieldError]:
    """Judge the use of a claim, or of one request of it, that overlaps with those before; `uses` are of each claim."""
    key = f"{name}/{request}" if request else name
    if name in seen:
        yield field_error.duplicate(path, name)
        return
    if request:
        yield from (field_error.invalid(f"{path}.request", request, wrong) for wrong in dns_label(request))
    yield from (field_error.duplicate(path, key) for _ in range(seen[key] if request else uses[name]))
    if key not in seen:
        seen[key] = 1
        uses[key.partition("/")[0]] += 1
