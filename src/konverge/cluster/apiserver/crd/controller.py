"""CrdController: what the server itself does with CRDs: accept their names, serve them, and delete their objects first.

It is told of every write (`changed`) and acts as a client of the server does, through `handle`: its status updates are
writes like all others. In the real server several controllers do this a moment later; here it is done before the answer
to the write is sent, though the answer does not show it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, Final

import msgspec

from konverge.api.json_value import json_copy, json_equal
from konverge.cluster.apiserver.crd import conditions
from konverge.cluster.apiserver.crd.approval import Approval, approval, is_protected
from konverge.cluster.apiserver.crd.conversion_rules import bundle_fault
from konverge.cluster.apiserver.crd.custom import MakeConversion, custom_resources
from konverge.cluster.apiserver.crd.custom_strategy import CustomStrategy
from konverge.cluster.apiserver.crd.definition_strategy import CLEANUP
from konverge.cluster.apiserver.crd.names import accept_names
from konverge.cluster.apiserver.exchange import JSON, Answer, Peer, Request, Response
from konverge.cluster.apiserver.resource import Resource, Resources
from konverge.cluster.apiserver.strategy import JsonObject

_log = logging.getLogger(__name__)

GROUP: Final = "apiextensions.k8s.io"
PLURAL: Final = "customresourcedefinitions"
_PATH: Final = f"/apis/{GROUP}/v1/{PLURAL}"
_APPROVALS: Final = {
    Approval.INVALID: ("False", "InvalidAnnotation"),
    Approval.MISSING: ("False", "MissingAnnotation"),
    Approval.APPROVED: ("True", "ApprovedAnnotation"),
    Approval.BYPASSED: ("False", "UnapprovedAnnotation"),
}
_OK: Final = 200
_MOST_ROUNDS: Final = 50  # of work on one CRD at a stretch: each round ends in a write, or there is none

Handle = Callable[[Request], Awaitable[Answer]]


class CrdController:
    """Follows CRDs; adds to `resources` what they define."""

    def __init__(self, resources: Resources, handle: Handle, convert: MakeConversion | None = None) -> None:
        self._resources = resources
        self._handle = handle
        self._convert = convert
        self._known: dict[str, JsonObject] = {}  # the last state of each CRD; never changed in place
        self._served: dict[str, tuple[JsonObject, tuple[Resource, ...]]] = {}  # what was made of which state
        self._busy: dict[str, asyncio.Task[None]] = {}
        self._again: set[str] = set()  # changed while someone was at work on it
        self._swept: set[str] = set()  # terminating, and all objects are being deleted: none can be new

    async def start(self, definitions: Iterable[JsonObject]) -> None:
        """Serve all CRDs that are stored, at once; then finish what was under way when the server ended."""
        for crd in definitions:
            self._known[crd["metadata"]["name"]] = crd
            self._serve(crd)
        for name in tuple(self._known):
            await self._settle(name)

    async def close(self) -> None:
        """End what is under way; a later start takes it up again."""
        tasks = tuple(self._busy.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def changed(self, resource: Resource, old: JsonObject | None, new: JsonObject | None) -> None:
        """Follow a write that is durable: of a CRD, or one that removed a custom object."""
        if resource.group == GROUP and resource.plural == PLURAL:
            await self._definition_changed(old, new)
        elif resource.is_custom and new is None:
            name = f"{resource.plural}.{resource.group}"
            if conditions.is_true(self._known.get(name, {}), "Terminating"):
                await self._settle(name)

    async def _definition_changed(self, old: JsonObject | None, new: JsonObject | None) -> None:
        if new is not None:
            name = new["metadata"]["name"]
            self._known[name] = json_copy(new)  # the caller's is still on its way to the client
            self._serve(self._known[name])
            await self._settle(name)
        elif old is not None:
            name = old["metadata"]["name"]
            self._known.pop(name, None)
            self._swept.discard(name)
            self._stop_serving(name)
            await self._settle_group(old["spec"]["group"], but=name)

    # --- what is served ---

    def _serve(self, crd: JsonObject) -> None:
        name = crd["metadata"]["name"]
        before, made = self._served.get(name, ({}, ()))
        basis = _basis(crd)
        if before == basis:
            return
        family = made[0].strategy.family if made and isinstance(made[0].strategy, CustomStrategy) else None
        resources = tuple(custom_resources(crd, family, convert=self._convert))
        kept = {resource.version for resource in resources}
        for resource in made:
            if resource.version not in kept:
                self._resources.remove(resource.group, resource.version, resource.plural)
        for resource in resources:
            self._resources.add(resource)
        self._served[name] = (basis, resources)

    def _stop_serving(self, name: str) -> None:
        for resource in self._served.pop(name, ({}, ()))[1]:
            self._resources.remove(resource.group, resource.version, resource.plural)

    # --- work on one CRD ---

    async def _settle(self, name: str) -> None:
        """Work on a CRD until nothing is left to do. Our own writes come back here: they only ask for another round."""
        if name in self._busy:
            self._again.add(name)
            return
        task = asyncio.create_task(self._work(name), name=f"crd {name}")
        self._busy[name] = task
        # A client that goes away must not leave a CRD half done.
        await asyncio.shield(task)

    async def _settle_group(self, group: str, *, but: str) -> None:
        """Look again at the other CRDs of a group: a name may have become free."""
        for name, crd in tuple(self._known.items()):
            if name != but and crd["spec"]["group"] == group and not conditions.is_true(crd, "NamesAccepted"):
                await self._settle(name)

    async def _work(self, name: str) -> None:
        try:
            for _ in range(_MOST_ROUNDS):
                self._again.discard(name)
                await self._step(name)
                if name not in self._again:
                    break
        except Exception:  # noqa: BLE001 - the write that led here is done; what is left undone stands in the log
            _log.exception("CustomResourceDefinition %s could not be brought up to date", name)
        finally:
            self._busy.pop(name, None)
            self._again.discard(name)

    async def _step(self, name: str) -> None:
        """Take the next step of a CRD: at most one write of its status, after which there is another round."""
        known = self._known.get(name)
        if known is None:
            return
        crd = json_copy(known)
        if "deletionTimestamp" in crd["metadata"]:
            if CLEANUP in (crd["metadata"].get("finalizers") or ()):
                await self._clean_up(crd)
            return
        if self._set_names(crd) | self._set_approval(crd):
            await self._write(crd)
            await self._settle_group(crd["spec"]["group"], but=name)
        elif _establish(crd):
            await self._write(crd)

    @staticmethod
    def _set_approval(crd: JsonObject) -> bool:
        if not is_protected(crd["spec"]["group"]):
            return conditions.drop(crd, "KubernetesAPIApprovalPolicyConformant")
        state, text = approval(crd)
        status, reason = _APPROVALS[state]
        return conditions.put(crd, "KubernetesAPIApprovalPolicyConformant", status, reason=reason, message=text)

    def _set_names(self, crd: JsonObject) -> bool:
        wanted, accepted = crd["spec"]["names"], crd["status"].get("acceptedNames") or {}
        if json_equal(_said(wanted), _said(accepted)):
            return False
        group = [one for one in self._known.values() if one["spec"]["group"] == crd["spec"]["group"]]
        others = [(one.get("status") or {}).get("acceptedNames") or {} for one in group]
        names, conflict = accept_names(wanted, accepted, others)
        if conflict is None:
            is_new = conditions.put(crd, "NamesAccepted", "True", reason="NoConflicts", message="no conflicts found")
        else:
            is_new = conditions.put(crd, "NamesAccepted", "False", reason=conflict[0], message=conflict[1])
        if not is_new and json_equal(_said(names), _said(accepted)):
            return False
        crd["status"]["acceptedNames"] = names
        _set_not_established(crd, is_accepted=conflict is None)
        return True

    # --- the end of a CRD ---

    async def _clean_up(self, crd: JsonObject) -> None:
        """Delete a CRD's objects, then let it go; objects with finalizers keep it until they are gone."""
        text = "CustomResource deletion is in progress"
        if conditions.put(crd, "Terminating", "True", reason="InstanceDeletionInProgress", message=text):
            await self._write(crd)
            return
        if not conditions.is_true(crd, "Established"):
            text = "resource was never established"
            conditions.put(crd, "Terminating", "False", reason="NeverEstablished", message=text)
        elif await self._has_instances(crd):
            return
        else:
            reason, text = "InstanceDeletionCompleted", "removed all instances"
            conditions.put(crd, "Terminating", "False", reason=reason, message=text)
        crd["metadata"]["finalizers"] = [one for one in crd["metadata"]["finalizers"] if one != CLEANUP]
        await self._write(crd)

    async def _has_instances(self, crd: JsonObject) -> bool:
        """Delete the objects that are not being deleted yet, once; whether any is left."""
        name = crd["metadata"]["name"]
        served = self._served.get(name, ({}, ()))[1]
        if not served:
            return False
        resource = served[0]
        if name not in self._swept:
            items = await self._instances(resource)
            for namespace in dict.fromkeys(item["metadata"].get("namespace", "") for item in items if _is_live(item)):
                await self._send("DELETE", _collection(resource, namespace))
            self._swept.add(name)
        return bool(await self._instances(resource, limit=1))

    async def _instances(self, resource: Resource, *, limit: int = 0) -> list[JsonObject]:
        query = (("limit", str(limit)),) if limit else ()
        status, answer = await self._send("GET", _collection(resource, ""), query=query)
        items: list[JsonObject] = answer.get("items") or []
        if status != _OK:
            text = f"the objects of {resource.plural}.{resource.group} cannot be listed: {answer.get('message')}"
            raise RuntimeError(text)
        return items

    # --- as a client ---

    async def _write(self, crd: JsonObject) -> None:
        """Write a CRD's status; where it changed meanwhile, look at it again."""
        name = crd["metadata"]["name"]
        status, answer = await self._send("PUT", f"{_PATH}/{name}/status", crd)
        if status in (404, 409):
            _, answer = await self._send("GET", f"{_PATH}/{name}")
            if answer.get("kind") == "CustomResourceDefinition":
                self._known[name] = answer
                self._again.add(name)
        elif status >= 400:  # noqa: PLR2004 - any failure
            raise RuntimeError(f"the status of {name} cannot be written: {answer.get('message')}")

    async def _send(
        self, method: str, path: str, body: JsonObject | None = None, *, query: tuple[tuple[str, str], ...] = ()
    ) -> tuple[int, JsonObject]:
        request = Request(
            method=method,
            path=path,
            query=query,
            headers={"content-type": JSON, "accept": JSON, "user-agent": "kube-apiserver/v1.36"},
            body=b"" if body is None else msgspec.json.encode(body),
            peer=Peer(is_trusted=True),
        )
        answer = await self._handle(request)
        if not isinstance(answer, Response):
            raise TypeError(f"{method} {path} was answered by a stream")
        value: JsonObject = msgspec.json.decode(answer.body) if answer.body else {}
        return answer.status, value


