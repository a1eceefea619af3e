"""SharedPods: whether the pods of an autoscaler's target are those of another one, too, so that both would fight."""

from __future__ import annotations

from dataclasses import dataclass

import konverge as kv
from konverge.api.invalid import InvalidValue
from konverge.models import autoscaling_v2, core_v1


@dataclass(frozen=True, slots=True)
class Problem:
    """Why the pods of a target cannot be measured."""

    event: str
    told: str
    reason: str
    message: str


_NO_SELECTOR = Problem(
    "SelectorRequired", "selector is required", "InvalidSelector", "the HPA target's scale is missing a selector"
)


class SharedPods:
    """Knows the selectors of the targets that were looked at; each look brings them up to date."""

    def __init__(self) -> None:
        self._selectors: dict[kv.Request, kv.LabelSelector] = {}

    def forget(self, request: kv.Request) -> None:
        """An autoscaler is gone."""
        self._selectors.pop(request, None)

    async def problem(
        self, client: kv.Client, autoscaler: autoscaling_v2.HorizontalPodAutoscaler, selector: str
    ) -> Problem | None:
        """Say what is wrong with a target's selector: it is absent, unreadable, or meets the pods of another one."""
        if not selector:
            return _NO_SELECTOR
        try:
            parsed = kv.LabelSelector.parse(selector)
        except InvalidValue as error:
            text = f"couldn't convert selector into a corresponding internal selector object: {error}"
            return Problem("InvalidSelector", text, "InvalidSelector", text)
        self._selectors[kv.Request.of(autoscaler.metadata)] = parsed
        pods = await client.list(core_v1.Pod, namespace=autoscaler.metadata.namespace, labels=parsed)
        rivals = self._selecting(pods, autoscaler.metadata.namespace or "")
        if len(rivals) < 2:  # noqa: PLR2004 - itself, and another one
            return None
        text = f"pods by selector {selector} are controlled by multiple HPAs: [{' '.join(rivals)}]"
        return Problem("AmbiguousSelector", text, "AmbiguousSelector", text)

    def _selecting(self, pods: list[core_v1.Pod], namespace: str) -> list[str]:
        """Return the autoscalers of any of these pods, in order."""
        near = [(key, selector) for key, selector in self._selectors.items() if key.namespace == namespace]
        found = [key for key, selector in near if any(selector.matches(pod.metadata.labels or {}) for pod in pods)]
        return sorted(f"{key.namespace}/{key.name}" for key in found)
