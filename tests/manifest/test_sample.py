"""Samples: a value for every field that must have one."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

import konverge as kv
from konverge.manifest.operator import OwnKind
from konverge.manifest.sample import sample


class Size(Enum):
    """Two of them."""

    SMALL = "small"
    LARGE = "large"


class Part(kv.Model):
    """Something below."""

    name: Annotated[str, kv.MinLength(8)]
    note: str | None = None


class CrateSpec(kv.Spec):
    """One field for each way to find a value."""

    size: Size
    parts: Annotated[list[Part], kv.MinItems(2)]
    code: Annotated[str, kv.MaxLength(2)]
    color: Annotated[str, kv.Example("red")]
    count: Annotated[int, kv.Minimum(3), kv.MultipleOf(2)]
    fewer: Annotated[int, kv.Maximum(-1)]
    flag: bool
    labels: dict[str, str]
    port: kv.IntOrString
    with_default: int = 7
    optional: str | None = None


@kv.resource(group="samples.konverge.dev", version="v1", storage=True)
class Crate(kv.CustomResource[CrateSpec, None]):
    """A kind."""


@kv.resource(group="samples.konverge.dev", version="v2", kind="Crate", storage=False)
class LaterCrate(kv.CustomResource[kv.Spec, None]):
    """Another version of it."""


def test_every_required_field_has_a_value() -> None:
    """By its example, its first choice or its bounds; what may be left out is left out."""
    made = sample(OwnKind((LaterCrate, Crate)))
    assert made == {
        "apiVersion": "samples.konverge.dev/v1",
        "kind": "Crate",
        "metadata": {"name": "crate-sample"},
        "spec": {
            "size": "small",
            "parts": [{"name": "samplexx"}, {"name": "samplexx"}],
            "code": "sa",
            "color": "red",
            "count": 4,
            "fewer": -1,
            "flag": False,
            "labels": {},
            "port": 1,
        },
    }
