"""CA bundle: tells the API server which authority to trust for our webhooks, and goes on telling it.

`with_bundle` and `with_conversion_bundle` decide (pure: an object in, the changed one or None out); `CaBundle` reads
and writes. What is there by somebody else's hand stays, apart from the bundle of the webhooks that are ours, told by
their path.
"""

from __future__ import annotations

import base64
import copy
from collections.abc import Callable, Collection, Iterable
from typing import Any, Final
from urllib.parse import urlsplit

from konverge import log
from konverge.api.form import Form, unstructured
from konverge.api.kind import Resource
from konverge.api.unstructured import Unstructured
from konverge.client.client import Client
from konverge.client.ignore import ignore_not_found
from konverge.errors import Conflict, KonvergeError, NotFound
from konverge.webhook import registration
from konverge.webhook.registration import CONVERT_PATH, Registration, Target

_LOG: Final = log.get("webhook")
_GROUP: Final = "admissionregistration.k8s.io/v1"
_CONFIGURATIONS: Final = {
    True: unstructured(_GROUP, "MutatingWebhookConfiguration"),
    False: unstructured(_GROUP, "ValidatingWebhookConfiguration"),
}
_DEFINITION: Final = unstructured("apiextensions.k8s.io/v1", "CustomResourceDefinition")
FIELD_OWNER: Final = "konverge-webhook"  # of configurations that are applied as a whole
_ATTEMPTS: Final = 5  # when others write at the same moment; then at the next look
Json = dict[str, Any]


def with_bundle(webhooks: list[Json], paths: Collection[str], bundle: bytes) -> list[Json] | None:
    """Return the webhooks of a configuration with the bundle in those of these paths; None if it is there already."""
    changed = copy.deepcopy(webhooks)
    for hook in changed:
        _trust(hook.get("clientConfig") or {}, paths, bundle)
    return None if changed == webhooks else changed


def with_conversion_bundle(conversion: Json, bundle: bytes) -> Json | None:
    """Return the conversion of a CRD with the bundle; None if it is there already, or if it is not ours."""
    changed = copy.deepcopy(conversion)
    if changed.get("strategy") == "Webhook":
        _trust((changed.get("webhook") or {}).get("clientConfig") or {}, (CONVERT_PATH,), bundle)
    return None if changed == conversion else changed


def holds(found: Any, wanted: Any) -> bool:
    """Whether an object is as wanted already; a server adds fields of its own, and takes none away."""
    if isinstance(wanted, dict):
        return isinstance(found, dict) and all(key in found and holds(found[key], wanted[key]) for key in wanted)
    if isinstance(wanted, list):
        return isinstance(found, list) and len(found) == len(wanted) and all(map(holds, found, wanted))
    return bool(found == wanted)


def _trust(config: Json, paths: Collection[str], bundle: bytes) -> None:
    if _path(config) in paths:
        config["caBundle"] = base64.b64encode(bundle).decode()


def _path(config: Json) -> str:
    service = config.get("service")
    return str(service.get("path", "")) if service else urlsplit(str(config.get("url", ""))).path


class CaBundle:
    """Keeps the configurations of one manager's webhooks up to date; does nothing where nothing has changed."""

    def __init__(self, client: Client, *, name: str) -> None:
        self._client = client
        self._name = name
        self._said: dict[str, None] = {}  # what was missing, each logged once

    async def inject(
        self, registrations: Iterable[Registration], converted: Iterable[Resource], *, bundle: bytes
    ) -> bool:
        """Put the bundle into the configurations and CRDs that are there; return whether all of them were."""
        found = [await self._inject(mutating, paths, bundle) for mutating, paths in _paths(registrations).items()]
        found += [await self._convert(resource, bundle=bundle, target=None) for resource in converted]
        return all(found)

    async def apply(
        self,
        registrations: Iterable[Registration],
        converted: Iterable[Resource],
        *,
        bundle: bytes,
        target: Target,
    ) -> bool:
        """Write the configurations as a whole, and the conversion of the CRDs; return whether these were there."""
        made = registration.configurations(registrations, name=self._name, target=target, ca_bundle=bundle)
        for wanted in made:
            await self._apply(wanted)
        found = [await self._convert(resource, bundle=bundle, target=target) for resource in converted]
        return all(found)

    async def _apply(self, wanted: Json) -> None:
        form, name = unstructured(wanted["apiVersion"], wanted["kind"]), wanted["metadata"]["name"]
        found = await ignore_not_found(self._client.get(form, name))
        if found is not None and holds(found.to_dict(), wanted):
            return
        await self._client.apply(Unstructured.from_dict(wanted), force=True, field_owner=FIELD_OWNER)
        _LOG.info("a webhook configuration was applied", kind=form.gvk.kind, name=name)

    async def _inject(self, mutating: bool, paths: list[str], bundle: bytes) -> bool:  # noqa: FBT001 - a key of a dict
        def change(found: Unstructured) -> bool:
            changed = with_bundle(found.to_dict().get("webhooks") or [], paths, bundle)
            if changed is not None:
                found["webhooks"] = changed
            return changed is not None

        return await self._write(
            _CONFIGURATIONS[mutating], registration.configuration_name(self._name, mutating=mutating), change
        )

    async def _convert(self, resource: Resource, *, bundle: bytes, target: Target | None) -> bool:
        def change(found: Unstructured) -> bool:
            before = found.to_dict()["spec"].get("conversion") or {}
            if target is None:
                changed = with_conversion_bundle(before, bundle)
            else:
                wanted = registration.conversion_config(target, ca_bundle=bundle)
                changed = None if wanted == before else wanted
            if changed is not None:
                found["spec"]["conversion"] = changed
            return changed is not None

        return await self._write(_DEFINITION, f"{resource.plural}.{resource.group}", change)

    async def _write(self, form: Form[Unstructured], name: str, change: Callable[[Unstructured], bool]) -> bool:
        """Read, change and write an object; return whether it is there and as it should be."""
        for _ in range(_ATTEMPTS):
            try:
                found = await self._client.get(form, name)
                if change(found):
                    await self._client.update(found)
                    _LOG.info("the CA bundle was injected", kind=form.gvk.kind, name=name)
            except NotFound:
                return self._missing(f"{form.gvk.kind} {name}")
            except Conflict:  # a server writes the status of a CRD of its own accord, more than once
                continue
            return True
        return False

    def _missing(self, what: str) -> bool:
        if what not in self._said:
            self._said[what] = None
            _LOG.warning("no CA bundle can be injected yet: apply its manifest", missing=what)
        return False


def _paths(registrations: Iterable[Registration]) -> dict[bool, list[str]]:
    found: dict[bool, list[str]] = {}
    for each in registrations:
        found.setdefault(each.mutating, []).append(each.path)
    return found


def said(error: KonvergeError) -> None:
    """Log that the configurations could not be brought up to date this time."""
    _LOG.warning("the webhooks' configurations could not be brought up to date; trying again", cause=str(error))
