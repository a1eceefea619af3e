"""`wait_for` and `wait_gone`: wait until an object is as it should be, and tell all about it where it is not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, TypeVar, overload

from konverge.api.form import Form, Kind, form_of, form_of_object
from konverge.api.kind import ObjectKey
from konverge.api.object import Object
from konverge.client.client import Client
from konverge.client.engine import Named
from konverge.client.ignore import ignore_not_found
from konverge.errors import NotFound, RequestError
from konverge.testing.object_report import named, report
from konverge.testing.waiting import WITHIN, looked

_ABSENT: Final = "there is no such object"
T = TypeVar("T", bound=Object)
Check = Callable[[T], object]
# What code says of an object that has no status yet; it may come to have one.
_NOT_YET: Final = (AssertionError, AttributeError, LookupError, TypeError)


@overload
async def wait_for(
    client: Client, target: T, *, condition: str = "", until: Check[T] | None = None, within: float = WITHIN
) -> T: ...


@overload
async def wait_for(
    client: Client,
    target: Kind[T],
    name: str | Named,
    *,
    namespace: str | None = None,
    condition: str = "",
    until: Check[T] | None = None,
    within: float = WITHIN,
) -> T: ...


async def wait_for(
    client: Client,
    target: Any,
    name: str | Named | None = None,
    *,
    namespace: str | None = None,
    condition: str = "",
    until: Check[Any] | None = None,
    within: float = WITHIN,
) -> Any:
    """Wait until an object, given itself or its kind and name, is there and as wanted; return it.

    `condition` is the type of one in its status: "Ready" waits for True, "Ready=False" for another status; one that
    says it is about an older generation does not count. `until` is any function of the object that returns something
    true, or asserts. When the time is up, the `AssertionError` shows the object as YAML (what is secret left out), the
    last events about it, and what the last reconciles of it did, of a manager in `running`.
    """
    form, wanted = await _addressed(client, target, name, namespace=namespace)
    last: Object | None = None

    async def check() -> Any:
        nonlocal last
        last = await ignore_not_found(client.get(form, wanted))
        if last is None:
            raise AssertionError(_ABSENT)
        if why_not := _unmet(last.to_dict(), condition) or _refused(last, until):
            raise AssertionError(why_not)
        return last

    found, reason = await looked(check, within=within)
    if found is None:
        raise AssertionError(
            f"{named(form, wanted)} is not {_expected(condition, until)} after {within:g} s: {reason}\n"
            f"{await report(client, form, wanted, last)}"
        )
    return found


async def wait_gone(
    client: Client,
    target: Object | Kind[Any],
    name: str | Named | None = None,
    *,
    namespace: str | None = None,
    within: float = WITHIN,
) -> None:
    """Wait until an object is gone, or another one has its name; the `AssertionError` tells what keeps it."""
    form, wanted = await _addressed(client, target, name, namespace=namespace)
    uid = target.metadata.uid if isinstance(target, Object) else None
    last: Object | None = None

    async def check() -> bool:
        nonlocal last
        last = await ignore_not_found(client.get(form, wanted))
        return last is None or (uid is not None and last.metadata.uid != uid)

    is_gone, _ = await looked(check, within=within)
    if not is_gone and last is not None:
        raise AssertionError(
            f"{named(form, wanted)} is still there after {within:g} s: {_kept_by(last)}\n"
            f"{await report(client, form, wanted, last)}"
        )


async def _addressed(
    client: Client, target: Any, name: str | Named | None, *, namespace: str | None
) -> tuple[Form[Any], ObjectKey]:
    if isinstance(target, Object):
        form, given = form_of_object(target), target.metadata if name is None else name
    elif name is None:
        raise RequestError(f"which {form_of(target).gvk.kind} to wait for? Give its name, or the object itself")
    else:
        form, given = form_of(target), name
    own, plain = (None, given) if isinstance(given, str) else (given.namespace, given.name or "")
    where = own or namespace or client.namespace or ""
    return form, ObjectKey(where if await _has_namespaces(client, form) else "", plain)


async def _has_namespaces(client: Client, form: Form[Any]) -> bool:
    try:
        return (form.resource or await client.resource_of(form)).namespaced
    except NotFound:  # its CRD may still come
        return True


# --- what is expected ---


def _unmet(content: Mapping[str, Any], wanted: str) -> str:
    """Return why a condition does not hold; empty where it does, or none is asked for."""
    if not wanted:
        return ""
    type_, _, status = wanted.partition("=")
    conditions = (content.get("status") or {}).get("conditions") or []
    found = next((each for each in conditions if each.get("type") == type_), None)
    if found is None:
        there = ", ".join(f"{each.get('type')}={each.get('status')}" for each in conditions)
        return f"it has no condition {type_}, only: {there or 'none'}"
    why = ": ".join(str(found[name]) for name in ("reason", "message") if found.get(name))
    if found.get("status") != (status or "True"):
        return f"{type_} is {found.get('status')}{f' ({why})' if why else ''}"
    generation = content["metadata"].get("generation")
    if generation is not None and found.get("observedGeneration", generation) < generation:
        return f"{type_} is about generation {found['observedGeneration']}, and the object is at {generation}"
    return ""


def _refused(found: Object, until: Check[Any] | None) -> str:
    """Return why a function does not hold of an object; empty where it does."""
    if until is None:
        return ""
    try:
        return "" if until(found) else "the function returned nothing true"
    except _NOT_YET as error:
        return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def _expected(condition: str, until: Check[Any] | None) -> str:
    words = [condition] if condition else []
    if until is not None:
        words.append(f"as {_name(until)} wants it")
    return " and ".join(words) or "there"


def _name(until: Check[Any]) -> str:
    name, code = getattr(until, "__name__", repr(until)), getattr(until, "__code__", None)
    return name if code is None else f"{name} ({Path(code.co_filename).name}:{code.co_firstlineno})"


def _kept_by(found: Object) -> str:
    if not found.metadata.deletion_timestamp:
        return "nobody has deleted it"
    finalizers = ", ".join(found.metadata.finalizers or ())
    return f"it is being deleted, and waits for its finalizers: {finalizers}" if finalizers else "it is being deleted"
