"""What the functions of Kubernetes' libraries and of cel-go's extensions cost, by the sizes of their arguments."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final, TypeAlias

from konverge.cluster.apiserver.cel.ast import Literal, LiteralKind
from konverge.cluster.apiserver.cel.call_cost import REGEX_FACTOR, STRING_FACTOR, CallCost, CallNodes, Node
from konverge.cluster.apiserver.cel.estimate import LARGEST, NONE, ONE, Estimate, fixed, wrapped
from konverge.cluster.apiserver.cel.types import Kind

_CHECK_COST: Final = 350_000  # of asking the authorizer
_LIST_COST: Final = 10
_STRUCT_COST: Final = 40
_LARGEST_FORMAT: Final = 64
_LARGEST_FORMAT_REGEX: Final = 128
_ADDRESS: Final = Estimate(4, 16)  # the bytes of an IPv4 and an IPv6 address
_UNIT_EQUALITY: Final = frozenset(
    {
        "net.IP",
        "net.CIDR",
        "kubernetes.Quantity",
        "kubernetes.Semver",
        "kubernetes.authorization.Authorizer",
        "kubernetes.authorization.PathCheck",
        "kubernetes.authorization.GroupCheck",
        "kubernetes.authorization.ResourceCheck",
        "kubernetes.authorization.Decision",
    }
)

_Estimator: TypeAlias = Callable[[CallNodes, str], CallCost | None]


def library_cost(call: CallNodes, overload: str) -> CallCost | None:
    """Return what a call costs without its arguments, where a library knows it."""
    by_overload = _BY_OVERLOAD.get(overload)
    found = None if by_overload is None else by_overload(call, overload)
    if found is not None:
        return found
    by_function = _BY_FUNCTION.get(call.function)
    return None if by_function is None else by_function(call, overload)


def _unit(_call: CallNodes, _overload: str) -> CallCost:
    return CallCost(ONE)


def _check(_call: CallNodes, _overload: str) -> CallCost:
    return CallCost(fixed(_CHECK_COST))


def _selector(call: CallNodes, _overload: str) -> CallCost | None:
    if len(call.args) != 1:
        return None
    length = call.size(call.args[0])
    requirements = length.scaled(0.5).scaled(float(_LIST_COST + _STRUCT_COST))
    return CallCost(fixed(_LIST_COST).plus(length.scaled(STRING_FACTOR)).plus(requirements))


def _element(target: Node) -> Node | None:
    if not target.type.parameters:
        return None
    path = target.path.copied("@items") if len(target.path) else target.path
    return Node(None, target.type.parameters[0], path, None)


def _traversal(call: CallNodes, _overload: str) -> CallCost | None:
    if call.target is None:
        return None
    element = _element(call.target)
    if element is None:
        return CallCost(call.size(call.target).scaled(STRING_FACTOR))
    each = ONE
    if element.type.kind in {Kind.STRING, Kind.BYTES}:
        each = each.plus(call.size(element).scaled(STRING_FACTOR))
    return CallCost(call.size(call.target).times(each))


def _read_argument(call: CallNodes, _overload: str) -> CallCost | None:
    return CallCost(call.size(call.args[0]).scaled(STRING_FACTOR)) if call.args else None


def _url(call: CallNodes, _overload: str) -> CallCost | None:
    if len(call.args) != 1:
        return None
    size = call.size(call.args[0])
    return CallCost(size.scaled(STRING_FACTOR), size)


def _read_target(call: CallNodes, _overload: str) -> CallCost | None:
    if call.target is None:
        return None
    size = call.size(call.target)
    return CallCost(size.scaled(STRING_FACTOR), size)


def _replace(call: CallNodes, _overload: str) -> CallCost | None:
    if call.target is None or len(call.args) < 2:  # noqa: PLR2004 - what is replaced, and with what
        return None
    size = call.size(call.target)
    old, new = call.size(call.args[0]), call.size(call.args[1])
    most, most_kept = _most_replaced(size.most, old.least, new.most)
    least, least_kept = _least_replaced(size.least, old.most, new.least)
    result = Estimate(least, most).times(new).plus(Estimate(least_kept, most_kept))
    return CallCost(size.scaled(2 * STRING_FACTOR), result)


def _most_replaced(size: int, old: int, new: int) -> tuple[int, int]:
    """Return how often a text can be replaced at most, and how much of it can stay."""
    if old == 0:
        return min(size + 1, LARGEST), size
    if new <= old:
        return 0, size
    return _quotient(size, old), 0


def _least_replaced(size: int, old: int, new: int) -> tuple[int, int]:
    if old == 0:
        return min(size + 1, LARGEST), size
    if old <= new:
        return 0, size
    return _quotient(size, old), 0


def _quotient(size: int, part: int) -> int:
    """Divide in floating point, as cel-go does; on amd64 what does not fit becomes the highest bit."""
    result = math.ceil(float(size) / float(part))
    return result if result <= LARGEST else 2**63


def _split(call: CallNodes, _overload: str) -> CallCost | None:
    if call.target is None:
        return None
    size = call.size(call.target)
    most = size.most
    limit = _literal_int(call.args[1]) if len(call.args) > 1 else None
    if limit is not None:
        most = wrapped(limit)
    return CallCost(size.scaled(2 * STRING_FACTOR), Estimate(0, most))


def _join(call: CallNodes, _overload: str) -> CallCost | None:
    if call.target is None:
        return None
    count = call.size(call.target)
    element = _element(call.target)
    size = NONE if element is None else count.times(call.size(element))
    if call.args:
        separators = Estimate(max(count.least - 1, 0), max(count.most - 1, 0))
        size = size.plus(call.size(call.args[0]).times(separators))
    return CallCost(size.scaled(STRING_FACTOR), size)


def _find(call: CallNodes, _overload: str) -> CallCost | None:
    if call.target is None or not call.args:
        return None
    size = call.size(call.target)
    regex = call.size(call.args[0]).scaled(REGEX_FACTOR)
    return CallCost(size.plus(ONE).scaled(STRING_FACTOR).times(regex), Estimate(0, size.most))


def _ip(call: CallNodes, overload: str) -> CallCost | None:
    return CallCost(ONE) if overload == "cidr_ip" else _read_argument(call, overload)


def _canonical(call: CallNodes, _overload: str) -> CallCost | None:
    return CallCost(call.size(call.args[0]).scaled(2 * STRING_FACTOR)) if call.args else None


def _contains_ip(call: CallNodes, overload: str) -> CallCost | None:
    if not call.args:
        return None
    cost = _ADDRESS.plus(_ADDRESS).scaled(STRING_FACTOR)
    if overload == "cidr_contains_ip_string":
        cost = cost.plus(call.size(call.args[0]).scaled(STRING_FACTOR))
    return CallCost(cost)


def _contains_cidr(call: CallNodes, overload: str) -> CallCost | None:
    if not call.args:
        return None
    cost = _ADDRESS.plus(_ADDRESS).scaled(STRING_FACTOR).plus(_ADDRESS.scaled(STRING_FACTOR)).plus(ONE)
    if overload == "cidr_contains_cidr_string":
        cost = cost.plus(call.size(call.args[0]).scaled(STRING_FACTOR))
    return CallCost(cost)


def _validate(call: CallNodes, _overload: str) -> CallCost | None:
    if not call.args:
        return None
    text = call.size(call.args[0]).scaled(STRING_FACTOR)
    return CallCost(text.scaled(_LARGEST_FORMAT_REGEX * REGEX_FACTOR))


def _equals(call: CallNodes, _overload: str) -> CallCost | None:
    left, right = call.args
    if left.type.name != right.type.name:
        return None
    if left.type.name in _UNIT_EQUALITY:
        return CallCost(ONE)
    if left.type.name == "kubernetes.NamedFormat":
        return CallCost(Estimate(1, _LARGEST_FORMAT).scaled(STRING_FACTOR))
    if left.type.name == "kubernetes.URL":
        size = right.size or ONE
        return CallCost(Estimate(1, size.most).scaled(STRING_FACTOR))
    return None


def _sets(factor: float) -> _Estimator:
    def estimate(call: CallNodes, _overload: str) -> CallCost:
        left, right = call.args
        return CallCost(call.size(left).times(call.size(right)).scaled(factor).plus(ONE))

    return estimate


def _new_list(factor: float, size: Estimate) -> CallCost:
    return CallCost(size.scaled(factor).plus(ONE).plus(fixed(_LIST_COST)), size)


def _slice(call: CallNodes, _overload: str) -> CallCost | None:
    if call.target is None:
        return None
    start = _index(call.args[0], 0)
    end = _index(call.args[1], call.size(call.target).most)
    return _new_list(1, fixed(wrapped(end - start)))


def _range(call: CallNodes, _overload: str) -> CallCost:
    return _new_list(1, fixed(_index(call.args[0], LARGEST)))


def _reverse(call: CallNodes, _overload: str) -> CallCost | None:
    return None if call.target is None else _new_list(1, call.size(call.target))


def _flatten(call: CallNodes, _overload: str) -> CallCost | None:
    if call.target is None:
        return None
    depth = _index(call.args[0], LARGEST) if call.args else 1
    return _new_list(float(depth), call.size(call.target))


def _sorted(factor: float, *, by_keys: bool = False) -> _Estimator:
    def estimate(call: CallNodes, _overload: str) -> CallCost | None:
        node = call.args[0] if by_keys else call.target
        if node is None:
            return None
        size = call.size(node)
        return _new_list(factor, size.times(size))

    return estimate


def _literal_int(node: Node) -> int | None:
    expr = node.expr
    if isinstance(expr, Literal) and expr.kind is LiteralKind.INT and isinstance(expr.value, int):
        return expr.value
    return None


def _index(node: Node, otherwise: int) -> int:
    value = _literal_int(node)
    return otherwise if value is None else max(value, 0)


_BY_FUNCTION: Final[dict[str, _Estimator]] = {
    "check": _check,
    "fieldSelector": _selector,
    "labelSelector": _selector,
    "url": _url,
    "jsonpatch.escapeKey": _url,
    "replace": _replace,
    "split": _split,
    "join": _join,
    "find": _find,
    "findAll": _find,
    "ip": _ip,
    "ip.isCanonical": _canonical,
    "containsIP": _contains_ip,
    "containsCIDR": _contains_cidr,
    "validate": _validate,
    "_==_": _equals,
    **dict.fromkeys(("isSorted", "sum", "max", "min", "indexOf", "lastIndexOf"), _traversal),
    **dict.fromkeys(("lowerAscii", "upperAscii", "substring", "trim"), _read_target),
    **dict.fromkeys(("cidr", "isIP", "isCIDR", "quantity", "isQuantity", "semver", "isSemver"), _read_argument),
    **dict.fromkeys(
        (
            *("serviceAccount", "path", "group", "resource", "subresource", "namespace", "name"),
            *("allowed", "reason", "error", "errored"),
            *("masked", "prefixLength", "family", "isUnspecified", "isLoopback"),
            *("isLinkLocalMulticast", "isLinkLocalUnicast", "isGlobalUnicast", "format.named"),
            *("sign", "asInteger", "isInteger", "asApproximateFloat", "isGreaterThan", "isLessThan", "compareTo"),
            *("add", "sub", "major", "minor", "patch"),
            *("getScheme", "getHostname", "getHost", "getPort", "getEscapedPath", "getQuery"),
        ),
        _unit,
    ),
}
_SORTABLE: Final = {
    "int": 2.0,
    "uint": 2.0,
    "double": 2.0,
    "bool": 2.0,
    "google.protobuf.Duration": 2.0,
    "google.protobuf.Timestamp": 2.0,
    "string": 2.0 + STRING_FACTOR,
    "bytes": 2.0 + STRING_FACTOR,
}
_BY_OVERLOAD: Final[dict[str, _Estimator]] = {
    "list_sets_contains_list": _sets(1),
    "list_sets_intersects_list": _sets(1),
    "list_sets_equivalent_list": _sets(2),
    "list_slice": _slice,
    "list_flatten": _flatten,
    "list_flatten_int": _flatten,
    "lists_range": _range,
    "list_reverse": _reverse,
    "list_distinct": _sorted(2.0),
    **{f"list_{name}_sort": _sorted(factor) for name, factor in _SORTABLE.items()},
    **{f"list_{name}_sortByAssociatedKeys": _sorted(factor, by_keys=True) for name, factor in _SORTABLE.items()},
}
