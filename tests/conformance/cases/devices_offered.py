"""What classes of devices and slices of them may not be, and what a change of one may not touch."""

from __future__ import annotations

from typing import Any, Final

from harness.script import Cases, Script

from cases.builtin_objects import of_kind
from cases.device_objects import CLASSES, SLICES, THEN, opaque, resource_slice, selector
from cases.rules_policies import parts

case = Cases("devices offered")
DEVICE: Final[dict[str, Any]] = {"name": "d"}
TERM: Final = {"matchExpressions": [{"key": "a", "operator": "Exists"}]}
FULL_NAME: Final = "a" * 60 + "." + "b" * 60 + "/" + "c" * 60


def _class(**spec: Any) -> dict[str, Any]:
    return of_kind("resource.k8s.io/v1", "DeviceClass", name="{ns}", spec=spec)


def _try_slices(s: Script, *specs: dict[str, Any]) -> None:
    for spec in specs:
        s.post(SLICES, resource_slice(**spec), dryRun="All")


def _try_devices(s: Script, *devices: dict[str, Any], **spec: Any) -> None:
    _try_slices(s, *({**spec, "devices": [{**DEVICE, **device}]} for device in devices))


@case("expressions that are selectors")
def _(s: Script) -> None:
    for text in (
        "true",
        'device.driver == "a" && device.allowMultipleAllocations',
        'device.attributes["a.example.com"].model',
        'device.attributes["a"].model.startsWith("b")',
        'device.capacity["a"].memory.compareTo(quantity("1Gi")) >= 0',
        'cel.bind(dra, device.attributes["a"], dra.one && dra.two > 3)',
        '"a" in device.attributes && device.attributes["a"].v.isGreaterThan(semver("1.0.0"))',
        'device.attributes.exists(d, device.attributes[d].exists(n, n == "x"))',
        'device.attributes["a"].?model.orValue("none") == "b"',
    ):
        s.post(CLASSES, _class(selectors=[selector(text)]), dryRun="All")


@case("expressions that are none")
def _(s: Script) -> None:
    for text in (
        "",
        " ",
        "?!",
        "1",
        "[true]",
        "dyn(true)",
        "device",
        "object.spec == 1",
        "device.name == 'a'",
        "device.driver == 1",
        "device.capacity['a'].memory",
        "device.capacity['a'].memory > 1",
        "device.attributes['a'].all(x, x)",
        "device.attributes['a'].names.includes('b')",
        "cel.bind(a.b, 1, true)",
        "cel.bind(a, 1, true",
        "other.bind(a, 1, true)",
        "'a'.matches('(')",
        "timestamp(null) == duration(null)",
        "authorizer.path('/a').check('get').allowed()",
        "device.attributes.all(a, device.attributes.all(b, device.capacity.all(c, device.capacity.all(d, a == b))))",
        f"'{'a' * 10300}' == 'a'",
    ):
        s.post(CLASSES, _class(selectors=[selector(text)]), dryRun="All")


@case("a class of devices")
def _(s: Script) -> None:
    for spec in parts(
        {"selectors": [{}]},
        {"selectors": [selector("true")] * 33},
        {"config": [opaque()] * 33},
        {"config": [{}]},
        {"config": [opaque(driver="")]},
        {"config": [opaque(driver="A.example.com")]},
        {"config": [opaque(driver="a b")]},
        {"config": [opaque(driver="a" * 64)]},
        {"config": [opaque(parameters=None)]},
        {"config": [opaque(parameters=5)]},
        {"config": [opaque(parameters=[])]},
        {"config": [opaque(parameters={"a": "b" * 10240})]},
        {"extendedResourceName": "example.com/gpu"},
        {"extendedResourceName": ""},
        {"extendedResourceName": "gpu"},
        {"extendedResourceName": "kubernetes.io/gpu"},
        {"extendedResourceName": "requests.example.com/gpu"},
        {"extendedResourceName": "example.com/g pu"},
    ):
        s.post(CLASSES, _class(**spec), dryRun="All")
    s.post(CLASSES, of_kind("resource.k8s.io/v1", "DeviceClass", name="A b", spec={}))


