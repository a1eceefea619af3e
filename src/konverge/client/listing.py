"""Lists, paged transparently: `await` one for all its objects, or iterate over it page by page in little memory."""

from __future__ import annotations

import gc
from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Iterator
from contextlib import contextmanager
from typing import Any, Generic

import msgspec
from msgspec import Raw, structs

from konverge.api.form import Form, T
from konverge.api.meta import ListMeta, ObjectMeta
from konverge.api.model import decode, encode
from konverge.api.object import read, reader
from konverge.api.request import ListOptions
from konverge.errors import DecodeError, Expired, RequestError

PAGE_SIZE = 500  # what kubectl and client-go ask for at a time


class ObjectList(list[T]):
    """The objects of a list, with what the server said about the list as a whole."""

    def __init__(self, objects: list[T], metadata: ListMeta) -> None:
        super().__init__(objects)
        self.metadata = metadata

    @property
    def resource_version(self) -> str:
        """The version the list was read at: where a watch goes on."""
        return self.metadata.resource_version or ""


class _Page(msgspec.Struct):
    kind: str = ""
    items: list[Raw] | None = None
    metadata: Raw = Raw(b"{}")


class _Identity(msgspec.Struct, rename="camel"):
    kind: str = ""


class _Named(msgspec.Struct):
    metadata: ObjectMeta


_SAYS_KIND = (b'{"apiVersion":', b'{"kind":')  # as the server writes them; others are looked into
_PAGE = msgspec.json.Decoder(_Page)
_NAMED = msgspec.json.Decoder(_Named)
_META = msgspec.json.Decoder(ListMeta)
_IDENTITY = msgspec.json.Decoder(_Identity)


def split_page(body: bytes, kind: str) -> tuple[list[Raw], ListMeta]:
    """Split one page of a list into its items, still undecoded, and what the server said about the list."""
    try:
        page = _PAGE.decode(body)
        if page.kind == "Status":  # it has no items either, and must not pass for an empty list
            raise DecodeError(f"the server answered with a Status, not with a list of {kind}")
        return page.items or [], _META.decode(page.metadata)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise DecodeError(f"the answer is no list of {kind}: {error}") from error


def read_page(body: bytes, form: Form[T]) -> ObjectList[T]:
    """Decode one page of a list into objects, each with its own bytes."""
    items, metadata = split_page(body, form.gvk.kind)
    head = encode({"apiVersion": form.gvk.api_version, "kind": form.gvk.kind})[:-1] + b","
    with _collector_paused():
        return ObjectList(_read_items(items, form, head), metadata)


def _read_items(items: list[Raw], form: Form[T], head: bytes) -> list[T]:
    if form.metadata_only:
        return [read_named(with_kind(item, head), form) for item in items]
    read_one = reader(form.cls)
    try:
        return [read_one(with_kind(item, head)) for item in items]
    except (msgspec.MsgspecError, DecodeError):  # once more, for an error that names the item
        return [read_named(with_kind(item, head), form) for item in items]


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Put garbage collection off while a page is decoded, for it makes no garbage, only objects that stay.

    Otherwise the collector looks at them again and again while they are made, which doubles the cost of a long list.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def with_kind(item: Raw, head: bytes) -> bytes:
    """Return one item as bytes of its own; those of a built-in list do not say their kind, so it is put in front."""
    data = bytes(item)
    if data.startswith(_SAYS_KIND) or _IDENTITY.decode(data).kind:
        return data
    rest = data[1:].lstrip()
    return head[:-1] + rest if rest.startswith(b"}") else head + rest


def read_object(data: bytes, form: Form[T]) -> T:
    """Decode one object; metadata alone gets the kind of what it is the metadata of, not the kind of its envelope."""
    if form.metadata_only:
        data = encode(decode(dict[str, Raw], data) | _identity(form))
    return read(form.cls, data)


def read_named(data: bytes, form: Form[T]) -> T:
    """Decode one object of many; one that does not fit is named in the error."""
    try:
        return read_object(data, form)
    except DecodeError as error:
        raise DecodeError(f"{_name_in(data)}{error}") from error


def _identity(form: Form[T]) -> dict[str, Raw]:
    return {"apiVersion": Raw(encode(form.gvk.api_version)), "kind": Raw(encode(form.gvk.kind))}


def _name_in(data: bytes) -> str:
    """The name of an object that does not fit its class, as far as it has one."""
    try:
        metadata = _NAMED.decode(data).metadata
    except (msgspec.MsgspecError, RecursionError):
        return ""
    return f'"{metadata.key}": '


FetchPage = Callable[[ListOptions], Awaitable[ObjectList[T]]]


class Listing(Generic[T]):
    """A list that has not been asked for yet.

    `await` it for an `ObjectList` with everything, or use `async for` to hold one page at a time. When the server
    has forgotten the version of the first page, an awaited list starts over; an iteration raises `Expired`, since
    it has given objects away already.
    """

    def __init__(self, fetch: FetchPage[T], options: ListOptions, *, limit: int | None, page_size: int) -> None:
        for name, value in (("limit", limit), ("page_size", page_size)):
            if value is not None and value < 1:
                raise RequestError(f"{name} must be at least 1, not {value}: the server takes 0 for no limit")
        self._fetch = fetch
        self._options = options
        self._limit = limit
        self._page_size = page_size

    def __await__(self) -> Generator[Any, None, ObjectList[T]]:
        return self._all().__await__()

    async def __aiter__(self) -> AsyncIterator[T]:
        async for page in self.pages():
            for obj in page:
                yield obj

    async def pages(self) -> AsyncIterator[ObjectList[T]]:
        """Yield the list page by page."""
        token: str | None = None
        left = self._limit
        while True:
            page = await self._fetch(self._next(token, left))
            del page[left if left is not None else len(page) :]  # a list from the server's cache has no pages
            yield page
            token = page.metadata.continue_
            left = None if left is None else left - len(page)
            if not token or (left is not None and left <= 0):
                return

    def _next(self, token: str | None, left: int | None) -> ListOptions:
        size = self._page_size if left is None else min(left, self._page_size)
        if token is None:
            return structs.replace(self._options, limit=size)
        # The token holds the version; the server refuses one beside it.
        return structs.replace(
            self._options, limit=size, continue_=token, resource_version=None, resource_version_match=None
        )

    async def _all(self) -> ObjectList[T]:
        pages: list[ObjectList[T]] = []
        try:
            async for page in self.pages():
                pages.append(page)  # noqa: PERF401 - those that came before an error count
        except Expired:
            if not pages:
                raise  # the version asked for is gone, not the one of a page
            # As client-go's pager: one request without pages cannot expire half-way.
            pages = [await self._fetch(structs.replace(self._options, limit=self._limit))]
        first, last = pages[0], pages[-1]
        metadata = ListMeta(
            resource_version=first.metadata.resource_version,
            continue_=last.metadata.continue_,
            remaining_item_count=last.metadata.remaining_item_count,
        )
        return ObjectList([obj for page in pages for obj in page], metadata)
