"""The closures of calls. An argument that fails fails the call, which still has its price, as in cel-go."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from konverge.cluster.apiserver.cel.cel_error import CelError, no_such_overload
from konverge.cluster.apiserver.cel.equality import equal
from konverge.cluster.apiserver.cel.frame import Frame, Run
from konverge.cluster.apiserver.cel.runtime_cost import Price, cost_of, price
from konverge.cluster.apiserver.cel.values import Optional


def call(run: Callable[..., Any], args: Sequence[Run], *, price: Price, stops_early: bool) -> Run:
    """Return the call of a function; `stops_early`: the arguments after one that fails are not looked at."""
    if len(args) == 1 and not stops_early:
        return _unary(run, args[0], price)
    if len(args) == 2 and not stops_early:  # noqa: PLR2004 - binary
        return _binary(run, args[0], args[1], price)

    before, last = args[:-1], args[-1:]

    def run_all(frame: Frame) -> Any:
        values = [arg(frame) for arg in before]
        for arg in last:
            try:
                values.append(arg(frame))
            except CelError as error:  # it has a price only once all its arguments were looked at
                frame.cost += cost_of(price, (*values, error), error)
                raise
        return _made(frame, run, values, price)

    return run_all


def _made(frame: Frame, run: Callable[..., Any], values: Sequence[Any], price_: Price) -> Any:
    try:
        result = run(*values)
    except CelError as error:
        frame.cost += cost_of(price_, values, error)
        raise
    frame.spend(cost_of(price_, values, result))
    return result


def _unary(run: Callable[..., Any], arg: Run, price_: Price) -> Run:
    def run_one(frame: Frame) -> Any:
        try:
            value = arg(frame)
        except CelError as error:
            frame.cost += cost_of(price_, (error,), error)
            raise
        return _made(frame, run, (value,), price_)

    return run_one


def _binary(run: Callable[..., Any], left: Run, right: Run, price_: Price) -> Run:
    is_fixed = price_.__class__ is int

    def run_two(frame: Frame) -> Any:
        try:
            one = left(frame)
        except CelError as error:
            _fail(frame, right, price_, error)
            raise
        try:
            other = right(frame)
        except CelError as error:
            frame.cost += cost_of(price_, (one, error), error)
            raise
        if is_fixed:
            frame.cost += price_  # type: ignore[operator] # it is a number
            return run(one, other)
        return _made(frame, run, (one, other), price_)

    return run_two


def _fail(frame: Frame, right: Run, price_: Price, error: CelError) -> None:
    """Count what the right side costs, whose value no longer matters."""
    other: Any
    try:
        other = right(frame)
    except CelError as second:
        other = second
    frame.cost += cost_of(price_, (error, other), error)


def equals(left: Run, right: Run) -> Run:
    """`left == right`."""
    return _binary(equal, left, right, price("_==_", "equals"))


def differs(left: Run, right: Run) -> Run:
    """`left != right`: true also where the two have no answer."""
    return _binary(_is_different, left, right, price("_!=_", "not_equals"))


def _is_different(left: Any, right: Any) -> bool:
    try:
        return not equal(left, right)
    except CelError:
        return True


def both(left: Run, right: Run) -> Run:
    """`left && right`: false on either side decides, also over an error on the other."""
    return _logical(left, right, decisive=False)


def either(left: Run, right: Run) -> Run:
    """`left || right`: true on either side decides, also over an error on the other."""
    return _logical(left, right, decisive=True)


def _logical(left: Run, right: Run, *, decisive: bool) -> Run:
    def run(frame: Frame) -> Any:
        failed: CelError | None = None
        value: Any
        try:
            value = left(frame)
            if value is decisive:
                return decisive
            failed = None if value is True or value is False else no_such_overload()
        except CelError as error:
            failed = error
        try:
            value = right(frame)
        except CelError as error:
            raise failed or error  # noqa: B904 - the first error is the expression's
        if value is decisive:
            return decisive
        if failed is not None:
            raise failed
        if value is True or value is False:
            return not decisive
        raise no_such_overload()

    return run


def not_strictly_false(arg: Run) -> Run:
    """What a macro asks before it goes on: anything but a plain false."""

    def run(frame: Frame) -> bool:
        frame.cost += 1
        try:
            return arg(frame) is not False
        except CelError:
            return True

    return run


def first_optional(left: Run, right: Run) -> Run:
    """`left.or(right)`: the right side only where the left has no value."""

    def run(frame: Frame) -> Any:
        value = left(frame)
        return value if value.__class__ is not Optional or value.has_value else right(frame)

    return run


def value_or(left: Run, right: Run) -> Run:
    """`left.orValue(right)`."""

    def run(frame: Frame) -> Any:
        value = left(frame)
        if value.__class__ is not Optional:
            return value
        return value.value if value.has_value else right(frame)

    return run