@case("a change of a class")
def _(s: Script) -> None:
    one = f"{CLASSES}/{{ns}}"
    s.post(CLASSES, _class(selectors=[selector("true")], config=[opaque()]))
    s.patch(one, {"spec": {"selectors": [selector("false"), selector("1")]}})
    s.patch(one, {"spec": {"selectors": [selector("false")]}})
    s.patch(one, {"spec": {"config": [opaque(driver="b b")]}})
    s.patch(one, {"spec": {"extendedResourceName": "gpu"}})
    s.patch(one, {"metadata": {"labels": {"a": "b c"}}})
    s.delete(one)


@case("a pool")
def _(s: Script) -> None:
    pool = {"name": "p", "generation": 1, "resourceSliceCount": 1}
    _try_slices(
        s,
        *({"pool": {**pool, "name": name}} for name in ("", "P", "a/b", "a//b", "a" * 254, "/".join("a" * 130))),
        {"pool": {**pool, "generation": -1}},
        {"pool": {**pool, "resourceSliceCount": 0}},
        {"pool": {"name": "p"}},
        *({"driver": driver} for driver in ("", "A.example.com", "a b", "a" * 64)),
    )


@case("where devices are")
def _(s: Script) -> None:
    here = {"nodeName": None}
    _try_slices(
        s,
        here,
        {"nodeName": ""},
        {"nodeName": "N"},
        {**here, "allNodes": True},
        {"allNodes": True},
        {**here, "allNodes": False},
        {**here, "perDeviceNodeSelection": False},
        {**here, "perDeviceNodeSelection": True},
        {**here, "nodeSelector": {"nodeSelectorTerms": [TERM]}},
        {"nodeSelector": {"nodeSelectorTerms": [TERM]}, "allNodes": True, "perDeviceNodeSelection": True},
        {**here, "nodeSelector": {"nodeSelectorTerms": [TERM, {"matchFields": [{"key": "k", "operator": "In"}]}]}},
        {**here, "nodeSelector": {"nodeSelectorTerms": [{"matchExpressions": [{"key": "a b", "operator": "Near"}]}]}},
        {**here, "nodeSelector": {"nodeSelectorTerms": None}},
    )


@case("devices that say where they are")
def _(s: Script) -> None:
    _try_devices(s, {"nodeName": "n"}, {"nodeSelector": {"nodeSelectorTerms": [TERM]}}, {"allNodes": False})
    _try_devices(
        s,
        {},
        {"nodeName": "n"},
        {"nodeName": ""},
        {"nodeName": "N"},
        {"allNodes": True},
        {"allNodes": False},
        {"nodeSelector": {"nodeSelectorTerms": [TERM, TERM]}},
        {"nodeSelector": {"nodeSelectorTerms": []}},
        {"nodeName": "n", "allNodes": True, "nodeSelector": {"nodeSelectorTerms": [TERM]}},
        nodeName=None,
        perDeviceNodeSelection=True,
    )


@case("the names of devices")
def _(s: Script) -> None:
    _try_devices(s, *({"name": name} for name in ("", "D", "a.b", "a" * 64)))
    _try_slices(s, {"devices": [DEVICE, {"name": "e"}, DEVICE]}, {"devices": []}, {"devices": None})


@case("too many devices")
def _(s: Script) -> None:
    taint = {"key": "a", "effect": "None", "timeAdded": THEN}
    many = [{"name": f"d-{number}"} for number in range(129)]
    s.post(SLICES, resource_slice(devices=many), dryRun="All")
    s.post(SLICES, resource_slice(devices=[*many[:64], {"name": "t", "taints": [taint]}]), dryRun="All")


