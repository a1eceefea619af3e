"""The lease on the server, read and written as a `Record`."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

import msgspec

from konverge.api.meta import ObjectMeta
from konverge.api.time import MicroTime
from konverge.client.client import Client
from konverge.errors import NotFound
from konverge.manager.election import Record, Write
from konverge.models.coordination_v1 import Lease, LeaseSpec


class LeaseLock(msgspec.Struct):
    """One Lease; what it carries beside its spec (labels of others, annotations) is kept."""

    client: Client
    namespace: str
    name: str
    labels: Mapping[str, str] = msgspec.field(default_factory=dict)
    _last: Lease | None = None  # as it was last read or written: what a write starts from

    def __str__(self) -> str:
        return f"{self.namespace}/{self.name}"

    async def read(self) -> tuple[Record, str] | None:
        """Return the record and its version, or None if there is no lease."""
        try:
            self._last = await self.client.get(Lease, self.name, namespace=self.namespace)
        except NotFound:
            self._last = None
            return None
        return _record(self._last.spec), _version(self._last)

    async def write(self, step: Write) -> str:
        """Write a record, and return its version; `Conflict` or `AlreadyExists` if somebody was faster."""
        lease = self._lease(step)
        self._last = await (self.client.update(lease) if step.version else self.client.create(lease))
        return _version(self._last)

    def _lease(self, step: Write) -> Lease:
        last = self._last
        if not step.version or last is None:
            last = Lease(metadata=ObjectMeta(name=self.name, namespace=self.namespace))
        last.metadata.resource_version = step.version or None
        if self.labels:
            last.metadata.labels = {**(last.metadata.labels or {}), **self.labels}
        _fill(last.spec, step.record)
        return last


def _version(lease: Lease) -> str:
    return lease.metadata.resource_version or ""


def _record(spec: LeaseSpec) -> Record:
    return Record(
        holder=spec.holder_identity or "",
        duration=spec.lease_duration_seconds or 0,
        acquired=spec.acquire_time,
        renewed=spec.renew_time,
        transitions=spec.lease_transitions or 0,
    )


def _fill(spec: LeaseSpec, record: Record) -> None:
    spec.holder_identity = record.holder
    spec.lease_duration_seconds = record.duration
    spec.lease_transitions = record.transitions
    spec.acquire_time = _micro(record.acquired)
    spec.renew_time = _micro(record.renewed)


def _micro(moment: datetime | None) -> MicroTime | None:
    return MicroTime.of(moment) if moment is not None else None
