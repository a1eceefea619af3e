"""The word for a MarkdownView, by what its Deployment tells."""

import konverge as kv
import pytest
from konverge.models import apps_v1

from markdownview.api.v1.markdown_view import State
from markdownview.state import state_of


def deployment(*, seen: int = 2, pods: int = 2, updated: int = 2, available: int = 2) -> apps_v1.Deployment:
    """Return one of generation 2 that wants two pods."""
    made = apps_v1.Deployment(metadata=kv.ObjectMeta(name="viewer-handbook", generation=2))
    made.spec.replicas, made.status.observed_generation = 2, seen
    made.status.replicas, made.status.updated_replicas, made.status.available_replicas = pods, updated, available
    return made


@pytest.mark.parametrize(
    ("found", "state"),
    [
        (deployment(), "Healthy"),
        (deployment(available=0), "NotReady"),
        (deployment(available=1), "Available"),
        (deployment(seen=1), "Available"),  # what it counts are the pods of the spec before
        (deployment(updated=1), "Available"),
        (deployment(pods=3), "Available"),  # one of the template before is left
    ],
)
def test_the_word_for_it(found: apps_v1.Deployment, state: State) -> None:
    """All of the latest answer, or some do, or none."""
    assert state_of(found) == state