@case("the attributes of a device")
def _(s: Script) -> None:
    _try_devices(
        s,
        *({"attributes": {name: {"bool": True}}} for name in ("a", "a.example.com/b", "/b", "a/", "a/b/c", "", "1a")),
        *({"attributes": {name: {"bool": True}}} for name in ("a b/c", "A/b", "a/b.c", "a" * 33, FULL_NAME)),
        *(
            {"attributes": {"a": value}}
            for value in parts({}, {"int": 1, "bool": False}, {"string": "", "version": "1"})
        ),
        *({"attributes": {"a": {"string": text}}} for text in ("", "a" * 64, "a" * 65)),
        *({"attributes": {"a": {"version": text}}} for text in ("1.2.3", "1.2.3-a.1+b", "1.2", "v1.2.3", "01.2.3", "")),
        {"attributes": {"a": {"version": "1.2.3-" + "a" * 60}}},
        {"attributes": {FULL_NAME: {}}},
        {"attributes": {f"a{number}": {"int": number} for number in range(33)}},
        {"attributes": {"a": {"strings": ["b"]}}},
        {"attributes": {"a": {"strings": ["b"], "int": 1, "ints": [1], "bools": [], "versions": ["x"]}}},
    )


@case("the capacity of a device")
def _(s: Script) -> None:
    _try_devices(
        s,
        *({"capacity": {name: {"value": "1Gi"}}} for name in ("a", "a.example.com/b", "/b", "a b")),
        {"capacity": {"a": {}}},
        {"capacity": {"a": {"value": "1", "requestPolicy": {"default": "1"}}}},
        {"capacity": {"a": {"value": "1"}}, "attributes": {f"a{number}": {"int": number} for number in range(32)}},
    )


@case("the policy of requests for a capacity")
def _(s: Script) -> None:
    range_ = {"min": "1", "max": "9", "step": "2"}
    for policy in parts(
        {},
        {"default": "20"},
        {"validValues": ["1", "2"]},
        {"default": "1", "validValues": ["1", "2"]},
        {"default": "3", "validValues": ["1", "2"]},
        {"default": "1", "validValues": ["2", "1", "1", "20"]},
        {"default": "1", "validValues": [f"{number}" for number in range(1, 12)]},
        {"default": "1", "validValues": ["1"], "validRange": range_},
        {"validRange": range_},
        {"default": "1", "validRange": {}},
        {"default": "3", "validRange": range_},
        {"default": "4", "validRange": {**range_, "max": "8"}},
        {"default": "0", "validRange": {"min": "11", "max": "12", "step": "500m"}},
        {"default": "7", "validRange": {"min": "5", "max": "4"}},
        {"default": "1Ki", "validRange": {"min": "1", "step": "10"}},
    ):
        capacity = {"a": {"value": "10", "requestPolicy": policy}}
        _try_devices(s, {"allowMultipleAllocations": True, "capacity": capacity})


@case("counters")
def _(s: Script) -> None:
    one = {"memory": {"value": "1Gi"}}
    _try_devices(
        s,
        *({"consumesCounters": [{"counterSet": name, "counters": one}]} for name in ("a", "", "A")),
        {"consumesCounters": [{"counterSet": "a"}]},
        {"consumesCounters": [{"counterSet": "a", "counters": {"A b": {"value": "1"}}}]},
        {"consumesCounters": [{"counterSet": "a", "counters": {f"c{number}": {"value": 1} for number in range(33)}}]},
        {"consumesCounters": [{"counterSet": "a", "counters": one}] * 2},
        {"consumesCounters": [{"counterSet": name, "counters": one} for name in "abc"]},
    )
    _try_slices(
        s,
        *({"sharedCounters": [{"name": name, "counters": one}]} for name in ("a", "", "A")),
        {"sharedCounters": [{"name": "a", "counters": {}}]},
        {"sharedCounters": [{"name": "a", "counters": {"A": {}}}]},
        {"sharedCounters": [{"name": "a", "counters": one}] * 2},
        {"sharedCounters": [{"name": name, "counters": one} for name in "abcdefghi"]},
        {"sharedCounters": [{"name": "a", "counters": one}], "devices": [DEVICE]},
        {"sharedCounters": [], "devices": [DEVICE]},
        {"sharedCounters": [], "devices": []},
        {"sharedCounters": [], "devices": None},
    )


