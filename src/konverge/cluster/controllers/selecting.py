"""Selectors of workloads: which pods a workload asks for, in whichever form its kind writes that."""

from __future__ import annotations

from collections.abc import Mapping

import konverge as kv
from konverge.api.meta import LabelSelector as SelectorModel


def selector_of(written: SelectorModel | Mapping[str, str] | None) -> kv.LabelSelector:
    """Return a selector; an absent or empty one selects nothing, lest a workload take every pod for its own."""
    if isinstance(written, SelectorModel):
        spec = {
            "matchLabels": written.match_labels or {},
            "matchExpressions": [
                {"key": each.key, "operator": each.operator, "values": each.values or []}
                for each in written.match_expressions or ()
            ],
        }
        return kv.LabelSelector.from_spec(spec) or kv.LabelSelector.nothing()
    return kv.LabelSelector.from_labels(written) if written else kv.LabelSelector.nothing()
