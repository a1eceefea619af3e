from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Any, ClassVar

import pytest

from konverge.api.markers import Sensitive
from konverge.api.model import NULL, Model, Required, attribute_of, decode, defaults_of, encode, field, implied_of
from konverge.api.quantity import Quantity
from konverge.api.time import MicroTime
from konverge.errors import DecodeError


class Part(Model):
    """A struct with a required attribute."""

    name: Required[str] = field()
    cluster_ip: str | None = field(name="clusterIP", default=None)


class Sample(Model):
    """One attribute of each sort."""

    label: ClassVar[str] = "not an attribute"

    count: int = 1
    names: list[str] = ["a"]  # noqa: RUF012 - a model copies it for each object
    renamed: int = field(name="otherName", default=5)
    made: list[str] = field(default_factory=list)
    part: Part = field(default_factory=Part)
    quoted: "Part | None" = None  # noqa: UP037 - quoted on purpose, in a module whose annotations are text already
    anything: Any = None
    data: dict[str, bytes] | None = None
    moment: datetime | None = None
    micro: MicroTime | None = None
    password: Annotated[str | None, Sensitive()] = None


class Colour(StrEnum):
    """An enumeration of an author's."""

    RED = "red"


class Text(str):
    """A str of an author's."""

    __slots__ = ()


def test_none_alone_is_left_out() -> None:
    """Every value but None goes on the wire: zero, false, empty values and class defaults too."""
    sample = Sample(anything=False, names=[], made=[])
    assert encode(sample) == b'{"count":1,"names":[],"otherName":5,"made":[],"part":{},"anything":false}'


def test_defaults_are_filled_in_on_reading() -> None:
    """A value that is absent or null reads as the class default; one that is there stays."""
    assert decode(Sample, b"{}") == Sample()
    assert decode(Sample, b'{"count":null,"made":null,"part":null}') == Sample()
    assert decode(Sample, b'{"count":0,"otherName":0}').count == 0


def test_mutable_defaults_are_not_shared() -> None:
    """Each object gets its own list."""
    first, second = Sample(), Sample()
    first.names.append("b")
    first.made.append("c")
    assert second.names == ["a"]
    assert second.made == []


def test_a_model_as_default_is_refused() -> None:
    """It would look shared; the message says what to write."""
    with pytest.raises(TypeError, match=r"Broken\.part: .* kv\.field\(default_factory=Part\)"):

        class Broken(Model):
            part: Part = Part(name="a")


def test_null_is_sent_as_null() -> None:
    """NULL is null on the wire, itself after any copy, and says so."""
    assert encode(Part(name=NULL)) == b'{"name":null}'
    assert copy.deepcopy(NULL) is copy.copy(NULL) is pickle.loads(pickle.dumps(NULL)) is NULL
    assert repr(NULL) == "NULL"


def test_required_attributes_may_be_missing_on_the_wire() -> None:
    """An object that was stored under an older schema stays readable."""
    assert decode(Part, b"{}").name is None
    assert decode(Part, b'{"name":null}').name is None


def test_reading_says_where_bytes_do_not_fit() -> None:
    """A wrong type and broken JSON become a DecodeError that names the class."""
    with pytest.raises(DecodeError, match=r"cannot read this as Sample: .*count.*Unstructured"):
        decode(Sample, b'{"count":"many"}')
    with pytest.raises(DecodeError, match="the JSON is broken"):
        decode(Sample, b'{"count":')
    with pytest.raises(DecodeError, match=r"is not a time.*micro"):
        decode(Sample, b'{"micro":"yesterday"}')


def test_access_by_wire_name() -> None:
    """A model reads and writes by wire name too, and is no sequence."""
    part = Part(name="a")
    part["clusterIP"] = "10.0.0.1"
    assert (part["clusterIP"], part.cluster_ip) == ("10.0.0.1", "10.0.0.1")
    assert "clusterIP" in part
    assert "cluster_ip" not in part
    assert "name" not in Part(name=NULL).__replace__(name=None)
    assert attribute_of(Part, "clusterIP") == "cluster_ip"
    with pytest.raises(KeyError):
        part["cluster_ip"]
    with pytest.raises(TypeError, match="not iterable"):
        list(part)  # type: ignore[call-overload]  # that is the point