def _basis(crd: JsonObject) -> JsonObject:
    """Return all of a CRD that decides what is served."""
    status = crd.get("status") or {}
    flags = {kind: conditions.is_true(crd, kind) for kind in ("NamesAccepted", "Established", "Terminating")}
    return {
        "spec": crd["spec"],
        "names": status.get("acceptedNames"),
        "flags": flags,
        "uid": crd["metadata"].get("uid"),
    }


def _said(names: Any) -> JsonObject:
    return {name: value for name, value in names.items() if value}


def _set_not_established(crd: JsonObject, *, is_accepted: bool) -> None:
    """Say that a CRD is not established yet; one that is stays so, whatever becomes of its names."""
    if conditions.is_true(crd, "Established"):
        return
    if is_accepted:
        text = "the initial names have been accepted"
        conditions.put(crd, "Established", "False", reason="Installing", message=text)
    elif conditions.find(crd, "Established") is None:
        conditions.put(crd, "Established", "False", reason="NotAccepted", message="not all names are accepted")


def _establish(crd: JsonObject) -> bool:
    """Establish a CRD whose names are accepted, in place; return whether anything changed."""
    if not conditions.is_true(crd, "NamesAccepted") or conditions.is_true(crd, "Established"):
        return False
    client = ((crd["spec"].get("conversion") or {}).get("webhook") or {}).get("clientConfig") or {}
    if bundle_fault(client.get("caBundle") or ""):
        text = "The conversion webhook CABundle is invalid"
        return conditions.put(crd, "Established", "False", reason="InvalidCABundle", message=text)
    text = "the initial names have been accepted"
    return conditions.put(crd, "Established", "True", reason="InitialNamesAccepted", message=text)


def _is_live(item: JsonObject) -> bool:
    return "deletionTimestamp" not in item["metadata"]


def _collection(resource: Resource, namespace: str) -> str:
    root = f"/apis/{resource.group}/{resource.version}"
    return f"{root}/namespaces/{namespace}/{resource.plural}" if namespace else f"{root}/{resource.plural}"
