"""Mutating webhooks: their patches, their order, and who is asked again."""

from __future__ import annotations

from harness.script import Cases, Script

from cases.objects import CONFIG_MAPS, config_map
from cases.webhook_objects import entry, hooked, rule, unhooked

case = Cases("mutating webhook")


@case("changes what is created, updated, patched and applied")
def _(s: Script) -> None:
    hooked(s, "mutating", entry("/patch-one"))
    s.post(CONFIG_MAPS, config_map("a", data={"a": "1"}), fieldManager="me")
    s.put(f"{CONFIG_MAPS}/a", config_map("a", data={"a": "2"}))
    s.patch(f"{CONFIG_MAPS}/a", {"data": {"a": "3"}})
    s.apply(f"{CONFIG_MAPS}/a", config_map("a", data={"b": "1"}), force=True)
    s.apply(f"{CONFIG_MAPS}/b", config_map("b", data={"b": "1"}))
    s.reviews()
    unhooked(s, "mutating")


@case("sees what those before it made, and those are asked again if they want")
def _(s: Script) -> None:
    again = {"reinvocationPolicy": "IfNeeded"}
    hooked(s, "mutating", entry("/count", **again), entry("/patch-labels"), entry("/patch-more-labels"))
    s.post(CONFIG_MAPS, config_map("a"))
    s.reviews()
    unhooked(s, "mutating")
    hooked(s, "mutating", entry("/count"), entry("/patch-labels"))
    s.post(CONFIG_MAPS, config_map("b"))
    unhooked(s, "mutating")
    hooked(s, "mutating", entry("/patch-labels", **again), entry("/count", **again))
    s.post(CONFIG_MAPS, config_map("c"))
    s.reviews()
    unhooked(s, "mutating")


@case("refuses")
def _(s: Script) -> None:
    for path in ("/deny", "/deny-message", "/deny-code"):
        hooked(s, "mutating", entry(path))
        s.post(CONFIG_MAPS, config_map("a"))
        unhooked(s, "mutating")


_BROKEN = (
    *("/type-without-patch", "/patch-without-type", "/patch-of-no-type", "/patch-of-other-type", "/patch-garbage"),
    *("/patch-empty", "/patch-missing", "/patch-remove-missing", "/patch-test", "/patch-op", "/patch-wrong-type"),
    *("/patch-unknown", "/patch-name", "/patch-owners", "/patch-managed", "/other-uid", "/500"),
)
for _path in _BROKEN:

    @case(f"whose patch is a special one ({_path[1:]})")
    def _(s: Script, path: str = _path) -> None:
        for policy in ("Fail", "Ignore"):
            hooked(s, "mutating", entry(path, failurePolicy=policy))
            s.post(CONFIG_MAPS, config_map(policy.lower(), data={"a": "1"}))
            unhooked(s, "mutating")


@case("changes nothing in a deletion")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, config_map("a"))
    hooked(s, "mutating", entry("/patch-data", rules=[rule("DELETE")]))
    s.delete(f"{CONFIG_MAPS}/a")
    unhooked(s, "mutating")


@case("of both phases, in the old version of reviews")
def _(s: Script) -> None:
    old = {"admissionReviewVersions": ["v2", "v1beta1", "v1"]}
    hooked(s, "mutating", entry("/patch-data", **old), entry("/other-uid", **old), entry("/no-kind", **old))
    hooked(s, "validating", entry("/allow", **old))
    s.post(CONFIG_MAPS, config_map("a"))
    s.reviews()
    unhooked(s, "mutating")
    unhooked(s, "validating")
