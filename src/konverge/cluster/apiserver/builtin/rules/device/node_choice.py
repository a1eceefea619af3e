"""Where devices are: on one node, on those that a selector finds, or on all; exactly one of these is said."""

from __future__ import annotations

from collections.abc import Iterator

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.rules.device.names import subdomain_errors
from konverge.cluster.apiserver.builtin.rules.internal_form import internal_text
from konverge.cluster.apiserver.builtin.rules.pod.scheduling import node_selector_errors
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.strategy import JsonObject

_SWITCHES = ("allNodes", "perDeviceNodeSelection")
_ONE_OF_SLICE = "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required"
_ONE_OF_DEVICE = (
    "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true "
    "in the ResourceSlice spec"
)
_NOT_OF_DEVICE = (
    "`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the "
    "ResourceSlice spec"
)


def slice_node_errors(spec: JsonObject, path: str) -> Iterator[FieldError]:
    """Judge where the devices of a slice are; each may say it for itself."""
    yield from _name_errors(spec, path, empty="must be either unset or set to a non-empty string")
    if (selector := spec.get("nodeSelector")) is not None:
        yield from node_selector_errors(selector, f"{path}.nodeSelector")
        terms, wrong = selector.get("nodeSelectorTerms"), "must have exactly one node selector term"
        if len(terms or ()) != 1:
            shown = internal_text("[]core.NodeSelectorTerm", terms)
            yield field_error.invalid(f"{path}.nodeSelector.nodeSelectorTerms", shown, wrong)
    yield from _switch_errors(spec, path)
    given = [name for name in ("nodeName", "nodeSelector", *_SWITCHES) if _is_given(spec, name)]
    if not given:
        yield field_error.required(path, _ONE_OF_SLICE)
    elif len(given) > 1:
        yield field_error.invalid(path, _shown(given), f"{_ONE_OF_SLICE}, but multiple fields are set")


def device_node_errors(device: JsonObject, path: str, *, is_asked: bool) -> Iterator[FieldError]:
    """Judge where a device is; only asked where its slice leaves it to its devices."""
    names = ("nodeName", "nodeSelector", "allNodes")
    if not is_asked:
        if any(device.get(name) is not None for name in names):
            yield field_error.invalid(path, None, _NOT_OF_DEVICE)
        return
    yield from _name_errors(device, path, empty="must not be empty")
    if (selector := device.get("nodeSelector")) is not None:
        yield from node_selector_errors(selector, f"{path}.nodeSelector")
    yield from _switch_errors(device, path)
    given = [name for name in names if _is_given(device, name)]
    if not given:
        yield field_error.required(path, _ONE_OF_DEVICE)
    elif len(given) > 1:
        yield field_error.invalid(path, _shown(given), _ONE_OF_DEVICE)


def _name_errors(holder: JsonObject, path: str, *, empty: str) -> Iterator[FieldError]:
    name = holder.get("nodeName")
    if name == "":
        yield field_error.invalid(f"{path}.nodeName", name, empty)
    elif name is not None:
        yield from subdomain_errors(name, f"{path}.nodeName")


def _switch_errors(holder: JsonObject, path: str) -> Iterator[FieldError]:
    for name in _SWITCHES:
        if holder.get(name) is False:
            yield field_error.invalid(f"{path}.{name}", value=False, detail="must be either unset or set to true")


def _is_given(holder: JsonObject, name: str) -> bool:
    value = holder.get(name)
    return value is not None if name == "nodeSelector" else bool(value)


def _shown(names: list[str]) -> str:
    return "{" + ", ".join(f"`{name}`" for name in names) + "}"
