"""Mutating policies at work; what they answer is compared with the real server in `tests/conformance`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.cluster.apiserver.admission.conftest import Asked

MAPS = "/api/v1/namespaces/default/configmaps"


def _applying(expression: str) -> dict[str, Any]:
    return {"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": expression}}


async def test_each_change_builds_on_the_one_before(asked: Asked) -> None:
    """The second mutation of a policy sees what the first one made, and the answer shows both."""
    mutations = [_applying("Object{data: {'a': 'b'}}"), _applying("Object{data: {'c': object.data.a}}")]
    await asked.bind("mutating", {"mutations": mutations, "reinvocationPolicy": "Never"})
    assert (await asked.make(MAPS, "a"))["data"] == {"a": "b", "c": "b"}
    stored = await asked.ask("GET", f"{MAPS}/a")
    assert stored[1]["data"] == {"a": "b", "c": "b"}


async def test_the_author_owns_what_they_wrote(asked: Asked) -> None:
    """What a policy added is nobody's: managedFields do not name it."""
    spec = {"mutations": [_applying("Object{data: {'a': 'b'}}")], "reinvocationPolicy": "Never"}
    await asked.bind("mutating", spec)
    made = await asked.make(MAPS, "a", data={"x": "y"})
    assert [each["fieldsV1"] for each in made["metadata"]["managedFields"]] == [{"f:data": {".": {}, "f:x": {}}}]


async def test_a_failed_change_leaves_nothing(asked: Asked) -> None:
    """Where the second change fails the write is refused, and the first one is not stored."""
    mutations = [_applying("Object{data: {'a': 'b'}}"), _applying("Object{data: {'c': object.data.absent}}")]
    await asked.bind("mutating", {"mutations": mutations, "reinvocationPolicy": "Never"})
    status, body = await asked.ask("POST", MAPS, {"metadata": {"name": "a"}})
    assert (status, body["reason"]) == (403, "Invalid")
    assert (await asked.ask("GET", f"{MAPS}/a"))[0] == 404


async def test_an_object_that_is_replaced_whole_keeps_its_kind(asked: Asked) -> None:
    """What a patch leaves without kind and version is still read as what it was; then its name is missing."""
    patch = {"patchType": "JSONPatch", "jsonPatch": {"expression": "[JSONPatch{op: 'replace', path: '', value: {}}]"}}
    await asked.bind("mutating", {"mutations": [patch], "reinvocationPolicy": "Never"})
    status, body = await asked.ask("POST", MAPS, {"metadata": {"name": "a"}})
    assert status == 422, body
    assert (await asked.ask("GET", f"{MAPS}/a"))[0] == 404


async def test_a_value_that_doubles_and_doubles_is_refused(asked: Asked) -> None:
    """Sixty lists, each with the one before twice, are compared and refused at once."""
    doubled = "[[1]]" + ".map(v, [v, v])" * 60
    expression = f"[JSONPatch{{op: 'add', path: '/data', value: dyn({doubled})}}]"
    mutation = {"patchType": "JSONPatch", "jsonPatch": {"expression": expression}}
    await asked.bind("mutating", {"mutations": [mutation], "reinvocationPolicy": "Never"})
    status, body = await asked.ask("POST", MAPS, {"metadata": {"name": "a"}})
    assert (status, "cost limit" in body["message"]) == (403, True), body
