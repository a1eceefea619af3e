"""Conversion: objects of one version of a kind as objects of another, by way of the hub.

One version is the hub; each other one, a spoke, has a function to the hub and one from it::

    Conversion(PageV2, Spoke(PageV1, to_hub=to_v2, from_hub=to_v1))

Metadata goes along by itself; of what a function gives back, only labels and annotations may differ from it. Fields
that a class does not know are lost between versions, unless the function takes them along: a spoke or a hub may be
`unstructured(…)`. `answer` works on the bytes of a ConversionReview, without I/O, and never fails.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, Generic, TypeVar

import msgspec

from konverge import log
from konverge.api.form import Form, Kind, form_of
from konverge.api.kind import GroupKind, GroupVersion
from konverge.api.meta import ObjectMeta
from konverge.api.model import decode, encode
from konverge.api.object import Object, read, replace, write
from konverge.errors import BadRequest, KonvergeError, RequestError
from konverge.webhook.calling import Call, Result, call

_LOG: Final = log.get("webhook")
_VERSION: Final = "apiextensions.k8s.io/v1"
Json = dict[str, Any]
S = TypeVar("S", bound=Object)
H = TypeVar("H", bound=Object)


class NotConvertible(KonvergeError):
    """There is no way from the version that an object has to the one that was asked for."""


class Spoke(Generic[S, H]):
    """A version beside the hub, with the ways there and back, `async def` or plain `def`."""

    def __init__(self, kind: Kind[S], *, to_hub: Callable[[S], Result[H]], from_hub: Callable[[H], Result[S]]) -> None:
        self.form: Form[S] = form_of(kind)
        self.to_hub = to_hub
        self.from_hub = from_hub


class Conversion:
    """All versions of one kind."""

    def __init__(self, hub: Kind[Any], *spokes: Spoke[Any, Any]) -> None:
        self.hub: Form[Any] = form_of(hub)
        self._spokes = {spoke.form.gvk.version: spoke for spoke in spokes}
        strange = [spoke.form.gvk for spoke in spokes if spoke.form.gvk.group_kind != self.group_kind]
        if strange or self.hub.gvk.version in self._spokes or len(self._spokes) != len(spokes):
            raise RequestError(
                f"a conversion of {self.hub.gvk} needs spokes of the same kind, each of another version; got "
                f"{', '.join(str(spoke.form.gvk) for spoke in spokes)}"
            )

    @property
    def group_kind(self) -> GroupKind:
        """The kind that it converts."""
        return self.hub.gvk.group_kind

    async def convert(self, raw: bytes | msgspec.Raw, version: str, *, call: Call = call) -> bytes:
        """Return an object as one of another version, by way of the hub; one of that version already as it is."""
        wire = decode(dict[str, msgspec.Raw], raw)
        found = GroupVersion.parse(decode(str, wire["apiVersion"])).version
        if found == version:
            return bytes(raw)
        middle = await self._to_hub(raw, found, call)
        obj = await self._from_hub(middle, version, call)
        return _finished(obj, wire, f"{self.group_kind.group}/{version}")

    async def _to_hub(self, raw: bytes | msgspec.Raw, version: str, call: Call) -> Object:
        if version == self.hub.gvk.version:
            hub: Object = read(self.hub.cls, raw)
            return hub
        spoke = self._spoke(version)
        obj = read(spoke.form.cls, raw)
        return _checked(await call(spoke.to_hub, obj), self.hub, f"to_hub of {version}", metadata=obj.metadata)

    async def _from_hub(self, obj: Object, version: str, call: Call) -> Object:
        if version == self.hub.gvk.version:
            return obj
        spoke = self._spoke(version)
        return _checked(await call(spoke.from_hub, obj), spoke.form, f"from_hub of {version}", metadata=obj.metadata)

    def _spoke(self, version: str) -> Spoke[Any, Any]:
        if version not in self._spokes:
            known = ", ".join((self.hub.gvk.version, *self._spokes))
            raise NotConvertible(f"{self.hub.gvk.kind} has no version {version} here; it has {known}")
        return self._spokes[version]


def _checked(made: Any, form: Form[Any], function: str, *, metadata: ObjectMeta) -> Object:
    """Return what a function made, with the metadata that it left out."""
    if not isinstance(made, form.cls):
        raise NotConvertible(f"{function} must return a {form.cls.__name__}, not {type(made).__name__}")
    result: Object = made
    has_metadata = result.metadata.name or result.metadata.labels or result.metadata.annotations
    return result if has_metadata else replace(result, metadata=metadata)


def _finished(obj: Object, wire: Mapping[str, msgspec.Raw], api_version: str) -> bytes:
    """Encode what the author made, with the metadata of what it was made of: the API server takes no other."""
    body = decode(dict[str, msgspec.Raw], write(replace(obj, metadata=ObjectMeta())))
    metadata = decode(dict[str, Any], wire.get("metadata", msgspec.Raw(b"{}")))
    for name, value in (("labels", obj.metadata.labels), ("annotations", obj.metadata.annotations)):
        metadata.pop(name, None)
        if value:
            metadata[name] = dict(value)
    identity = {"apiVersion": msgspec.Raw(encode(api_version)), "kind": wire["kind"]}
    return encode({**body, **identity, "metadata": msgspec.Raw(encode(metadata))})


class Conversions:
    """The conversions of all kinds that one path serves."""

    def __init__(self, conversions: Iterable[Conversion] = ()) -> None:
        self._by_kind: dict[GroupKind, Conversion] = {}
        for conversion in conversions:
            self.add(conversion)

    def add(self, conversion: Conversion) -> None:
        """Convert a further kind."""
        if conversion.group_kind in self._by_kind:
            raise RequestError(f"{conversion.group_kind} has a conversion already: name all its versions in one")
        self._by_kind[conversion.group_kind] = conversion

    @property
    def kinds(self) -> tuple[Form[Any], ...]:
        """The hubs."""
        return tuple(conversion.hub for conversion in self._by_kind.values())

    async def convert(self, raw: bytes | msgspec.Raw, api_version: str, *, call: Call = call) -> bytes:
        """Return an object as one of another group and version."""
        header = decode(_Header, raw)
        wanted, found = GroupVersion.parse(api_version), GroupVersion.parse(header.api_version)
        conversion = self._by_kind.get(GroupKind(found.group, header.kind))
        if conversion is None or wanted.group != found.group:
            raise NotConvertible(f"nothing here converts {header.api_version} {header.kind} to {api_version}")
        return await conversion.convert(raw, wanted.version, call=call)


class _Name(msgspec.Struct):
    name: str = ""
    namespace: str = ""


class _Header(msgspec.Struct, rename="camel"):
    api_version: str
    kind: str
    metadata: _Name = msgspec.field(default_factory=_Name)

    def __str__(self) -> str:
        where = "/".join(filter(None, (self.metadata.namespace, self.metadata.name)))
        return f'{self.api_version} {self.kind} "{where}"'


class _Request(msgspec.Struct, rename={"desired_api_version": "desiredAPIVersion"}):
    uid: str
    desired_api_version: str
    objects: list[msgspec.Raw] = []


class _Review(msgspec.Struct, rename="camel"):
    api_version: str = ""
    kind: str = ""
    request: _Request | None = None


async def answer(
    body: bytes,
    conversions: Conversions,
    *,
    call: Call = call,
    timeout: float | None = None,  # noqa: ASYNC109 - the API server's own, and its end is an answer
    panicked: Callable[[], object] = lambda: None,
) -> bytes:
    """Answer the bytes of a ConversionReview: all objects converted, or none and the reason. Garbage: `BadRequest`."""
    request = _read(body)
    converted: list[msgspec.Raw] = []
    place, limit = "", asyncio.timeout(timeout)
    try:
        async with limit:
            for raw in request.objects:
                place = str(decode(_Header, raw))
                converted.append(msgspec.Raw(await conversions.convert(raw, request.desired_api_version, call=call)))
    except NotConvertible as error:
        return _failure(request, f"{place}: {error}")
    except Exception as error:  # noqa: BLE001 - the author's code; one object's bug must not stop the others
        if isinstance(error, TimeoutError) and limit.expired():
            return _failure(request, f"{place}: not converted within {timeout:g} s")
        panicked()
        _LOG.error("a conversion failed", error, object=place, wanted=request.desired_api_version)
        return _failure(request, f"{place}: {type(error).__name__}: {error}")
    return _written(request, {"result": {"status": "Success"}, "convertedObjects": converted})


def _read(body: bytes) -> _Request:
    try:
        review = msgspec.json.decode(body, type=_Review)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise BadRequest(f"the body is no ConversionReview: {error}") from error
    if review.kind != "ConversionReview" or review.api_version != _VERSION or review.request is None:
        raise BadRequest(f"the body is no ConversionReview of {_VERSION} with a request")
    return review.request


def _failure(request: _Request, message: str) -> bytes:
    return _written(request, {"result": {"status": "Failure", "message": message}, "convertedObjects": []})


def _written(request: _Request, response: Mapping[str, Any]) -> bytes:
    body = {"apiVersion": _VERSION, "kind": "ConversionReview", "response": {"uid": request.uid, **response}}
    return msgspec.json.encode(body)
