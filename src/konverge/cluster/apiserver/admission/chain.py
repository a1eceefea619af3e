"""AdmissionChain: who is asked about a write, in order.

The order is the real server's: MutatingAdmissionPolicy, MutatingAdmissionWebhook; ValidatingAdmissionPolicy,
ValidatingAdmissionWebhook, ResourceQuota. The first who says no ends it, by raising a `Failure`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from konverge.cluster.apiserver.admission.attributes import Attributes
from konverge.cluster.apiserver.resource import Resource


class Plugin(Protocol):
    """What every plugin of the chain has."""

    @property
    def is_active(self) -> bool:
        """Whether anything is configured; asked at each write, so it must be cheap."""
        ...

    def changed(self, resource: Resource) -> None:
        """Take note that an object of a resource was written: what was compiled of it is no longer true."""
        ...


class Mutator(Plugin, Protocol):
    """A plugin that may change an object."""

    async def mutate(self, attributes: Attributes) -> None:
        """Change `attributes.value` by `become`, or leave it; raise a `Failure` to refuse the write."""
        ...


class Validator(Plugin, Protocol):
    """A plugin that says yes or no."""

    async def validate(self, attributes: Attributes) -> None:
        """Raise a `Failure` to refuse the write."""
        ...


class AdmissionChain:
    """The plugins of both phases. A plugin that is of both stands in both."""

    def __init__(self, mutators: Sequence[Mutator] = (), validators: Sequence[Validator] = ()) -> None:
        self.mutators = tuple(mutators)
        self.validators = tuple(validators)
        self._plugins: tuple[Plugin, ...] = tuple(dict.fromkeys((*self.mutators, *self.validators)))

    @property
    def mutates(self) -> bool:
        """Whether any mutator has something to do."""
        for each in self.mutators:  # noqa: SIM110 - a generator costs more, and every write comes here
            if each.is_active:
                return True
        return False

    @property
    def validates(self) -> bool:
        """Whether any validator has something to do."""
        for each in self.validators:  # noqa: SIM110 - as above
            if each.is_active:
                return True
        return False

    async def mutate(self, attributes: Attributes) -> None:
        """Let every mutator change the object, in order."""
        for each in self.mutators:
            if each.is_active:
                await each.mutate(attributes)

    async def validate(self, attributes: Attributes) -> None:
        """Let every validator judge the object, in order."""
        for each in self.validators:
            if each.is_active:
                await each.validate(attributes)

    def changed(self, resource: Resource) -> None:
        """Tell the plugins of a write that is durable."""
        for each in self._plugins:
            each.changed(resource)
