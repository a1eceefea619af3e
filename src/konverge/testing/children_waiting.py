"""`wait_children`: wait until an object controls just the objects that it should."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, TypeVar

from konverge.api.form import Form, Kind, form_of, form_of_object
from konverge.api.object import Object
from konverge.api.owner import controller_of
from konverge.client.client import Client
from konverge.client.ignore import ignore_not_found
from konverge.controller.owner import is_controlled_by
from konverge.errors import RequestError
from konverge.testing.object_report import named, report
from konverge.testing.waiting import WITHIN, looked

T = TypeVar("T", bound=Object)


async def wait_children(
    client: Client,
    owner: Object,
    kind: Kind[T],
    *,
    names: Collection[str] | None = None,
    count: int | None = None,
    within: float = WITHIN,
) -> list[T]:
    """Wait until the objects of a kind that an object controls are these, or so many; return them, sorted by name.

    Without `names` and `count`, until there is one. Those count whose owner reference says `controller: true` and has
    the owner's uid. The `AssertionError` lists the objects of the kind that are there, and whose they are.
    """
    if isinstance(names, str):
        raise RequestError(f"names={names!r}: give a list of names, as in names=[{names!r}]")
    form = form_of(kind)
    there: list[T] = []

    async def check() -> bool:
        there[:] = await client.list(form, namespace=owner.metadata.namespace or None)
        return _fits(_names_of(each for each in there if is_controlled_by(each, owner)), names, count)

    is_so, _ = await looked(check, within=within)
    own = sorted((each for each in there if is_controlled_by(each, owner)), key=lambda child: child.metadata.name or "")
    if not is_so:
        raise AssertionError(await _told(client, owner, form, there, f"{_wanted(names, count)} after {within:g} s"))
    return own


def _names_of(objects: Iterable[Object]) -> list[str]:
    return sorted(each.metadata.name or "" for each in objects)


def _fits(found: list[str], names: Collection[str] | None, count: int | None) -> bool:
    if names is not None and found != sorted(names):
        return False
    if count is not None and len(found) != count:
        return False
    return bool(found) or names is not None or count is not None


def _wanted(names: Collection[str] | None, count: int | None) -> str:
    words = [] if count is None else [f"just {count}"]
    if names is not None:
        words.append(f"just these: {', '.join(sorted(names)) or 'none'}")
    return " and ".join(words) or "any"


async def _told(client: Client, owner: Object, form: Form[Any], there: Iterable[Object], wanted: str) -> str:
    owner_form, key = form_of_object(owner), owner.metadata.key
    lines = "\n".join(f"  {each.metadata.key}: {_whose(each, owner)}" for each in there) or "  (there is none)"
    now = await ignore_not_found(client.get(owner_form, key))
    return (
        f"{named(owner_form, key)} does not control {form.gvk.kind} objects as expected, {wanted}. There are:\n"
        f"{lines}\nof the owner, {await report(client, owner_form, key, now)}"
    )


def _whose(child: Object, owner: Object) -> str:
    if is_controlled_by(child, owner):
        return "controlled by it"
    existing = controller_of(child)
    if existing is not None:
        same = " of another uid" if existing.name == owner.metadata.name and existing.kind == owner.kind else ""
        return f'controlled by {existing.kind} "{existing.name}"{same}'
    if any(reference.uid == owner.metadata.uid for reference in child.metadata.owner_references or ()):
        return "owned by it, but not as its controller"
    return "controlled by nobody"
