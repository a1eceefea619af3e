"""Which pods a budget is about, and which budgets an event of a pod concerns."""

from __future__ import annotations

from typing import Any

import konverge as kv
from konverge.controller.event import Event, UpdateEvent
from konverge.models import core_v1, policy_v1


def selector_of_budget(budget: policy_v1.PodDisruptionBudget) -> kv.LabelSelector:
    """Return what a budget selects: an empty selector is about all pods, no selector about none."""
    written = budget.spec.selector
    if written is None:
        return kv.LabelSelector.nothing()
    expressions = [
        {"key": each.key, "operator": each.operator, "values": each.values or []}
        for each in written.match_expressions or ()
    ]
    return kv.LabelSelector.from_spec({"matchLabels": written.match_labels or {}, "matchExpressions": expressions})


async def pods_of(client: kv.Client, budget: policy_v1.PodDisruptionBudget) -> list[core_v1.Pod]:
    """Return the pods that a budget is about."""
    selector = selector_of_budget(budget)
    return list(await client.list(core_v1.Pod, namespace=budget.metadata.namespace, labels=selector))


class EnqueueBudgets:
    """Asks for each budget that is about a pod, or was before its labels changed."""

    def __init__(self, client: kv.Client) -> None:
        self._client = client

    async def requests(self, event: Event[Any]) -> list[kv.Request]:
        """Return the budgets that the event concerns."""
        states = [event.metadata.labels]
        if isinstance(event, UpdateEvent):
            states.append(event.old.metadata.labels)
        budgets = await self._client.list(policy_v1.PodDisruptionBudget, namespace=event.key.namespace)
        concerned = [budget for budget in budgets if _is_about(budget, states)]
        return [kv.Request.of(budget.metadata) for budget in concerned]

    def __repr__(self) -> str:
        return "EnqueueBudgets()"


def _is_about(budget: policy_v1.PodDisruptionBudget, states: list[dict[str, str] | None]) -> bool:
    selector = selector_of_budget(budget)
    return any(selector.matches(labels or {}) for labels in states)
