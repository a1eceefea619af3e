"""Runs: the reconciles of a manager's controllers so far, for a test that counts them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar, overload

import msgspec

from konverge.api.form import Form, Kind, form_of
from konverge.api.object import Object
from konverge.controller.run import Run
from konverge.controller.writes import Write
from konverge.manager import Manager

T = TypeVar("T", bound=Object)


class Runs(Sequence[Run]):
    """A list that grows while the manager runs: each reconcile that has ended, in the order of their ends.

    ::

        manager = add_to(cluster.manager())
        runs = Runs(manager)
        async with running(manager):
            ...
        assert not runs.writes
    """

    def __init__(self, manager: Manager) -> None:
        self.manager = manager
        self._made: list[Run] = []
        for controller in manager.controllers.values():
            controller.watch_runs(self._made.append)

    def __len__(self) -> int:
        return len(self._made)

    @overload
    def __getitem__(self, place: int) -> Run: ...

    @overload
    def __getitem__(self, place: slice) -> list[Run]: ...

    def __getitem__(self, place: int | slice) -> Run | list[Run]:
        return self._made[place]

    def __repr__(self) -> str:
        return f"Runs({', '.join(map(str, self._made))})"

    @property
    def writes(self) -> list[Write]:
        """What all of them wrote, in order; `str` of each is as "patch deployments shop/web"."""
        return [write for run in self._made for write in run.writes]

    def written(self, kind: Kind[T]) -> list[T]:
        """Return the objects of a kind as each of these writes left them, in order; not the writes of a status."""
        form = form_of(kind)
        return [
            form.cls.from_dict(msgspec.json.decode(write.body))
            for write in self.writes
            if "/" not in write.operation.resource and _is_about(write.answer(), form)
        ]

    @property
    def failures(self) -> list[BaseException]:
        """What those raised that failed."""
        return [run.outcome for run in self._made if isinstance(run.outcome, BaseException)]


def _is_about(answer: Any, form: Form[Any]) -> bool:
    return bool((answer.api_version, answer.kind) == (form.gvk.api_version, form.gvk.kind))
