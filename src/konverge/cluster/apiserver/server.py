"""ApiServer: the whole of Kubernetes' API in one object; `handle` turns a Request into its Answer.

The way of a request: who asks (`access`), where to (`route`), in which form (`negotiate`), then a verb of `reading` or
`writing`, or one of the paths that are no resource. Whatever says no on the way raises a `Failure`; it becomes a Status
here and nowhere else.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import cache
from typing import Final, TypeVar

from konverge.cluster.apiserver import endpoint, health, issuer_discovery, request_metrics, writing
from konverge.cluster.apiserver.access import Access, User
from konverge.cluster.apiserver.access.bootstrap import make_bootstrap_roles, reconcile_bootstrap_roles
from konverge.cluster.apiserver.access.legacy_tokens import note_of_use
from konverge.cluster.apiserver.access.signer import TokenSigner
from konverge.cluster.apiserver.admission.configured import configured_chain
from konverge.cluster.apiserver.admission.webhook_caller import NoCaller, WebhookCaller
from konverge.cluster.apiserver.announcement import announce
from konverge.cluster.apiserver.builtin import catalogue
from konverge.cluster.apiserver.builtin.allocation.cluster_ips import SERVICE_RANGE
from konverge.cluster.apiserver.call import Call, Outcome
from konverge.cluster.apiserver.connecting import Connector, NoConnector
from konverge.cluster.apiserver.connecting.connect import connect, is_connection
from konverge.cluster.apiserver.context import Context
from konverge.cluster.apiserver.conversion_needed import ConversionNeeded
from konverge.cluster.apiserver.crd.controller import CrdController
from konverge.cluster.apiserver.crd.webhook_conversion import WebhookConversion
from konverge.cluster.apiserver.discovery import Discovery, page_not_found, unreadable_path
from konverge.cluster.apiserver.event_expiry import EventExpiry
from konverge.cluster.apiserver.exchange import JSON, Answer, Request, Response
from konverge.cluster.apiserver.failure import Failure, bad_request, internal, method_not_supported, path_not_found
from konverge.cluster.apiserver.flow_control import FlowControl
from konverge.cluster.apiserver.ids import Ids
from konverge.cluster.apiserver.negotiate import STREAMS, WRITTEN, Form, check_route, negotiate, refusal_form
from konverge.cluster.apiserver.openapi import OpenApi
from konverge.cluster.apiserver.reading.decode import stored_object
from konverge.cluster.apiserver.reading.get import get
from konverge.cluster.apiserver.reading.listing import read_list
from konverge.cluster.apiserver.reading.watch import watch
from konverge.cluster.apiserver.reply import refusal, reply, written
from konverge.cluster.apiserver.request_metrics import RequestMetrics
from konverge.cluster.apiserver.resource import Resource, Resources
from konverge.cluster.apiserver.route import Route, route
from konverge.cluster.apiserver.storage import Stale, Storage, StorageError
from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.system import builtin_resources, make_system_objects
from konverge.cluster.apiserver.table.offered import offers_table
from konverge.cluster.apiserver.time_limit import time_limit
from konverge.cluster.apiserver.warning_headers import warning_headers

_log = logging.getLogger(__name__)
_LIMITED: Final = ("create", "update", "patch", "delete")  # a deletecollection may take as long as it does
_LONGEST_WRITE: Final = 34.0  # seconds, webhooks included
_OF_COLLECTIONS: Final = ("list", "watch")
_STREAMED: Final = (*WRITTEN, *STREAMS)
_LOGGED: Final = ("text/plain", *WRITTEN)

_Made = TypeVar("_Made")
_OUTCOMES: Final[dict[str, Callable[[Context, Call], Awaitable[Outcome]]]] = {
    "get": get,
    "create": writing.create,
    "update": writing.update,
    "patch": writing.patch,
    "delete": writing.delete,
    "deletecollection": writing.delete_collection,
}


class ApiServer:
    """Serves the API from a storage, which stays its caller's. `start` it before the first request, and `close` it.

    `signer` gives the key of service account tokens when the first of them is asked for or shown; without it none
    is given out, and none is good. `webhooks` is the way to webhooks, and `connector` the way to what runs on
    nodes; without them nothing there is reached.
    """

    def __init__(
        self,
        storage: Storage,
        *,
        resources: Resources | None = None,
        ids: Ids | None = None,
        signer: Callable[[], TokenSigner] | None = None,
        webhooks: WebhookCaller | None = None,
        connector: Connector | None = None,
        service_range: str | None = None,
        loopback_endpoints: bool = False,  # EndpointSlices may have loopback addresses, as pods of processes do
    ) -> None:
        served = builtin_resources(loopback_endpoints=loopback_endpoints) if resources is None else resources
        ids, caller = ids or Ids(), webhooks or NoCaller()
        self._definitions = CrdController(
            served, self.handle, lambda conversion: WebhookConversion(conversion, caller, ids)
        )
        self._access = Access(storage, signer)
        self._context = Context(
            storage=storage,
            resources=served,
            ids=ids,
            access=self._access,
            admission=configured_chain(storage, served, ids, access=self._access, webhooks=caller),
            connector=connector or NoConnector(),
            after_write=self._after_write,
        )
        self._event_expiry = EventExpiry(storage, served)
        self._flow_control = FlowControl(storage, self.handle)
        self._metrics = RequestMetrics(storage, served, self._flow_control)
        self._discovery = Discovery(served)
        self._openapi = OpenApi(served)
        self._service_range = service_range or SERVICE_RANGE
        self._is_serving = True

    @property
    def resources(self) -> Resources:
        """What is served now."""
        return self._context.resources

    async def start(self) -> None:
        """Serve the custom resources that are defined in the storage, and make what every cluster has."""
        crds = self.resources.find("apiextensions.k8s.io", "v1", "customresourcedefinitions")
        if crds is not None:
            stored = self._context.storage.range(crds.prefix).items
            await self._definitions.start([stored_object(crds, each.value) for each in stored])
        await make_system_objects(self.handle, service_range=self._service_range)
        if await make_bootstrap_roles(self._context.storage, self._context.ids):
            await reconcile_bootstrap_roles(self._context.storage, self.handle)
        await self._flow_control.start(self._context.ids)
        self._event_expiry.start()

    async def announce(self, address: str, port: int) -> None:
        """Say to whom it may concern at which address this server is reached."""
        context = self._context
        await announce(context.storage, context.resources, context.ids, address=address, port=port)

    async def close(self) -> None:
        """End every stream; answer nothing more but that the server is closing."""
        self._is_serving = False
        self._event_expiry.close()
        await self._definitions.close()
        self._context.streams.close()

    async def handle(self, request: Request) -> Answer:
        """Answer a request. Nothing but a cancellation is raised."""
        warnings: list[str] = []
        headers: list[tuple[str, str]] = []
        where = route(request)
        if where.is_unreadable:
            return unreadable_path(request)
        try:
            answer = await self._answer(request, where, warnings, headers)
        except Failure as failure:
            answer = refusal(failure, refusal_form(request))
        except endpoint.PageNotFound:
            answer = page_not_found()
        except StorageError as error:
            _log.error("%s %s failed: %s", request.method, request.path, error)
            answer = refusal(internal(str(error)))
        except RecursionError:  # what was sent or would be made; nothing of it is stored
            answer = refusal(bad_request("the object is nested too deeply"))
        except Exception as error:  # noqa: BLE001 - whatever went wrong, the client gets an answer and the log the stack
            _log.exception("%s %s failed", request.method, request.path)
            # Its text may quote an object, which may be a Secret: it stays here.
            answer = refusal(internal(f"{type(error).__name__}: the server's log says more"))
        self._metrics.count(request, where, answer.status)
        return self._with_headers(request, answer, warnings, headers)

    async def _answer(
        self, request: Request, where: Route, warnings: list[str], headers: list[tuple[str, str]]
    ) -> Answer:
        limit = time_limit(request, where)
        user = await self._user(request, where, warnings)
        headers += self._flow_control.headers(user, where)
        if request.path.startswith("//"):
            raise endpoint.PageNotFound
        if not where.is_resource:
            return self._elsewhere(request, where)
        if not self._is_serving:
            raise _closing()
        resource = self._resource(where)
        endpoint.check(resource, where, request.method)
        connects = is_connection(resource, where)
        form = Form() if connects and where.subresource != "log" else self._form(request, resource, where, warnings)
        if where.verb == "watch" and "watch" not in resource.verbs and not connects:
            raise method_not_supported(resource.plural, resource.group, "watch")
        call = Call(
            request=request,
            user=user,
            route=where,
            resource=resource,
            form=form,
            warnings=warnings,
            deadline=self._deadline(where.verb, limit),
        )
        if connects:
            return await connect(self._context, call)
        if where.verb == "watch":
            return await watch(self._context, call)
        if where.verb == "list":
            return await self._done(lambda: read_list(self._context, call))
        run = _OUTCOMES[where.verb]
        return reply(call, await self._done(lambda: run(self._context, call)))

    async def _user(self, request: Request, where: Route, warnings: list[str]) -> User:
        """Return who asks, and may; that tokens of secrets were shown today is noted on these."""
        try:
            return self._access.check(request, where, warnings)
        finally:
            used = self._access.tokens.legacy.used
            while used:
                await self.handle(note_of_use(used.pop()))

    @staticmethod
    def _form(request: Request, resource: Resource, where: Route, warnings: list[str]) -> Form:
        """Return the form of an answer; a route refuses one before a resource warns of its age, the resource after."""
        if not resource.is_custom:
            check_route(request, _routes(where))
        if resource.deprecation:
            warnings.append(resource.deprecation)
        return negotiate(request, is_custom=resource.is_custom, has_table=offers_table(resource, where.subresource))

    def _deadline(self, verb: str, limit: float) -> float:
        """Return when a write must be over; none that waits for nobody is ever late."""
        admission = self._context.admission
        if verb not in _LIMITED or not (admission.mutates or admission.validates):
            return math.inf
        return asyncio.get_running_loop().time() + min(_LONGEST_WRITE, limit)

    @staticmethod
    async def _done(run: Callable[[], Awaitable[_Made]]) -> _Made:
        """Run a verb; where what it is based on changed while others were asked, or must be converted, once more."""
        while True:
            try:
                return await run()
            except Stale:
                continue
            except ConversionNeeded as needed:
                await needed.resolve()

    def _resource(self, where: Route) -> Resource:
        resource = self._context.resources.find(where.group, where.version, where.plural)
        if resource is not None:
            return resource
        if not where.group or where.group in _builtin_groups():
            raise path_not_found()
        raise endpoint.PageNotFound

    def _elsewhere(self, request: Request, where: Route) -> Response:
        """Answer a path that is no resource."""
        root = where.parts[0] if where.parts else ""
        if root in {"api", "apis"}:
            return self._discovery.answer(request)
        if root == "openapi":
            return self._openapi.answer(request)
        if root in issuer_discovery.ROOTS:
            return issuer_discovery.answer(request, self._access.tokens.signer)
        return self._about_itself(request, where, root)

    def _about_itself(self, request: Request, where: Route, root: str) -> Response:
        if root in health.ROOTS:
            found = health.answer(request, is_serving=self._is_serving)
            return found or page_not_found()
        if root == request_metrics.ROOT:
            return self._metrics.answer(where, is_serving=self._is_serving) or page_not_found()
        if root == "version":
            if len(where.parts) > 1:
                raise path_not_found()
            if request.method != "GET":
                raise endpoint.method_not_allowed()
            check_route(request, (JSON,))
            return written(dict(catalogue.version()), Form(is_pretty=True))
        if not root:
            return written({"paths": _paths(self.resources)}, Form(is_pretty=True))
        return page_not_found()

    def _with_headers(
        self, request: Request, answer: Answer, warnings: list[str], headers: list[tuple[str, str]]
    ) -> Answer:
        headers.append(("Audit-Id", request.header("audit-id") or self._context.ids.uid()))
        if not any(name == "Cache-Control" for name, _ in answer.headers):
            headers.append(("Cache-Control", "no-cache, private"))
        if warnings:
            headers += warning_headers(warnings)
        return replace(answer, headers=(*headers, *answer.headers))

    async def _after_write(self, resource: Resource, old: JsonObject | None, new: JsonObject | None) -> None:
        self._access.changed(resource.group)
        self._context.admission.changed(resource)
        self._event_expiry.changed(resource)
        await self._definitions.changed(resource, old, new)
        await self._flow_control.changed(resource)
        self._context.streams.end_changed(self.resources)


def _routes(where: Route) -> tuple[str, ...]:
    """Return the media types that the route of a built-in resource names."""
    if where.subresource == "log":
        return _LOGGED
    return _STREAMED if where.verb in _OF_COLLECTIONS else WRITTEN


def _closing() -> Failure:
    message = "the server is currently unable to handle the request: it is closing"
    return Failure(503, "ServiceUnavailable", message, details={}, retry_after=1)


@cache
def _builtin_groups() -> frozenset[str]:
    return frozenset(group.name for group in catalogue.groups())


def _paths(resources: Resources) -> list[str]:
    """Return the paths that `/` lists."""
    found = {
        "/api",
        "/apis",
        "/healthz",
        "/livez",
        "/metrics",
        "/metrics/slis",
        "/openapi/v2",
        "/openapi/v3",
        "/readyz",
        "/version",
    }
    found |= {issuer_discovery.CONFIGURATION, issuer_discovery.KEYS}
    for resource in resources:
        root = f"/apis/{resource.group}" if resource.group else "/api"
        found |= {root, f"{root}/{resource.version}"}
    return sorted(found)
