"""Updates: versions, conflicts, and what belongs to the server."""

from __future__ import annotations

from harness.script import Cases, Script

from cases.objects import CONFIG_MAPS, config_map

case = Cases("update")


@case("with the version that was read")
def _(s: Script) -> None:
    made = s.post(CONFIG_MAPS, config_map("a"))
    version = made["metadata"]["resourceVersion"]
    s.put(f"{CONFIG_MAPS}/a", config_map("a", metadata={"resourceVersion": version}, data={"a": "2"}))
    s.put(f"{CONFIG_MAPS}/a", config_map("a", metadata={"resourceVersion": version}, data={"a": "3"}))
    s.get(f"{CONFIG_MAPS}/a")


@case("of something that is not there")
def _(s: Script) -> None:
    s.put(f"{CONFIG_MAPS}/a", config_map("a"))


@case("of an object that is being deleted")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, config_map("a", metadata={"finalizers": ["example.com/hold"]}))
    s.delete(f"{CONFIG_MAPS}/a")
    s.put(f"{CONFIG_MAPS}/a", config_map("a", metadata={"finalizers": ["example.com/hold"]}, data={"a": "2"}))
    s.put(f"{CONFIG_MAPS}/a", config_map("a", metadata={"finalizers": ["example.com/hold", "example.com/more"]}))
    s.put(f"{CONFIG_MAPS}/a", config_map("a"))
    s.get(f"{CONFIG_MAPS}/a")
