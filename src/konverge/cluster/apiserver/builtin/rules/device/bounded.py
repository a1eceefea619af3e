"""Lists and maps that may not grow beyond a size: where they do, nothing else in them is judged."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.field_error import FieldError

Judge = Callable[[Any, str], Iterable[FieldError]]
_ELLIPSIS: Final = b"..."


def list_errors(items: Sequence[Any] | None, path: str, judge: Judge, *, most: int) -> Iterator[FieldError]:
    """Judge a list and each of its items."""
    if len(items or ()) > most:
        yield field_error.too_many(path, len(items or ()), most)
        return
    for index, item in enumerate(items or ()):
        yield from judge(item, f"{path}[{index}]")


def set_errors(
    items: Sequence[Any] | None,
    path: str,
    judge: Judge,
    *,
    most: int,
    key: Callable[[Any], Any] = lambda item: item,
) -> Iterator[FieldError]:
    """Judge a list whose items differ by a key; `key` returns what a message shows of it."""
    yield from list_errors(items, path, judge, most=most)
    keys: list[Any] = []
    for index, item in enumerate(items or ()) if len(items or ()) <= most else ():
        if (found := key(item)) in keys:
            yield field_error.duplicate(f"{path}[{index}]", found)
        else:
            keys.append(found)


def map_errors(
    entries: Mapping[str, Any] | None,
    path: str,
    judge: Judge,
    *,
    judge_key: Judge,
    longest_key: int,
    most: int | None = None,
) -> Iterator[FieldError]:
    """Judge the keys of a map and its values; a path shows the ends of a key that is too long."""
    if most is not None and len(entries or ()) > most:
        yield field_error.too_many(path, len(entries or ()), most)
        return
    for key, value in (entries or {}).items():
        yield from judge_key(key, path)
        yield from judge(value, f"{path}[{_shortened(key, longest_key)}]")


def _shortened(text: str, longest: int) -> str:
    whole = text.encode()
    if len(whole) <= longest:
        return text
    rest = longest - len(_ELLIPSIS)
    return (whole[: (rest + 1) // 2] + _ELLIPSIS + whole[-(rest // 2) :]).decode(errors="replace")


def nothing(_value: Any, _path: str) -> Iterable[FieldError]:
    """Find no fault: what the decoder could read will do."""
    return ()
