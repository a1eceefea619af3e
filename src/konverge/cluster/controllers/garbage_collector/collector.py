"""Collector: the reconciler of one object of any kind, named by its uid.

The graph only says whom to look at. What is done follows from live reads, with the uid and the version they showed as
preconditions: an object is never deleted because a watch was late.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import Final

from konverge.api.form import Form, metadata_only, unstructured
from konverge.api.kind import Resource
from konverge.api.meta import OwnerReference
from konverge.api.unstructured import PartialObjectMetadata
from konverge.client.client import Client
from konverge.client.ignore import ignore_not_found
from konverge.client.patch import MergePatch
from konverge.cluster.controllers.garbage_collector.absent import AbsentOwners
from konverge.cluster.controllers.garbage_collector.decision import Delete, Keep, Owners, Release, decide
from konverge.cluster.controllers.garbage_collector.graph import FOREGROUND, ORPHAN, Findings, Graph, Node, Stage
from konverge.cluster.controllers.garbage_collector.identity import Identity
from konverge.controller import Context, Request, Result, release_finalizer
from konverge.errors import Conflict, KonvergeError, NotFound, only_error

_AT_ONCE: Final = 20  # dependents of one owner that are released at the same time
_IF_UNCHANGED: Final = MergePatch(optimistic_lock=True)

Metadata = PartialObjectMetadata
Report = Callable[[Findings], None]
"""Takes what follows from a fact: puts the objects to look at into the queue."""


class NamespacedOwner(KonvergeError):
    """An object without a namespace names an owner that has one: nobody can tell which, so nothing is done."""


class Collector:
    """Deletes what nobody owns any more, keeps apart what is to be kept, and lets owners go when it is their turn."""

    def __init__(self, graph: Graph, absent: AbsentOwners, *, cached: Client, report: Report) -> None:
        self._graph = graph
        self._absent = absent
        self._cached = cached  # reads what the graph was made from
        self._report = report

    async def reconcile(self, ctx: Context, request: Request) -> Result | None:
        """Look at one object; the request's name is its uid."""
        node = self._graph.get(request.name)
        if node is None or node.stage is Stage.GOING:
            return None
        try:
            return await self._at_stage(node)(ctx.live, node)
        except NamespacedOwner as error:
            ctx.log.info("left alone", reason=str(error))
            return None

    def _at_stage(self, node: Node) -> Callable[[Client, Node], Awaitable[Result | None]]:
        if node.stage is Stage.ORPHANING:
            return self._orphan
        return self._wait_for_dependents if node.stage is Stage.FOREGROUND else self._judge

    # --- owners that are being deleted ---

    async def _orphan(self, live: Client, node: Node) -> None:
        """Let the dependents no longer name their owner; then it may go."""
        gate = asyncio.Semaphore(_AT_ONCE)

        async def release(dependent: Node) -> None:
            async with gate:
                await ignore_not_found(self._release(dependent.identity, (node.identity.uid,)))

        try:
            async with asyncio.TaskGroup() as group:
                for dependent in node.dependents:
                    group.create_task(release(dependent))
        except BaseExceptionGroup as errors:
            raise only_error(errors) from None
        await self._let_go(live, node, finalizer=ORPHAN)

    async def _wait_for_dependents(self, live: Client, node: Node) -> None:
        """Let the owner go if nothing blocks it any more; have those looked at that do."""
        if not node.blockers:
            return await self._let_go(live, node, finalizer=FOREGROUND)
        found = Findings()
        found.look(*(each for each in node.blocking if each.stage is Stage.LIVE))
        self._report(found)
        return None

    async def _let_go(self, live: Client, node: Node, *, finalizer: str) -> None:
        owner = await self._read(live, node.identity)
        if owner is not None:
            await release_finalizer(live, owner, finalizer)

    # --- objects whose owners may be gone ---

    async def _judge(self, live: Client, node: Node) -> Result | None:
        resource = await _resource(live, node.identity)
        if not resource.namespaced:
            self._graph.place(node, _without_namespace(node.identity))
        latest = await self._read(live, node.identity)
        if latest is None:
            return self._absent_after_all(node.identity)
        if node.virtual:
            return Result(requeue=True)  # it exists; the watch that will show it may not have begun
        references = latest.metadata.owner_references
        if not references:
            return None
        owners = await self._classify(live, node.identity, references=references)
        return await self._act(live, node, latest=latest, owners=owners)

    def _absent_after_all(self, identity: Identity) -> Result | None:
        found = self._graph.found_absent(identity)
        others = [uid for uid in found.look_at if uid != identity.uid]
        self._report(found)
        # Known by another name, which may be absent as well, and so on in a circle: not at once.
        return Result(requeue=True) if len(others) < len(found.look_at) else None

    async def _classify(self, live: Client, item: Identity, *, references: Iterable[OwnerReference]) -> Owners:
        solid, dangling, waiting = [], [], []
        for reference in references:
            owner = await self._owner(live, item, reference=reference)
            if owner is None:
                dangling.append(reference.uid)
            elif owner.metadata.deletion_timestamp and FOREGROUND in (owner.metadata.finalizers or ()):
                waiting.append(reference.uid)
            else:
                solid.append(reference.uid)
        return Owners(solid=solid, dangling=dangling, waiting=waiting)

    async def _owner(self, live: Client, item: Identity, *, reference: OwnerReference) -> Metadata | None:
        """Return the owner that a reference means, or None if it does not exist."""
        meant = Identity(reference.kind, reference.api_version, item.namespace, reference.name, reference.uid)
        if self._graph.is_absent(meant):
            return None
        owner = await self._read(live, meant)
        if owner is None:
            self._absent.add(meant if (await _resource(live, meant)).namespaced else _without_namespace(meant))
        return owner

    async def _act(self, live: Client, node: Node, *, latest: Metadata, owners: Owners) -> Result | None:
        decision = decide(
            owners,
            latest.metadata.finalizers or (),
            has_dependents=node.has_dependents,
            in_circle=any(each.stage is Stage.FOREGROUND for each in node.dependents),
        )
        match decision:
            case Keep():
                return None
            case Release(lost):
                await _release(live, latest, owners=lost)
                return None
            case Delete(propagation, unblock):
                if unblock:
                    await _unblock(live, latest)
                return await self._delete(live, node.identity, latest=latest, propagation=propagation)

    async def _delete(self, live: Client, item: Identity, *, latest: Metadata, propagation: str) -> Result | None:
        metadata = latest.metadata
        try:
            await live.delete(latest, uid=item.uid, resource_version=metadata.resource_version, propagation=propagation)
        except NotFound:
            return self._absent_after_all(item)
        except Conflict:
            now = await self._read(live, item)
            if now is None:
                return self._absent_after_all(item)
            if now.metadata.owner_references != metadata.owner_references:
                raise
            # It changes often, and not in what counts here: that must not save it for ever.
            await ignore_not_found(live.delete(latest, uid=item.uid, propagation=propagation))
        return None

    # --- reads and writes ---

    async def _read(self, live: Client, identity: Identity) -> Metadata | None:
        """Return the object as the server has it; None if there is none of this name, or one of another uid."""
        resource = await _resource(live, identity)
        if resource.namespaced and not identity.namespace:
            raise NamespacedOwner(f"{identity} has no namespace, and its kind has: an owner of an object without one?")
        namespace = identity.namespace if resource.namespaced else None
        try:
            found = await live.get(_form(identity), identity.name, namespace=namespace)
        except NotFound as error:
            if error.operation is not None and error.operation.verb == "discover":
                raise  # the kind is not served, or not in this version: that says nothing of the object
            return None
        return found if found.metadata.uid == identity.uid else None

    async def _release(self, identity: Identity, owners: tuple[str, ...]) -> None:
        """Take out references of an object as the watch has shown it; `Conflict` if it has changed since."""
        found = await self._cached.get(_form(identity), identity.name, namespace=identity.namespace or None)
        if found.metadata.uid == identity.uid:
            await _release(self._cached, found, owners=owners)


async def _release(client: Client, found: Metadata, *, owners: tuple[str, ...]) -> None:
    left = [each for each in found.metadata.owner_references or () if each.uid not in owners]
    if len(left) != len(found.metadata.owner_references or ()):
        found.metadata.owner_references = left or None
        await client.patch(found, _IF_UNCHANGED)


async def _unblock(client: Client, found: Metadata) -> None:
    """Let no owner wait for this object."""
    for reference in found.metadata.owner_references or ():
        if reference.block_owner_deletion:
            reference.block_owner_deletion = False
    await client.patch(found, _IF_UNCHANGED)


async def _resource(client: Client, identity: Identity) -> Resource:
    return await client.resource_of(_form(identity))


def _form(identity: Identity) -> Form[PartialObjectMetadata]:
    # Without its resource: what serves a kind is asked for again when it turns out to have changed.
    return metadata_only(unstructured(identity.api_version, identity.kind))


def _without_namespace(identity: Identity) -> Identity:
    return Identity(identity.kind, identity.api_version, "", identity.name, identity.uid)
