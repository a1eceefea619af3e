"""What a controller reports about its runs; `konverge.metrics` shows it under controller-runtime's names."""

from __future__ import annotations

from typing import Protocol


class ControllerMetrics(Protocol):
    """Called on the loop's thread, so an implementation must be quick and must not raise."""

    def started(self) -> None:
        """Hear that a worker is busy."""
        ...

    def finished(self, result: str, seconds: float) -> None:
        """Hear that it is done: the result (success, error, requeue, requeue_after), and how long it took."""
        ...

    def error(self) -> None:
        """Hear of a failure, of whichever sort."""
        ...

    def terminal_error(self) -> None:
        """Hear that the failure was terminal."""
        ...

    def panic(self) -> None:
        """Hear that the failure was a bug in the reconciler."""
        ...

    def timeout(self) -> None:
        """Hear that the failure was the reconcile timeout."""
        ...

    def hot_loop(self) -> None:
        """Hear that an object is reconciled again and again because of its own writes."""
        ...


class NoMetrics:
    """Hears and forgets."""

    def started(self) -> None:
        """Ignore it."""

    def finished(self, result: str, seconds: float) -> None:
        """Ignore it."""

    def error(self) -> None:
        """Ignore it."""

    def terminal_error(self) -> None:
        """Ignore it."""

    def panic(self) -> None:
        """Ignore it."""

    def timeout(self) -> None:
        """Ignore it."""

    def hot_loop(self) -> None:
        """Ignore it."""
