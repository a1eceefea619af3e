"""Rules: from what controllers touch and declare to RBAC's policy rules, merged and sorted as controller-gen does.

What follows from a builder:

- `for_`: read, update and patch the objects; read and write their status, where there is one; set their finalizers,
  which an owner reference that blocks deletion needs, too
- `owns`: every verb on single objects
- `watches`: read
- every controller: create and patch events

An author who knows better says so: `@kv.rbac(…, only=True)` takes the place of what would follow for its resources.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from msgspec import structs

from konverge import models
from konverge.api.access import Access
from konverge.api.form import Form
from konverge.api.kind import Resource
from konverge.api.plural import plural_of
from konverge.api.rbac import Grant
from konverge.errors import RequestError

Json = dict[str, Any]
Namespaces = Callable[[Form[Any] | None], tuple[str, ...]]
"""The namespaces in which a kind (None: kinds in general) is held by the cache; none: all."""

READ: Final = ("get", "list", "watch")
CHANGE: Final = (*READ, "patch", "update")
WRITE: Final = ("create", "delete", *CHANGE)


def everywhere(form: Form[Any] | None) -> tuple[str, ...]:  # noqa: ARG001 - the answer for every kind
    """Say of each kind that it is held in all namespaces."""
    return ()


def grants(accesses: Iterable[Access], *, namespaces: Namespaces = everywhere) -> list[Grant]:
    """Return all that controllers need: what follows from their kinds, and what they declare."""
    return [grant for access in accesses for grant in _of(access, namespaces)]


def _of(access: Access, namespaces: Namespaces) -> Iterator[Grant]:
    """Yield what follows from the kinds, cut to what is declared with `only`, and the other declarations."""
    cuts = {(group, name): cut for cut in access.declared if cut.only for group in cut.groups for name in cut.resources}
    known = [(grant, cuts.get(_place(grant))) for grant in _known(access, namespaces)]
    if strays := [place for place in cuts if place not in [_place(grant) for grant, _ in known]]:
        raise RequestError(
            f"@kv.rbac of {strays[0][1]} with only=True: this controller neither reconciles, owns nor watches it in "
            f'the group "{strays[0][0]}", so there is nothing to cut: leave only out, or mend the name'
        )
    yield from (structs.replace(grant, verbs=cut.verbs) if cut else grant for grant, cut in known if not _is_none(cut))
    yield from (grant for grant in access.declared if not grant.only)


def _place(grant: Grant) -> tuple[str, str]:
    """Group and resource of a grant that follows from a kind: it has one of each."""
    return grant.groups[0], grant.resources[0]


def _is_none(cut: Grant | None) -> bool:
    return cut is not None and not cut.verbs


def _known(access: Access, namespaces: Namespaces) -> Iterator[Grant]:
    main = access.reconciles
    if main is not None:
        yield from _reconciled(main, namespaces)
    for form in access.owns:
        yield from _on(form, WRITE, namespaces=namespaces)
    for form in access.watches:
        yield from _on(form, READ, namespaces=namespaces)
    events = Grant(groups=("events.k8s.io",), resources=("events",), verbs=("create", "patch"))
    # Events of objects without a namespace are in the namespace "default", which may be none of the cache's.
    is_spread = main is None or _resource(main).namespaced
    yield from _placed(events, namespaces(main) if is_spread else ())


def _reconciled(form: Form[Any], namespaces: Namespaces) -> Iterator[Grant]:
    yield from _on(form, CHANGE, namespaces=namespaces)
    yield from _on(form, ("update",), "finalizers", namespaces=namespaces)
    # Of a kind that only discovery knows, whether there is a status is not known: most kinds have one.
    if form.resource is None or "status" in _resource(form).subresources:
        yield from _on(form, ("get", "patch", "update"), "status", namespaces=namespaces)


def _on(form: Form[Any], verbs: tuple[str, ...], part: str = "", *, namespaces: Namespaces) -> Iterator[Grant]:
    resource = _resource(form)
    plural = f"{resource.plural}/{part}" if part else resource.plural
    grant = Grant(groups=(resource.group,), resources=(plural,), verbs=verbs)
    return _placed(grant, namespaces(form) if resource.namespaced else ())


def _placed(grant: Grant, namespaces: tuple[str, ...]) -> Iterator[Grant]:
    return (structs.replace(grant, namespace=namespace) for namespace in namespaces or ("",))


def _resource(form: Form[Any]) -> Resource:
    """How a kind is addressed; of one that only discovery knows, as its name would have it."""
    found = form.resource
    if found is None and (built_in := models.find(form.gvk)) is not None:
        found = built_in.__resource__
    if found is not None:
        return found
    gvk = form.gvk
    return Resource(group=gvk.group, version=gvk.version, kind=gvk.kind, plural=plural_of(gvk.kind), namespaced=True)


# --- merging ---


def policy_rules(wanted: Iterable[Grant]) -> list[Json]:
    """Return the rules of one role: as few as say it, in one order, whatever the order they came in."""
    rules = [single for grant in wanted for single in _singles(grant)]
    rules = _merged(rules, into="verbs")
    for part in ("resources", "groups", "urls"):
        rules = _merged(rules, into=part)
    return [_rule(rule) for rule in sorted(rules, key=_order)]


def _singles(grant: Grant) -> Iterator[Grant]:
    """One grant for each resource, with its words sorted: what merging compares."""
    words = {part: _sorted(getattr(grant, part)) for part in ("groups", "verbs", "names", "urls")}
    for resource in grant.resources or ("",):
        yield structs.replace(grant, resources=(resource,) if resource else (), namespace="", only=False, **words)


def _merged(rules: Iterable[Grant], *, into: str) -> list[Grant]:
    """Make one of the rules that differ in one part alone."""
    found: dict[tuple[Any, ...], list[Grant]] = {}
    for rule in rules:
        rest = tuple(getattr(rule, name) for name in rule.__struct_fields__ if name != into)
        found.setdefault(rest, []).append(rule)
    return [
        structs.replace(same[0], **{into: _sorted(word for rule in same for word in getattr(rule, into))})
        for same in found.values()
    ]


def _sorted(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(dict.fromkeys(words)))


def _order(rule: Grant) -> str:
    return " + ".join("&".join(part) for part in (rule.groups, rule.resources, rule.names, rule.urls))


def _rule(rule: Grant) -> Json:
    parts = {
        "apiGroups": rule.groups,
        "resources": rule.resources,
        "resourceNames": rule.names,
        "nonResourceURLs": rule.urls,
        "verbs": ("*",) if "*" in rule.verbs else rule.verbs,
    }
    return {name: list(words) for name, words in parts.items() if words}
