"""Predicates: which events are worth a reconcile. They stand between the cache and the handlers.

Each has a method per kind of event and can be combined: `GenerationChanged() & ~LabelSelectorMatches("paused")`.
Wherever one is taken, a plain function of the event will do: `lambda event: event.metadata.name != "root"`.

A predicate is a filter against needless work, not a lock: reconciles happen without it too (a restart, a resync of
another watch, a requeue). One that raises lets the event pass, since a reconcile too many does no harm.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from konverge import log
from konverge.api.label_selector import LabelSelector
from konverge.controller.event import CreateEvent, DeleteEvent, Event, GenericEvent, UpdateEvent

_LOG = log.get("controller")


class Predicate:
    """Lets everything pass; a subclass overrides the events it judges."""

    def create(self, event: CreateEvent[Any]) -> bool:
        """Whether an object that is there concerns us."""
        del event
        return True

    def update(self, event: UpdateEvent[Any]) -> bool:
        """Whether a change concerns us."""
        del event
        return True

    def delete(self, event: DeleteEvent[Any]) -> bool:
        """Whether an object that is gone concerns us."""
        del event
        return True

    def generic(self, event: GenericEvent[Any]) -> bool:
        """Whether an event from outside concerns us."""
        del event
        return True

    def __call__(self, event: Event[Any]) -> bool:
        """Ask the method of the event's kind."""
        match event:
            case UpdateEvent():
                return self.update(event)
            case CreateEvent():
                return self.create(event)
            case DeleteEvent():
                return self.delete(event)
            case GenericEvent():
                return self.generic(event)

    def __and__(self, other: PredicateLike) -> Predicate:
        return And(self, other)

    def __rand__(self, other: PredicateLike) -> Predicate:
        return And(other, self)

    def __or__(self, other: PredicateLike) -> Predicate:
        return Or(self, other)

    def __ror__(self, other: PredicateLike) -> Predicate:
        return Or(other, self)

    def __invert__(self) -> Predicate:
        return Not(self)

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


PredicateLike = Predicate | Callable[[Event[Any]], bool]
"""What is taken for a predicate: one, or any function of an event."""


class ResourceVersionChanged(Predicate):
    """Updates that are news: resyncs, which show the same version again, are left out."""

    def update(self, event: UpdateEvent[Any]) -> bool:
        """Whether the version is another one."""
        return not event.is_resync


class GenerationChanged(Predicate):
    """Updates that change what is wanted: the server counts `generation` up with the spec, not with the status.

    Deletion with finalizers counts as well. Kinds that have no generation (ConfigMap, Secret, Service …) tell nothing
    this way, so their updates pass; controller-runtime drops them all, silently.
    """

    def update(self, event: UpdateEvent[Any]) -> bool:
        """Whether the generation is another one, or there is none."""
        generation = event.metadata.generation
        return generation is None or generation != event.metadata_old.generation


class AnnotationChanged(Predicate):
    """Updates that change an annotation; often next to another: `GenerationChanged() | AnnotationChanged()`."""

    def update(self, event: UpdateEvent[Any]) -> bool:
        """Whether the annotations differ."""
        return (event.metadata.annotations or {}) != (event.metadata_old.annotations or {})


class LabelChanged(Predicate):
    """Updates that change a label; often next to another: `GenerationChanged() | LabelChanged()`."""

    def update(self, event: UpdateEvent[Any]) -> bool:
        """Whether the labels differ."""
        return (event.metadata.labels or {}) != (event.metadata_old.labels or {})


class LabelSelectorMatches(Predicate):
    """Events of objects whose labels (as they are now) match a selector: `"app=web,!legacy"`, a mapping, or a value.

    What never matches need not be cached either: a selector on the cache saves its memory too.
    """

    def __init__(self, selector: str | Mapping[str, str] | LabelSelector) -> None:
        self.selector = LabelSelector.of(selector)

    def __call__(self, event: Event[Any]) -> bool:
        """Whether the labels match, whatever happened."""
        return self.selector.matches(event.metadata.labels)

    def __repr__(self) -> str:
        return f"LabelSelectorMatches({str(self.selector)!r})"


class Functions(Predicate):
    """A function per kind of event; events without one pass."""

    def __init__(
        self,
        *,
        create: Callable[[CreateEvent[Any]], bool] | None = None,
        update: Callable[[UpdateEvent[Any]], bool] | None = None,
        delete: Callable[[DeleteEvent[Any]], bool] | None = None,
        generic: Callable[[GenericEvent[Any]], bool] | None = None,
    ) -> None:
        self._create, self._update, self._delete, self._generic = create, update, delete, generic

    def create(self, event: CreateEvent[Any]) -> bool:
        """Ask the function for it, if there is one."""
        return self._create is None or self._create(event)

    def update(self, event: UpdateEvent[Any]) -> bool:
        """Ask the function for it, if there is one."""
        return self._update is None or self._update(event)

    def delete(self, event: DeleteEvent[Any]) -> bool:
        """Ask the function for it, if there is one."""
        return self._delete is None or self._delete(event)

    def generic(self, event: GenericEvent[Any]) -> bool:
        """Ask the function for it, if there is one."""
        return self._generic is None or self._generic(event)


class And(Predicate):
    """What all of several let pass; the first that does not ends the asking."""

    def __init__(self, *predicates: PredicateLike) -> None:
        self.predicates = predicates

    def __call__(self, event: Event[Any]) -> bool:
        """Ask one after the other."""
        return all(predicate(event) for predicate in self.predicates)

    def __repr__(self) -> str:
        return f"({' & '.join(map(repr, self.predicates))})"


class Or(Predicate):
    """What one of several lets pass."""

    def __init__(self, *predicates: PredicateLike) -> None:
        self.predicates = predicates

    def __call__(self, event: Event[Any]) -> bool:
        """Ask one after the other."""
        return any(predicate(event) for predicate in self.predicates)

    def __repr__(self) -> str:
        return f"({' | '.join(map(repr, self.predicates))})"


class Not(Predicate):
    """What another does not let pass."""

    def __init__(self, predicate: PredicateLike) -> None:
        self.predicate = predicate

    def __call__(self, event: Event[Any]) -> bool:
        """Ask the other."""
        return not self.predicate(event)

    def __repr__(self) -> str:
        return f"~{self.predicate!r}"


Predicates = PredicateLike | Iterable[PredicateLike]
"""What a watch takes: one predicate, or several that must all agree."""


def predicates_of(given: Predicates) -> tuple[PredicateLike, ...]:
    """Return predicates as a tuple, whichever way they were given."""
    return (given,) if callable(given) else tuple(given)


def passes(predicates: Iterable[PredicateLike], event: Event[Any]) -> bool:
    """Whether all predicates let an event pass; one that raises counts as a yes, and is logged."""
    return all(_asked(predicate, event) for predicate in predicates)


def _asked(predicate: PredicateLike, event: Event[Any]) -> bool:
    try:
        return predicate(event)
    except Exception as error:  # noqa: BLE001 - the author's code: its fault must not lose an event
        _LOG.error("a predicate failed, so the event passes", error, predicate=repr(predicate), event=repr(event))
        return True
