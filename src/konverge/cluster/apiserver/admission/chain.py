"""AdmissionChain: who is asked about a write, in order.

The order is the real server's: MutatingAdmissionPolicy, MutatingAdmissionWebhook; ValidatingAdmissionPolicy,
ValidatingAdmissionWebhook, ResourceQuota. The first who says no ends it, by raising a `Failure`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
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

    def __init__(
        self,
        mutators: Sequence[Mutator] = (),
        validators: Sequence[Validator] = (),
        *,
        configured_by: Callable[[Resource], bool] = lambda _: True,
    ) -> None:
        self.mutators = tuple(mutators)
        self.validators = tuple(validators)
        self._plugins: tuple[Plugin, ...] = tuple(dict.fromkeys((*self.mutators, *self.validators)))
        self._configured_by = configured_by
        self._active: tuple[bool, bool] | None = None  # which phases have work; None: to be asked anew

    @property
    def mutates(self) -> bool:
        """Whether any mutator has something to do."""
        return (self._active or self._asked())[0]

    @property
    def validates(self) -> bool:
        """Whether any validator has something to do."""
        return (self._active or self._asked())[1]

    def _asked(self) -> tuple[bool, bool]:
        """Ask the plugins once: every write comes here, and most of them configure nothing."""
        self._active = any(each.is_active for each in self.mutators), any(each.is_active for each in self.validators)
        return self._active

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
        """Tell the plugins of a write that is durable, where it is one that configures them."""
        if self._configured_by(resource):
            self._active = None
            for each in self._plugins:
                each.changed(resource)