@case("taints of devices")
def _(s: Script) -> None:
    taint = {"key": "a", "value": "b", "effect": "NoSchedule", "timeAdded": THEN}
    _try_devices(
        s,
        {"taints": [taint, {**taint, "effect": "NoExecute"}, {**taint, "effect": "None"}]},
        *({"taints": [{**taint, "key": key}]} for key in ("", "a b", "example.com/a")),
        *({"taints": [{**taint, "effect": effect}]} for effect in ("", "PreferNoSchedule")),
        {"taints": [{**taint, "value": "a b"}]},
        {"taints": [taint] * 17},
    )


@case("conditions of binding")
def _(s: Script) -> None:
    _try_devices(
        s,
        {"bindingConditions": ["a"], "bindingFailureConditions": ["b"], "bindsToNode": True},
        {"bindingConditions": ["a"]},
        {"bindingFailureConditions": ["a"]},
        {"bindingConditions": ["a"], "bindingFailureConditions": ["a"]},
        {"bindingConditions": ["a", "a"], "bindingFailureConditions": ["b", "b"]},
        {"bindingConditions": ["a b"], "bindingFailureConditions": [""]},
        {"bindingConditions": ["a", "b", "c", "d", "e"], "bindingFailureConditions": ["f"]},
    )


@case("what features that are off would bring")
def _(s: Script) -> None:
    one, listed = f"{SLICES}/{{ns}}", {"a": {"int": 1, "ints": [1]}}
    mapped = {"nodeAllocatableResourceMappings": {"cpu": {"allocationMultiplier": "2"}}}
    s.post(SLICES, resource_slice(devices=[{**DEVICE, "attributes": listed, **mapped}]))
    s.patch(one, {"spec": {"devices": [{**DEVICE, "attributes": listed}]}})
    s.patch(one, {"spec": {"devices": [{**DEVICE, "attributes": {"a": {"int": 1}}, **mapped}]}})
    s.patch(one, {"spec": {"devices": [{**DEVICE, "attributes": {"a": {"int": 1}}}]}})
    s.delete(one)


@case("a change of a slice")
def _(s: Script) -> None:
    one = f"{SLICES}/{{ns}}"
    s.post(SLICES, resource_slice(devices=[{**DEVICE, "taints": [{"key": "a", "effect": "None", "timeAdded": THEN}]}]))
    s.patch(one, {"spec": {"driver": "b.example.com"}})
    s.patch(one, {"spec": {"pool": {"name": "q"}}})
    s.patch(one, {"spec": {"nodeName": "<m>"}})
    s.patch(one, {"spec": {"nodeName": None, "allNodes": True}})
    s.patch(one, {"spec": {"pool": {"generation": 2, "resourceSliceCount": 2}}})
    s.patch(one, {"spec": {"devices": [{**DEVICE, "taints": [{"key": "a", "effect": "X", "timeAdded": THEN}]}]}})
    s.patch(one, {"spec": {"devices": []}})
    s.patch(one, {"spec": {"driver": "A.example.com"}})
    s.get(SLICES, fieldSelector="spec.driver=a.example.com,spec.nodeName={ns}")
    s.delete(one)


@case("a driver with capitals")
def _(s: Script) -> None:
    s.post(SLICES, resource_slice(driver="A.example.com"))
    s.patch(f"{SLICES}/{{ns}}", {"metadata": {"labels": {"a": "b"}}})
    s.delete(f"{SLICES}/{{ns}}")
