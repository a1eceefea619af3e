"""Validating webhooks: what they are asked, and what their answers lead to."""

from __future__ import annotations

from harness.script import Cases, Script

from cases.objects import CONFIG_MAPS, config_map
from cases.webhook_objects import entry, hooked, rule, unhooked

case = Cases("validating webhook")


@case("that allows is told of a create, an update, a patch, an apply and a deletion")
def _(s: Script) -> None:
    hooked(s, "validating", entry("/allow"))
    s.post(CONFIG_MAPS, config_map("a", data={"a": "1"}), fieldManager="me")
    s.put(f"{CONFIG_MAPS}/a", config_map("a", data={"a": "2"}), fieldValidation="Strict")
    s.patch(f"{CONFIG_MAPS}/a", {"data": {"a": "3"}})
    s.apply(f"{CONFIG_MAPS}/a", config_map("a", data={"b": "1"}))
    s.apply(f"{CONFIG_MAPS}/b", config_map("b", data={"b": "1"}))
    s.delete(f"{CONFIG_MAPS}/a", propagationPolicy="Background")
    s.delete(CONFIG_MAPS, {"gracePeriodSeconds": 5}, labelSelector="!nothing")
    s.reviews()
    unhooked(s, "validating")


@case("that refuses, in its own words or in none")
def _(s: Script) -> None:
    for path in (
        "/deny",
        "/deny-message",
        "/deny-reason",
        "/deny-code",
        "/deny-low-code",
        "/deny-invalid",
        "/deny-warn",
    ):
        hooked(s, "validating", entry(path))
        s.post(CONFIG_MAPS, config_map("a"))
        s.post(CONFIG_MAPS, config_map("a"), dryRun="All")
        unhooked(s, "validating")
    s.reviews()


@case("that warns")
def _(s: Script) -> None:
    hooked(s, "validating", entry("/allow-and-warn"))
    s.post(CONFIG_MAPS, config_map("a"))
    unhooked(s, "validating")


_BROKEN = (
    *(
        "/absent",
        "/other-uid",
        "/other-kind",
        "/other-version",
        "/no-kind",
        "/patch-in-validation",
        "/type-without-patch",
    ),
    *("/empty", "/garbage", "/list", "/half", "/huge", "/text"),
    *("/400", "/403", "/404", "/418", "/500", "/500-json", "/500-status", "/503"),
)
for _path in _BROKEN:

    @case(f"that answers nonsense ({_path[1:]})")
    def _(s: Script, path: str = _path) -> None:
        hooked(s, "validating", entry(path))
        s.post(CONFIG_MAPS, config_map("a"))
        unhooked(s, "validating")
        hooked(s, "validating", entry(path, failurePolicy="Ignore"))
        s.post(CONFIG_MAPS, config_map("a"))
        unhooked(s, "validating")


@case("that takes too long, and one that nobody serves")
def _(s: Script) -> None:
    hooked(s, "validating", entry("/slow", timeoutSeconds=1))
    s.post(CONFIG_MAPS, config_map("a"))
    unhooked(s, "validating")
    nobody = entry("/allow", clientConfig={"url": "https://127.0.0.1:1/x", "caBundle": "{ca}"})
    hooked(s, "validating", nobody)
    s.post(CONFIG_MAPS, config_map("a"))
    unhooked(s, "validating")


@case("whose certificate is not trusted")
def _(s: Script) -> None:
    hooked(s, "validating", entry("/allow", clientConfig={"url": "{hook}/allow"}))
    s.post(CONFIG_MAPS, config_map("a"))
    unhooked(s, "validating")


@case("in a dry run, with side effects and without")
def _(s: Script) -> None:
    for effects in ("None", "NoneOnDryRun"):
        hooked(s, "validating", entry("/allow", sideEffects=effects))
        s.post(CONFIG_MAPS, config_map("a"), dryRun="All")
        unhooked(s, "validating")
    s.reviews()


@case("chosen by labels of the object, old or new")
def _(s: Script) -> None:
    hooked(s, "validating", entry("/deny-message", objectSelector={"matchLabels": {"a": "b"}}, rules=[rule("UPDATE")]))
    s.post(CONFIG_MAPS, config_map("a"))
    s.patch(f"{CONFIG_MAPS}/a", {"data": {"a": "3"}})
    s.patch(f"{CONFIG_MAPS}/a", {"metadata": {"labels": {"a": "b"}}})
    unhooked(s, "validating")
    s.patch(f"{CONFIG_MAPS}/a", {"metadata": {"labels": {"a": "b"}}})
    hooked(s, "validating", entry("/deny-message", objectSelector={"matchLabels": {"a": "b"}}, rules=[rule("UPDATE")]))
    s.patch(f"{CONFIG_MAPS}/a", {"metadata": {"labels": {"a": None}}})
    unhooked(s, "validating")


@case("is not asked before the kind's own rules, and is before the name is found taken")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, config_map("a"))
    hooked(s, "validating", entry("/deny-message"))
    s.post(CONFIG_MAPS, config_map("a", data={"not a key!": "x"}))
    s.post(CONFIG_MAPS, config_map("a"))
    s.put(f"{CONFIG_MAPS}/a", config_map("a", metadata={"resourceVersion": "1"}))
    s.delete(f"{CONFIG_MAPS}/none")
    s.delete(f"{CONFIG_MAPS}/a", {"preconditions": {"uid": "x"}})
    s.reviews()
    unhooked(s, "validating")


@case("with match conditions")
def _(s: Script) -> None:
    conditions = [{"name": "named", "expression": "object.metadata.name != 'free'"}]
    hooked(s, "validating", entry("/deny-message", matchConditions=conditions, rules=[rule("CREATE")]))
    s.post(CONFIG_MAPS, config_map("free"))
    s.post(CONFIG_MAPS, config_map("a"))
    unhooked(s, "validating")
    conditions = [{"name": "broken", "expression": "object.data.none == 'x'"}]
    for policy in ("Fail", "Ignore"):
        hooked(s, "validating", entry("/deny-message", matchConditions=conditions, failurePolicy=policy))
        s.post(CONFIG_MAPS, config_map(policy.lower()))
        unhooked(s, "validating")
