from __future__ import annotations

import asyncio
from typing import Any

import msgspec
import pytest

import konverge as kv
from konverge.errors import BadRequest, RequestError
from konverge.webhook import Conversion, Conversions, Spoke
from konverge.webhook.conversion import answer


class SpecV1(kv.Spec):
    """One text."""

    text: str | None = None


class SpecV2(kv.Spec):
    """Lines."""

    lines: list[str] | None = None


class SpecV3(kv.Spec):
    """A number of lines."""

    count: int | None = None


@kv.resource(group="pages.konverge.dev", version="v1")
class PageV1(kv.CustomResource[SpecV1, None]):
    """The first form."""


@kv.resource(group="pages.konverge.dev", version="v2", kind="PageV1", storage=True)
class PageV2(kv.CustomResource[SpecV2, None]):
    """The hub."""


@kv.resource(group="pages.konverge.dev", version="v3", kind="PageV1")
class PageV3(kv.CustomResource[SpecV3, None]):
    """The newest form."""


async def from_v1(page: PageV1) -> PageV2:
    """Split the text; the metadata is left to konverge."""
    return PageV2(spec=SpecV2(lines=(page.spec.text or "").split("\n")))


def to_v1(page: PageV2) -> PageV1:
    """Join the lines, in a thread."""
    if page.spec.lines == ["broken"]:
        raise ZeroDivisionError("no lines")
    return PageV1(metadata=page.metadata, spec=SpecV1(text="\n".join(page.spec.lines or [])))


async def from_v3(page: PageV3) -> PageV2:
    """Take for ever."""
    await asyncio.sleep(3600)
    return PageV2(spec=SpecV2(lines=[""] * (page.spec.count or 0)))


def to_v3(page: PageV2) -> PageV3:
    """Count, and note it."""
    annotations = {**(page.metadata.annotations or {}), "counted": "yes"}
    return PageV3(metadata=kv.ObjectMeta(annotations=annotations), spec=SpecV3(count=len(page.spec.lines or [])))


@pytest.fixture
def conversions() -> Conversions:
    """All three versions."""
    spokes = (Spoke(PageV1, to_hub=from_v1, from_hub=to_v1), Spoke(PageV3, to_hub=from_v3, from_hub=to_v3))
    return Conversions([Conversion(PageV2, *spokes)])


METADATA = {
    "name": "home",
    "namespace": "shop",
    "uid": "1234",
    "resourceVersion": "7",
    "creationTimestamp": "2026-01-01T00:00:00Z",
    "managedFields": [{"manager": "kubectl"}],
    "annotations": {"mine": "1"},
}


def obj(version: str, **spec: Any) -> dict[str, Any]:
    """Return a page of a version, as it is on the wire."""
    return {"apiVersion": f"pages.konverge.dev/{version}", "kind": "PageV1", "metadata": METADATA, "spec": spec}


def review(wanted: str, *objects: dict[str, Any]) -> bytes:
    """Return a question, as kube-apiserver 1.36 sends it."""
    request = {"uid": "u-2", "desiredAPIVersion": f"pages.konverge.dev/{wanted}", "objects": list(objects)}
    return msgspec.json.encode(
        {"kind": "ConversionReview", "apiVersion": "apiextensions.k8s.io/v1", "request": request}
    )


async def test_objects_go_to_the_hub_and_from_it(conversions: Conversions) -> None:
    """The whole list is converted, in order, and the metadata is untouched: the API server takes no other."""
    objects = [obj("v1", text="a\nb"), obj("v2", lines=["c"])]
    got = msgspec.json.decode(await answer(review("v2", *objects), conversions))
    assert got["response"] == {
        "uid": "u-2",
        "result": {"status": "Success"},
        "convertedObjects": [obj("v2", lines=["a", "b"]), obj("v2", lines=["c"])],
    }


