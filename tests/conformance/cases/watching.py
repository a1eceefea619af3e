"""Watches: from where, through which selector, and how they end."""

from __future__ import annotations

from harness.script import Cases, Script

from cases.objects import CONFIG_MAPS, config_map

case = Cases("watch")


@case("from a version")
def _(s: Script) -> None:
    version = s.get(CONFIG_MAPS)["metadata"]["resourceVersion"]
    with s.watch(CONFIG_MAPS, events=3, resourceVersion=version) as during:
        during.post(CONFIG_MAPS, config_map("a"))
        during.patch(f"{CONFIG_MAPS}/a", {"data": {"b": "2"}})
        during.patch(f"{CONFIG_MAPS}/a", {"data": {"b": "2"}})
        during.delete(f"{CONFIG_MAPS}/a")


@case("through a selector that objects enter and leave")
def _(s: Script) -> None:
    version = s.get(CONFIG_MAPS)["metadata"]["resourceVersion"]
    with s.watch(CONFIG_MAPS, events=4, resourceVersion=version, labelSelector="in=yes") as during:
        during.post(CONFIG_MAPS, config_map("a"))
        during.patch(f"{CONFIG_MAPS}/a", {"metadata": {"labels": {"in": "yes"}}})
        during.patch(f"{CONFIG_MAPS}/a", {"data": {"b": "2"}})
        during.patch(f"{CONFIG_MAPS}/a", {"metadata": {"labels": {"in": "no"}}})
        during.patch(f"{CONFIG_MAPS}/a", {"metadata": {"labels": {"in": "yes"}}})
        during.delete(f"{CONFIG_MAPS}/a")


@case("with what is there already")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, config_map("a"))
    for version in ("", "0"):
        with s.watch(CONFIG_MAPS, events=1, resourceVersion=version):
            pass


@case("as a streaming list")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, config_map("a"))
    with s.watch(
        CONFIG_MAPS,
        events=2,
        sendInitialEvents="true",
        resourceVersionMatch="NotOlderThan",
        allowWatchBookmarks="true",
    ):
        pass
    s.get(CONFIG_MAPS, watch="true", sendInitialEvents="true")
    s.get(CONFIG_MAPS, sendInitialEvents="true", resourceVersionMatch="NotOlderThan")
    s.get(CONFIG_MAPS, watch="true", sendInitialEvents="true", resourceVersionMatch="Exact")


@case("that cannot be opened")
def _(s: Script) -> None:
    s.get(CONFIG_MAPS, watch="true", resourceVersion="x")
    s.get(CONFIG_MAPS, watch="true", labelSelector="a in (")
    s.get(CONFIG_MAPS, watch="true", fieldSelector="nope=1")
    s.get(CONFIG_MAPS, watch="true", timeoutSeconds="x")


@case("one object by its name")
def _(s: Script) -> None:
    version = s.get(CONFIG_MAPS)["metadata"]["resourceVersion"]
    with s.watch(CONFIG_MAPS, events=1, resourceVersion=version, fieldSelector="metadata.name=b") as during:
        during.post(CONFIG_MAPS, config_map("a"))
        during.post(CONFIG_MAPS, config_map("b"))


@case("as tables and as metadata")
def _(s: Script) -> None:
    version = s.get(CONFIG_MAPS)["metadata"]["resourceVersion"]
    s.post(CONFIG_MAPS, config_map("a"))
    for form in ("Table", "PartialObjectMetadata"):
        accept = {"Accept": f"application/json;as={form};v=v1;g=meta.k8s.io"}
        with s.watch(CONFIG_MAPS, events=1, resourceVersion=version, headers=accept):
            pass


@case("until its time is over")
def _(s: Script) -> None:
    version = s.post(CONFIG_MAPS, config_map("a"))["metadata"]["resourceVersion"]
    with s.watch(CONFIG_MAPS, events=None, resourceVersion=version, timeoutSeconds="1", allowWatchBookmarks="true"):
        pass
