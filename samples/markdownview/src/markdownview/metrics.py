"""A series for each MarkdownView and each state: 1 for the state it is in, else 0. It goes when the object goes."""

from contextlib import suppress
from typing import get_args

import konverge as kv
from prometheus_client import CollectorRegistry, Gauge

from markdownview.api.v1.markdown_view import State


class ViewMetrics:
    """The metrics of all MarkdownViews, beside those that every manager has."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._state = Gauge(
            "markdownview_state",
            "Whether a MarkdownView is in a state.",
            ["namespace", "name", "state"],
            registry=registry,
        )

    def show(self, request: kv.Request, state: State) -> None:
        """Tell the state that one is in."""
        for each in get_args(State):
            self._state.labels(request.namespace, request.name, each).set(each == state)

    def forget(self, request: kv.Request) -> None:
        """Remove the series of one that is gone; it may have none."""
        for each in get_args(State):
            with suppress(KeyError):
                self._state.remove(request.namespace, request.name, each)