async def test_spokes_meet_at_the_hub(conversions: Conversions) -> None:
    """From one spoke to another by way of the hub; annotations may change, and labels, and nothing else."""
    got = msgspec.json.decode(await answer(review("v3", obj("v1", text="a\nb")), conversions))
    (made,) = got["response"]["convertedObjects"]
    assert made["spec"] == {"count": 2}
    assert made["apiVersion"] == "pages.konverge.dev/v3"
    assert made["metadata"] == {**METADATA, "annotations": {"mine": "1", "counted": "yes"}}


async def test_a_conversion_that_breaks_fails_as_a_whole(
    conversions: Conversions, caplog: pytest.LogCaptureFixture
) -> None:
    """The answer names the object, none is converted, and the bug is counted and logged."""
    panics: list[None] = []
    question = review("v1", obj("v2", lines=["fine"]), obj("v2", lines=["broken"]))
    got = msgspec.json.decode(await answer(question, conversions, panicked=lambda: panics.append(None)))
    message = 'pages.konverge.dev/v2 PageV1 "shop/home": ZeroDivisionError: no lines'
    assert got["response"] == {
        "uid": "u-2",
        "result": {"status": "Failure", "message": message},
        "convertedObjects": [],
    }
    assert len(panics) == len(caplog.records) == 1


@pytest.mark.virtual_time
async def test_a_slow_conversion_is_ended(conversions: Conversions) -> None:
    """When the API server stops waiting there is an answer."""
    got = msgspec.json.decode(await answer(review("v2", obj("v3", count=1)), conversions, timeout=5.0))
    assert got["response"]["result"]["message"].endswith("not converted within 5 s")


async def test_a_version_that_there_is_not_is_a_failure(conversions: Conversions) -> None:
    """The answer says which there are."""
    got = msgspec.json.decode(await answer(review("v4", obj("v2")), conversions))
    assert got["response"]["result"]["message"].endswith("PageV1 has no version v4 here; it has v2, v1, v3")
    strange = {**obj("v2"), "kind": "Book"}
    got = msgspec.json.decode(await answer(review("v1", strange), conversions))
    assert "nothing here converts pages.konverge.dev/v2 Book" in got["response"]["result"]["message"]


@pytest.mark.parametrize("body", [b"", b"\x00", b"{}", b'{"kind":"ConversionReview","apiVersion":"x/v1"}'])
async def test_garbage_is_refused(conversions: Conversions, body: bytes) -> None:
    """There is no form of a ConversionReview that says so: the caller answers with an HTTP code."""
    with pytest.raises(BadRequest, match="no ConversionReview"):
        await answer(body, conversions)


def test_versions_are_told_apart_when_it_is_made(conversions: Conversions) -> None:
    """Two spokes of one version, or a kind with two conversions, are mistakes."""
    spoke = Spoke(PageV1, to_hub=from_v1, from_hub=to_v1)
    with pytest.raises(RequestError, match="each of another version"):
        Conversion(PageV2, spoke, spoke)
    with pytest.raises(RequestError, match="has a conversion already"):
        conversions.add(Conversion(PageV2, spoke))


async def test_a_function_must_return_its_version() -> None:
    """Another class is named in the answer."""

    def wrong(page: PageV1) -> Any:
        return page

    conversions = Conversions([Conversion(PageV2, Spoke(PageV1, to_hub=wrong, from_hub=to_v1))])
    got = msgspec.json.decode(await answer(review("v2", obj("v1")), conversions))
    assert got["response"]["result"]["message"].endswith("to_hub of v1 must return a PageV2, not PageV1")


async def test_unknown_fields_can_be_taken_along() -> None:
    """An unstructured spoke and hub see every field."""
    v1, v2 = (kv.unstructured(f"pages.konverge.dev/{version}", "PageV1") for version in ("v1", "v2"))

    def same(page: kv.Unstructured) -> kv.Unstructured:
        return kv.Unstructured.from_dict({**page.to_dict(), "metadata": {}})

    conversions = Conversions([Conversion(v2, Spoke(v1, to_hub=same, from_hub=same))])
    got = msgspec.json.decode(await answer(review("v2", obj("v1", odd=[1])), conversions))
    assert got["response"]["convertedObjects"] == [obj("v2", odd=[1])]
