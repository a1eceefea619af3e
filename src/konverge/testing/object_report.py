"""Object report: what a failed wait tells about an object: how it looks, its last events, its last reconciles."""

from __future__ import annotations

import textwrap
from datetime import UTC, datetime
from typing import Any, Final

import msgspec

from konverge.api.form import Form
from konverge.api.kind import ObjectKey
from konverge.api.object import Object
from konverge.api.unstructured import redacted
from konverge.client.client import Client
from konverge.controller.reconcile import Request
from konverge.errors import KonvergeError
from konverge.manifest.layout import to_yaml
from konverge.models import core_v1
from konverge.testing.journal import last_runs

_EVENTS: Final = 10
_NEVER: Final = datetime.min.replace(tzinfo=UTC)


def named(form: Form[Any], key: ObjectKey) -> str:
    """Return an object by its kind and name."""
    return f'{form.gvk.kind} "{key}"'


async def report(client: Client, form: Form[Any], key: ObjectKey, found: Object | None) -> str:
    """Return all of it, below a line that says what was expected; never what is in a Secret."""
    parts = [
        _part("it looks like this", [] if found is None else shown(found).splitlines(), "it is not there"),
        _part("the last events about it", *await _events(client, form, key)),
        _part("its last reconciles", last_runs(form.gvk.group_kind, Request(key.namespace, key.name)), _NO_RUNS),
    ]
    return "\n".join(parts)


_NO_RUNS: Final = "none by a manager inside `konverge.testing.running`"


def _part(title: str, lines: list[str], otherwise: str) -> str:
    return f"{title}:\n{textwrap.indent(chr(10).join(lines or [f'({otherwise})']), '  ')}"


def shown(found: Object) -> str:
    """Return an object as YAML, without managedFields and without what is secret."""
    content: dict[str, Any] = msgspec.to_builtins(redacted(found.to_dict()), enc_hook=repr)
    content["metadata"] = {name: value for name, value in content["metadata"].items() if name != "managedFields"}
    return to_yaml(content).removeprefix("---\n")


async def _events(client: Client, form: Form[Any], key: ObjectKey) -> tuple[list[str], str]:
    wanted = {"involvedObject.kind": form.gvk.kind, "involvedObject.name": key.name}
    try:
        found = [
            event async for event in client.list(core_v1.Event, namespace=key.namespace or "default", fields=wanted)
        ]
    except KonvergeError as error:  # another failure must not hide the first one
        return [], f"they cannot be read: {error}"
    events = sorted(found, key=lambda event: _moment(event) or _NEVER)
    return [_said(event) for event in events[-_EVENTS:]], "none"


def _moment(event: core_v1.Event) -> datetime | None:
    series = event.series.last_observed_time if event.series else None
    return series or event.event_time or event.last_timestamp or event.metadata.creation_timestamp


def _said(event: core_v1.Event) -> str:
    moment = _moment(event)
    times = (event.series.count if event.series else event.count) or 1
    often = f" ({times} times)" if times > 1 else ""
    return f"{moment:%H:%M:%S} {event.type} {event.reason}: {event.message}{often}"
