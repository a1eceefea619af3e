"""What one call costs with its arguments.

Kubernetes' estimator and cel-go's extensions know their functions (`library_cost`); the standard operators are here;
anything else costs one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from konverge.cluster.apiserver.cel.call_cost import REGEX_FACTOR, STRING_FACTOR, CallCost, CallNodes, EntrySize, Node
from konverge.cluster.apiserver.cel.estimate import ONE, UNKNOWN, Estimate, total, wrapped
from konverge.cluster.apiserver.cel.library_cost import library_cost


def call_cost(call: CallNodes, overload: str, arg_costs: list[Estimate]) -> CallCost:
    """Return what a call of one overload costs with its arguments."""
    found = library_cost(call, overload)
    if found is None:
        if overload in _LAZY:
            return _LAZY[overload](call, arg_costs)
        standard = _STANDARD.get(overload)
        found = CallCost(ONE) if standard is None else standard(call)
    return found._replace(cost=found.cost.plus(total(arg_costs)))


def _known(node: Node) -> Estimate:
    return UNKNOWN if node.size is None else node.size


def _read_once(node: Node) -> Estimate:
    return _known(node).scaled(STRING_FACTOR)


def _format(call: CallNodes) -> CallCost:
    return CallCost(ONE) if call.target is None else CallCost(_read_once(call.target))


def _string_to_bytes(call: CallNodes) -> CallCost:
    size = _known(call.args[0])
    return CallCost(_read_once(call.args[0]), Estimate(size.least, wrapped(size.most * 4)))


def _bytes_to_string(call: CallNodes) -> CallCost:
    size = _known(call.args[0])
    return CallCost(_read_once(call.args[0]), Estimate(size.least // 4, size.most))


def _quote(call: CallNodes) -> CallCost:
    size = _known(call.args[0])
    return CallCost(_read_once(call.args[0]), Estimate(wrapped(size.least + 2), wrapped(size.most * 2 + 2)))


def _affix(call: CallNodes) -> CallCost:
    return CallCost(_read_once(call.args[0]))


def _in_list(call: CallNodes) -> CallCost:
    return CallCost(_known(call.args[1]).scaled(1))


def _matches(call: CallNodes) -> CallCost:
    if call.target is None:
        return CallCost(ONE)
    text = _known(call.target).plus(ONE).scaled(STRING_FACTOR)
    return CallCost(text.times(_known(call.args[0]).scaled(REGEX_FACTOR)))


def _contains(call: CallNodes) -> CallCost:
    if call.target is None:
        return CallCost(ONE)
    return CallCost(_read_once(call.target).times(_read_once(call.args[0])))


def _add(call: CallNodes) -> CallCost:
    size = _known(call.args[0]).plus(_known(call.args[1]))
    return CallCost(size.scaled(STRING_FACTOR), size, _both_entries(call.args[0], call.args[1]))


def _add_list(call: CallNodes) -> CallCost:
    return _add(call)._replace(cost=ONE)


def _compare(call: CallNodes) -> CallCost:
    most = min(_known(call.args[0]).most, _known(call.args[1]).most)
    return CallCost(Estimate(1 if most > 0 else 0, most).scaled(STRING_FACTOR))


def _both_entries(left: Node, right: Node) -> EntrySize | None:
    left_size, right_size = left.entry_size(), right.entry_size()
    return None if left_size is None or right_size is None else left_size.union(right_size)


def _logical(_call: CallNodes, arg_costs: list[Estimate]) -> CallCost:
    left, right = arg_costs
    return CallCost(Estimate(left.least, left.plus(right).most))


def _conditional(call: CallNodes, arg_costs: list[Estimate]) -> CallCost:
    condition, if_true, if_false = arg_costs
    size = _known(call.args[1]).union(_known(call.args[2]))
    return CallCost(condition.plus(if_true.union(if_false)), size, _both_entries(call.args[1], call.args[2]))


_COMPARED: Final = ("less", "less_equals", "greater", "greater_equals")
_STANDARD: Final[dict[str, Callable[[CallNodes], CallCost]]] = {
    "string_format": _format,
    "string_to_bytes": _string_to_bytes,
    "bytes_to_string": _bytes_to_string,
    "strings_quote": _quote,
    "starts_with_string": _affix,
    "ends_with_string": _affix,
    "in_list": _in_list,
    "matches_string": _matches,
    "contains_string": _contains,
    "add_string": _add,
    "add_bytes": _add,
    "add_list": _add_list,
    "equals": _compare,
    "not_equals": _compare,
    **{f"{name}_{type_}": _compare for name in _COMPARED for type_ in ("string", "bytes")},
}
# Operators that may leave an argument out.
_LAZY: Final[dict[str, Callable[[CallNodes, list[Estimate]], CallCost]]] = {
    "logical_and": _logical,
    "logical_or": _logical,
    "conditional": _conditional,
}
