"""The plain numbers behind the metrics: what they count, and that no count is lost between threads."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from konverge.metrics.series import Histogram, Number, counter, gauge

BOUNDS = (0.1, 1.0, 10.0)


@pytest.fixture
def hasty() -> Iterator[None]:
    """Threads that take turns as often as Python lets them."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@given(st.lists(st.floats(min_value=0, max_value=100)))
def test_a_value_is_in_the_first_bucket_that_is_large_enough(values: list[float]) -> None:
    """A bound belongs to its bucket, as in Prometheus, and what is larger than all of them is counted, too."""
    histogram = Histogram(BOUNDS)
    for value in values:
        histogram.observe(value)
    up_to = [sum(value <= bound for value in values) for bound in BOUNDS]
    assert [sum(histogram.counts[: number + 1]) for number in range(len(BOUNDS))] == up_to
    assert sum(histogram.counts) == len(values)
    assert histogram.sum == pytest.approx(sum(values))


def test_what_is_read_does_not_change_under_the_reader() -> None:
    """A scrape works on a copy."""
    histogram = Histogram(BOUNDS)
    read = histogram.counts
    histogram.observe(0.5)
    assert (read, histogram.counts) == ([0, 0, 0, 0], [0, 1, 0, 0])


@pytest.mark.usefixtures("hasty")
def test_increments_of_several_threads_all_count() -> None:
    """Requests are counted by the loop and by the thread that renews a lease."""
    number = Number()

    def count() -> None:
        for _ in range(5_000):
            number.inc()

    threads = [threading.Thread(target=count) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert number.value == 20_000


def test_a_series_is_made_once() -> None:
    """Who asks again for the same labels counts on."""
    family = counter("widgets_total", "Widgets.", "colour")
    family.of("red").inc()
    family.of("red").inc(2.5)
    assert {labels: number.value for labels, number in family.series.items()} == {("red",): 3.5}


def test_a_family_without_labels_is_shown_at_once() -> None:
    """A counter that has counted nothing yet is there at zero."""
    assert counter("widgets_total", "Widgets.").of().value == 0
    assert not gauge("widgets", "Widgets.", "colour").series