def test_reprs_show_what_is_set_and_hide_secrets() -> None:
    """An unset attribute is not shown, and a sensitive one only that it is there."""
    sample = Sample(password="hunter2", part=Part(name="a"))
    assert "hunter2" not in repr(sample)
    assert "password=<redacted>" in repr(sample)
    assert "part=Part(name='a')" in repr(sample)
    assert "moment" not in repr(sample)


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model))])
def test_copies_keep_a_default_that_was_taken_out(copied: Any) -> None:
    """An attribute set to None stays None in a copy, although its class has a default."""
    sample = Sample(names=["x"])
    sample.count = None  # type: ignore[assignment]  # what unsets it
    assert copied(sample).count is None
    assert copied(sample) == sample


def test_replace_changes_attributes_and_refuses_others() -> None:
    """`copy.replace` works on every model, and does not fill in defaults again."""
    sample = Sample()
    assert sample.__replace__(count=None).count is None
    assert sample.count == 1
    with pytest.raises(TypeError, match="Sample has no attribute 'nothing'"):
        sample.__replace__(nothing=1)


def test_scalars_of_other_types_are_encoded_by_their_value() -> None:
    """Enums, strings of a subclass, quantities and micro times have a JSON form; a stranger has none."""
    assert encode([Colour.RED, Text("x"), Quantity("1.50Gi")]) == b'["red","x","1.50Gi"]'
    assert encode(Sample.__replace__(Sample(), count=None, names=None, renamed=None, made=None, part=None)) == b"{}"
    assert encode(MicroTime(2026, 1, 31, tzinfo=UTC)) == b'"2026-01-31T00:00:00.000000Z"'
    assert encode({"data": b"\x00\xff"}) == b'{"data":"AP8="}'
    with pytest.raises(TypeError, match="object has no JSON form"):
        encode(object())


def test_typed_scalars_are_read() -> None:
    """Bytes are base64 on the wire; times are aware, micro times of their own type."""
    sample = decode(
        Sample, b'{"data":{"a":"AP8="},"moment":"2026-01-31T12:00:00+02:00","micro":"2026-01-31T12:00:00.000001Z"}'
    )
    assert sample.data == {"a": b"\x00\xff"}
    assert sample.moment == datetime(2026, 1, 31, 10, tzinfo=UTC)
    assert sample.micro == MicroTime(2026, 1, 31, 12, 0, 0, 1, tzinfo=UTC)
    assert type(sample.micro) is MicroTime


class Parent(Model):
    """A class with a default and an author's own hook."""

    calls: ClassVar[list[str]] = []

    count: int = 1

    def __post_init__(self) -> None:
        self.calls.append(f"parent {self.count}")


class Child(Parent):
    """Takes the hook over, and has another default."""

    count: int = 2
    other: int = 3


class Grandchild(Child):
    """Calls the hook above by super."""

    count: int | None = None  # type: ignore[assignment]  # takes the default out

    def __post_init__(self) -> None:
        super().__post_init__()
        self.calls.append(f"grandchild {self.count}")


def test_an_authors_post_init_is_called_after_the_defaults() -> None:
    """Filling in defaults takes nothing away from a class hierarchy that has a `__post_init__` of its own."""
    Parent.calls.clear()
    Child()
    Grandchild()
    assert Parent.calls == ["parent 2", "parent None", "grandchild None"]
    assert Grandchild().other == 3


def test_defaults_can_be_asked_for() -> None:
    """What a class fills in is known by attribute, and which structs are implied."""
    assert {name: make() for name, make in defaults_of(Child).items()} == {"count": 2, "other": 3}
    assert implied_of(Sample) == {"part"}


BUILDERS = """
import sys, threading
from konverge.api.model import decode
from konverge.models import apps_v1, batch_v1

sys.setswitchinterval(1e-6)
together = threading.Barrier(3)

def work(kind):
    together.wait()
    decode(kind, b'{"spec": {"template": {"spec": {"containers": [{"name": "main"}]}}}}')

kinds = apps_v1.Deployment, apps_v1.StatefulSet, batch_v1.Job
threads = [threading.Thread(target=work, args=(kind,)) for kind in kinds]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
"""


def test_decoders_of_kinds_that_share_classes_are_built_one_after_the_other() -> None:
    """In several threads at once, msgspec would crash the process."""
    assert subprocess.run([sys.executable, "-c", BUILDERS], check=False).returncode == 0
