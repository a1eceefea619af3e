"""Watches over custom resources, while their schema changes and when their CRD goes."""

from __future__ import annotations

from typing import Any

from harness.script import Cases, Script

from cases.objects import CRDS, crd, custom, custom_path, of_spec

case = Cases("custom watch")
TEXT = {"type": "string"}


@case("of one kind and its objects")
def _(s: Script) -> None:
    s.given(crd("seens", of_spec(a=TEXT), subresources={"status": {}}))
    path = custom_path("seens")
    version = s.get(path)["metadata"]["resourceVersion"]
    with s.watch(path, events=6, resourceVersion=version) as during:
        during.post(path, custom("seens", "a", metadata={"finalizers": ["example.com/hold"]}, spec={"a": "1"}))
        during.patch(f"{path}/a", {"spec": {"a": "2"}})
        during.patch(f"{path}/a/status", {"status": {}})
        during.apply(f"{path}/b", custom("seens", "b", spec={"a": "1"}))
        during.delete(f"{path}/a")
        during.patch(f"{path}/a", {"metadata": {"finalizers": None}})


@case("with what is there already, as a streaming list")
def _(s: Script) -> None:
    s.given(crd("listens", of_spec(a={**TEXT, "default": "x"})))
    path = custom_path("listens")
    s.post(path, custom("listens", "a"))
    s.post(path, custom("listens", "b", spec={}))
    options: dict[str, Any] = {
        "sendInitialEvents": "true",
        "resourceVersionMatch": "NotOlderThan",
        "allowWatchBookmarks": "true",
    }
    with s.watch(path, events=3, **options):
        pass
    with s.watch(path, events=2, resourceVersion="0"):
        pass


@case("through selectors")
def _(s: Script) -> None:
    s.given(crd("filtereds", of_spec(a=TEXT)))
    path = custom_path("filtereds")
    version = s.get(path)["metadata"]["resourceVersion"]
    with s.watch(path, events=2, resourceVersion=version, labelSelector="x=y") as during:
        during.post(path, custom("filtereds", "a", metadata={"labels": {"x": "y"}}))
        during.post(path, custom("filtereds", "b"))
        during.patch(f"{path}/a", {"metadata": {"labels": {"x": "z"}}})
    with s.watch(path, events=1, resourceVersion=version, fieldSelector="metadata.name=b"):
        pass
    s.get(path, watch="true", fieldSelector="spec.a=x")


@case("that ends when the schema changes")
def _(s: Script) -> None:
    s.given(crd("endeds", of_spec(a=TEXT)))
    path = custom_path("endeds")
    version = s.get(path)["metadata"]["resourceVersion"]
    change = {"op": "replace", "path": "/spec/versions/0/schema/openAPIV3Schema", "value": of_spec(a=TEXT, b=TEXT)}
    with s.watch(path, events=None, resourceVersion=version) as during:
        during.post(path, custom("endeds", "a", spec={"a": "1"}))
        during.patch(f"{CRDS}/endeds.endeds.example.com", [change], kind="json")


@case("that ends with the CRD")
def _(s: Script) -> None:
    s.given(crd("lasts", of_spec(a=TEXT)))
    path = custom_path("lasts")
    s.until(f"{CRDS}/lasts.lasts.example.com", holding='"reason":"InitialNamesAccepted"')
    version = s.post(path, custom("lasts", "a"))["metadata"]["resourceVersion"]
    with s.watch(path, events=None, resourceVersion=version) as during:
        during.delete(f"{CRDS}/lasts.lasts.example.com")
        during.until(f"{CRDS}/lasts.lasts.example.com", status=404)


@case("of a kind that is not there")
def _(s: Script) -> None:
    s.get("/apis/nowhere.example.com/v1/namespaces/{ns}/nowheres", watch="true")
    s.given(crd("almosts", of_spec(a=TEXT)))
    s.get("/apis/almosts.example.com/v1/namespaces/{ns}/others", watch="true")
    s.get("/apis/almosts.example.com/v2/namespaces/{ns}/almosts", watch="true")
