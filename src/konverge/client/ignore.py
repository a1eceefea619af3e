"""Errors that are no news: an object that is gone already, or there already."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import TypeVar

from konverge.errors import AlreadyExists, NotFound

T = TypeVar("T")


async def ignore_not_found(call: Awaitable[T]) -> T | None:
    """Await a call and return its result, or None if the object is not there."""
    try:
        return await call
    except NotFound:
        return None


async def ignore_already_exists(call: Awaitable[T]) -> T | None:
    """Await a call and return its result, or None if the object was there before."""
    try:
        return await call
    except AlreadyExists:
        return None
