"""What cannot go on the wire is refused, with the field's name."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import Any, ClassVar

import pytest

from konverge.api.kind import Resource
from konverge.api.meta import Condition, ObjectMeta
from konverge.api.model import Model, encode, field
from konverge.api.object import Object, read, write
from konverge.api.unstructured import Unstructured
from konverge.errors import RequestError
from konverge.models import apps_v1, core_v1

NAIVE = datetime(2026, 1, 31, 12, 0, 0)  # noqa: DTZ001 - what is to be refused


class GaugeSpec(Model):
    """A spec with every type that can go wrong."""

    factor: float | None = None
    factors: dict[str, float] | None = None
    key: bytes | None = None
    anything: Any = None


class Gauge(Object):
    """A kind with such a spec."""

    __resource__: ClassVar[Resource] = Resource(
        group="example.com", version="v1", kind="Gauge", plural="gauges", namespaced=True
    )

    spec: GaugeSpec = field(default_factory=GaugeSpec)


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_a_number_that_json_has_not_is_refused(number: float) -> None:
    """NaN and the infinities would silently become null."""
    with pytest.raises(RequestError, match=r"spec\.factor: JSON has no number"):
        write(Gauge(spec=GaugeSpec(factor=number)))
    with pytest.raises(RequestError, match=r"spec\.factors\['a'\]"):
        write(Gauge(spec=GaugeSpec(factors={"a": number})))
    with pytest.raises(RequestError, match=r"spec\.anything\['b'\]\[0\]"):
        write(Gauge(spec=GaugeSpec(anything={"b": [number]})))
    with pytest.raises(RequestError, match="JSON has no number"):
        encode({"a": [None, number]})


def test_a_null_that_the_author_means_is_sent() -> None:
    """Only numbers are refused, not every null."""
    assert encode({"a": None, "b": [1.5]}) == b'{"a":null,"b":[1.5]}'


def test_a_changed_number_is_refused_too() -> None:
    """It makes no difference that the object was read."""
    gauge = read(Gauge, b'{"kind":"Gauge","metadata":{"name":"a"},"spec":{"factor":1.5}}')
    gauge.spec.factor = math.nan
    with pytest.raises(RequestError, match="JSON has no number for nan"):
        write(gauge)


def test_text_in_a_field_of_bytes_is_refused() -> None:
    """It would be taken for base64: another value, or an error of the server's. The text is not shown."""
    secret = core_v1.Secret(metadata=ObjectMeta(name="s"), data={"p": "hunter2"})  # type: ignore[dict-item]
    with pytest.raises(RequestError, match=r"Secret\.data\['p'\]: is a str .* string_data") as caught:
        write(secret)
    assert "hunter2" not in str(caught.value)
    with pytest.raises(RequestError, match=r"spec\.key"):
        write(Gauge(spec=GaugeSpec(key="x")))  # type: ignore[arg-type]


def test_bytes_and_text_each_in_their_own_field_are_sent() -> None:
    """Bytes go out as base64, text as it is."""
    secret = core_v1.Secret(data={"p": b"hunter2"}, string_data={"q": "x"})
    assert b'"data":{"p":"aHVudGVyMg=="}' in write(secret)


def test_a_time_without_a_zone_is_refused() -> None:
    """It does not say which moment it means, wherever it stands."""
    status = apps_v1.DeploymentStatus(
        conditions=[apps_v1.DeploymentCondition(type="A", status="True", last_update_time=NAIVE)]
    )
    with pytest.raises(RequestError, match=r"Deployment\.status\.conditions\[0\]\.last_update_time: .* without a zone"):
        write(apps_v1.Deployment(status=status))
    with pytest.raises(RequestError, match=r"metadata\.creation_timestamp"):
        write(core_v1.ConfigMap(metadata=ObjectMeta(creation_timestamp=NAIVE)))
    with pytest.raises(RequestError, match=r"content\['spec'\]\['at'\]"):
        write(Unstructured(kind="A", content={"spec": {"at": NAIVE}}))  # type: ignore[arg-type]


def test_a_time_with_a_zone_is_sent() -> None:
    """An aware time is all that is asked for."""
    status = Condition(type="A", status="True", last_transition_time=NAIVE.replace(tzinfo=UTC))
    assert b"2026-01-31T12:00:00Z" in encode(status)
