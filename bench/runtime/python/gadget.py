"""The kind that the controllers reconcile."""

from __future__ import annotations

from typing import ClassVar

import konverge as kv


class Port(kv.Model):
    """One of a gadget."""

    name: str | None = None
    port: int | None = None
    protocol: str | None = None


class Rule(kv.Model):
    """One of a gadget."""

    host: str | None = None
    path: str | None = None
    weight: int | None = None


class GadgetSpec(kv.Model):
    """What is wanted."""

    image: str | None = None
    replicas: int | None = None
    paused: bool | None = None
    schedule: str | None = None
    description: str | None = None
    ports: list[Port] | None = None
    resources: dict[str, str] | None = None
    rules: list[Rule] | None = None
    selector: dict[str, str] | None = None
    notify: list[str] | None = None


class GadgetStatus(kv.Model):
    """What is."""

    child: str | None = None
    phase: str | None = None


class Gadget(kv.Object):
    """The kind."""

    __resource__: ClassVar[kv.Resource] = kv.Resource(
        group="bench.konverge.dev", version="v1", kind="Gadget", plural="gadgets", namespaced=True
    )

    spec: GadgetSpec = kv.field(default_factory=GadgetSpec)
    status: GadgetStatus = kv.field(default_factory=GadgetStatus)
