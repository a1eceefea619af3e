"""WebhookBuilder: says which defaulter, validator and conversion a kind has, and hands them to a manager."""

from __future__ import annotations

from typing import Any, Generic, Protocol, Self, TypeVar, Unpack

from konverge.api.form import Form, Kind, form_of
from konverge.api.object import Object
from konverge.errors import RequestError
from konverge.webhook.admission import AdmissionHandler
from konverge.webhook.calling import Call
from konverge.webhook.conversion import Conversion, Spoke
from konverge.webhook.defaulting import OPERATIONS, Defaulter, defaulter_handler
from konverge.webhook.registration import Registration, WebhookChanges, options_of, register
from konverge.webhook.validation import Validator, operations_of, validator_handler

T = TypeVar("T", bound=Object)


class WebhookHost(Protocol):
    """What a builder needs of a manager's webhooks."""

    @property
    def call(self) -> Call:
        """Calls the author's functions."""
        ...

    def add(self, registration: Registration, handler: AdmissionHandler) -> None:
        """Serve a webhook."""
        ...

    def add_conversion(self, conversion: Conversion) -> None:
        """Convert a kind."""
        ...


class WebhookBuilder(Generic[T]):
    """Collects the webhooks of one kind; `complete` hands them over, and may be called once."""

    def __init__(self, host: WebhookHost, kind: Kind[T]) -> None:
        self._host = host
        self._form: Form[T] = form_of(kind)
        self._admission: dict[bool, tuple[Registration, AdmissionHandler]] = {}  # by whether it is mutating
        self._conversion: Conversion | None = None

    def with_defaulter(self, defaulter: Defaulter[T], **options: Unpack[WebhookChanges]) -> Self:
        """Let an object with `default(obj)` fill in what users leave out; options are those of `WebhookOptions`."""
        self._once(mutating=True)
        if not callable(getattr(defaulter, "default", None)):
            raise RequestError(f"{type(defaulter).__name__} is no defaulter: write `async def default(self, obj)`")
        found = options_of(defaulter, options)
        made = register(self._form, mutating=True, operations=OPERATIONS, options=found)
        self._admission[True] = made, defaulter_handler(self._form, defaulter, call=self._host.call)
        return self

    def with_validator(self, validator: Validator[T], **options: Unpack[WebhookChanges]) -> Self:
        """Let an object with `validate_create`, `validate_update` or `validate_delete` refuse what is wrong."""
        self._once(mutating=False)
        found = options_of(validator, options)
        made = register(self._form, mutating=False, operations=operations_of(validator), options=found)
        self._admission[False] = made, validator_handler(self._form, validator, call=self._host.call)
        return self

    def with_conversion(self, *spokes: Spoke[Any, T]) -> Self:
        """Convert between this version, the hub, and others."""
        if self._conversion is not None or not spokes:
            raise RequestError("with_conversion() names all spokes of a kind, once: with_conversion(Spoke(…), …)")
        self._conversion = Conversion(self._form, *spokes)
        return self

    def complete(self) -> tuple[Registration, ...]:
        """Hand them to the manager; return what the API server has to know."""
        if not self._admission and self._conversion is None:
            raise RequestError(
                f"{self._form.gvk} has no webhook: write with_defaulter, with_validator or with_conversion"
            )
        for registration, handler in self._admission.values():
            self._host.add(registration, handler)
        if self._conversion is not None:
            self._host.add_conversion(self._conversion)
        return tuple(registration for registration, _ in self._admission.values())

    def _once(self, *, mutating: bool) -> None:
        if mutating in self._admission:
            raise RequestError(f"{self._form.gvk} has a {'defaulter' if mutating else 'validator'} already")
