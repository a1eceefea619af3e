"""The server's own metrics, at `/metrics`: which requests it has answered and what it stores, under the real names.

They are what a dashboard or an alert of an API server looks at first. Most of the real server's metrics tell of parts
that do not exist here. `/metrics/slis` has the state of each health check.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

from konverge.cluster.apiserver.exchange import Request, Response
from konverge.cluster.apiserver.flow_control import FlowControl
from konverge.cluster.apiserver.health import CHECKS
from konverge.cluster.apiserver.resource import Resources
from konverge.cluster.apiserver.route import Route
from konverge.cluster.apiserver.storage import Storage

ROOT: Final = "metrics"
_TEXT: Final = "text/plain; version=0.0.4; charset=utf-8; escaping=underscores"
_VERBS: Final = {
    **{verb: verb.upper() for verb in ("get", "list", "watch", "patch", "delete", "deletecollection", "post", "put")},
    "create": "POST",
    "update": "PUT",
}
_REQUESTS: Final = (
    "apiserver_request_total",
    "counter",
    (
        "[STABLE] Counter of apiserver requests broken out for each verb, dry run value, group, version, resource, "
        "scope, component, and HTTP response code."
    ),
)
_OBJECTS: Final = (
    "apiserver_resource_objects",
    "gauge",
    "[ALPHA] Number of stored objects at the time of last check split by kind.",
)
_HEALTH: Final = (
    "kubernetes_healthcheck",
    "gauge",
    "[STABLE] This metric records the result of a single healthcheck.",
)
_SEATS: Final = (
    "apiserver_flowcontrol_nominal_limit_seats",
    "gauge",
    "[BETA] Nominal number of execution seats configured for each priority level",
)
_Sample = tuple[Mapping[str, str], int]


class RequestMetrics:
    """Counts what was answered; the rest is looked up when somebody asks."""

    def __init__(self, storage: Storage, resources: Resources, flow_control: FlowControl) -> None:
        self._storage = storage
        self._resources = resources
        self._flow_control = flow_control
        self._answered: Counter[tuple[str, ...]] = Counter()

    def count(self, request: Request, where: Route, status: int) -> None:
        """Take note of an answer."""
        verb = _VERBS.get(where.verb, "")
        is_dry = "All" if request.query and request.parameter("dryRun") else ""
        self._answered[(str(status), is_dry, verb, *self._kind(where))] += 1

    def _kind(self, where: Route) -> tuple[str, ...]:
        """Return what was asked for, if it is served: of what anyone may think up there would be no end."""
        found = self._resources.find(where.group, where.version, where.plural) if where.is_resource else None
        if found is None or where.subresource not in ("", "status", "scale", *found.other_subresources):
            return ("", "", "", "", "")
        return (where.group, where.version, where.plural, where.subresource, _scope(where))

    def answer(self, where: Route, *, is_serving: bool) -> Response | None:
        """Answer a request for metrics; None where there is no such path."""
        health = _family(_HEALTH, _checks(is_serving=is_serving))
        if where.parts == (ROOT, "slis"):
            return Response(status=200, body=health.encode(), content_type=_TEXT)
        if where.parts != (ROOT,):
            return None
        seats = (({"priority_level": name}, count) for name, count in self._flow_control.seats().items())
        families = ((_REQUESTS, self._requests()), (_OBJECTS, self._objects()), (_SEATS, seats))
        text = "".join(_family(what, samples) for what, samples in families) + health
        return Response(status=200, body=text.encode(), content_type=_TEXT)

    def _requests(self) -> Iterable[_Sample]:
        names = ("code", "dry_run", "verb", "group", "version", "resource", "subresource", "scope")
        for key, count in sorted(self._answered.items()):
            yield {"component": "apiserver", **dict(zip(names, key, strict=True))}, count

    def _objects(self) -> Iterable[_Sample]:
        prefixes = {each.prefix: each for each in self._resources if "list" in each.verbs}
        for prefix, resource in sorted(prefixes.items()):
            # Not the objects, but how many there are beyond the first.
            page = self._storage.range(prefix, limit=1)
            yield {"group": resource.group, "resource": resource.plural}, len(page.items) + page.remaining


def _scope(where: Route) -> str:
    if where.name:
        return "resource"
    return "namespace" if where.namespace else "cluster"


def _checks(*, is_serving: bool) -> Iterable[_Sample]:
    for check in sorted(CHECKS["readyz"]):
        yield {"name": check, "type": "readyz"}, int(is_serving)


def _family(what: tuple[str, str, str], samples: Iterable[_Sample]) -> str:
    name, kind, text = what
    lines = [f"# HELP {name} {text}", f"# TYPE {name} {kind}"]
    for labels, value in samples:
        shown = ",".join(f'{label}="{_escaped(labels[label])}"' for label in sorted(labels))
        lines.append(f"{name}{{{shown}}} {value}")
    return "\n".join((*lines, ""))


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
