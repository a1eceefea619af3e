"""The state of a MarkdownView, told by its Deployment: one word for people, conditions for programs."""

import konverge as kv
from konverge.models import apps_v1

from markdownview.api.v1.markdown_view import MarkdownView, State


def state_of(deployment: apps_v1.Deployment) -> State:
    """Return how far along the servers are. A status that is older than the spec says nothing yet."""
    wanted, status = deployment.spec.replicas or 0, deployment.status
    if not status.available_replicas:
        return "NotReady"
    is_current = (status.observed_generation or 0) >= (deployment.metadata.generation or 0)
    # All are of the latest template, all of them answer, and none of an older one is left.
    done = (status.updated_replicas, status.available_replicas, status.replicas) == (wanted, wanted, wanted)
    return "Healthy" if is_current and done else "Available"


def set_state(view: MarkdownView, state: State) -> bool:
    """Write a state into the status; return whether anything in it is new."""
    conditions = view.status.conditions or []
    changed = [
        kv.set_condition(conditions, _condition(view, "Available", is_true=state != "NotReady", reason=state)),
        kv.set_condition(conditions, _condition(view, "Ready", is_true=state == "Healthy", reason=state)),
        view.status.state != state,
    ]
    view.status.state, view.status.conditions = state, conditions
    return any(changed)


_MESSAGES: dict[State, str] = {
    "NotReady": "no server answers yet",
    "Available": "some servers answer, others are not there yet or not up to date",
    "Healthy": "all servers answer and are up to date",
}


def _condition(view: MarkdownView, name: str, *, is_true: bool, reason: State) -> kv.Condition:
    return kv.Condition(
        type=name,
        status="True" if is_true else "False",
        reason=reason,
        message=_MESSAGES[reason],
        observed_generation=view.metadata.generation,
    )
