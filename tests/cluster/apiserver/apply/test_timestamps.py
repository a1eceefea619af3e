from __future__ import annotations

from typing import Any

from konverge.cluster.apiserver.apply.timestamps import keep_times


def made(time: str, **more: Any) -> dict[str, Any]:
    """Return an object with one entry of managedFields."""
    entry = {"manager": "m", "operation": "Apply", "time": time, "fieldsV1": {"f:a": {}}}
    return {"metadata": {"name": "x", "managedFields": [entry]}, **more}


def test_a_write_of_nothing_but_times_is_none() -> None:
    """The old times come back."""
    new = made("2", a=1)
    keep_times(new, made("1", a=1))
    assert new == made("1", a=1)


def test_a_write_of_more_keeps_its_times() -> None:
    """Also where the change is one that Python takes for none."""
    for after in (2, True):
        new = made("2", a=after)
        keep_times(new, made("1", a=1))
        assert new == made("2", a=after)


def test_other_owners_keep_their_times() -> None:
    """A manager that came or went is a change."""
    new, old = made("2"), made("1")
    old["metadata"]["managedFields"].append({"manager": "n"})
    keep_times(new, old)
    assert new == made("2")
    keep_times(new, {"metadata": {"name": "x"}})
    assert new == made("2")
