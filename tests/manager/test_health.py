from __future__ import annotations

import pytest

from konverge.errors import RequestError
from konverge.manager.health import Answer, Checks, ping


def broken() -> None:
    """Fail."""
    raise ValueError("the password of the database is wrong")


def checks(**named: object) -> Checks:
    """Checks by name."""
    made = Checks("readyz")
    for name, check in named.items():
        made.add(name, check)  # type: ignore[arg-type]  # functions all
    return made


def test_without_checks_answering_is_enough() -> None:
    """The default check is ping, as in controller-runtime."""
    assert checks().answer() == Answer(200, "ok")
    assert checks().answer("ping") == Answer(200, "ok")
    assert checks().answer(verbose=True) == Answer(200, "[+]ping ok\nhealthz check passed\n")


def test_a_failure_is_told_check_by_check_without_its_reason() -> None:
    """The endpoint may be public; the path of the single check gives the reason."""
    both = checks(one=ping, two=broken)
    assert both.answer() == Answer(500, "[+]one ok\n[-]two failed: reason withheld\nhealthz check failed\n")
    assert both.answer("one") == Answer(200, "ok")
    assert both.answer("two") == Answer(500, "internal server error: the password of the database is wrong\n")
    assert both.answer("three").status == 404


def test_checks_can_be_left_out() -> None:
    """`exclude` passes a check without calling it, and names that fit nothing are told."""
    both = checks(one=ping, two=broken)
    assert both.answer(exclude=("two",)) == Answer(200, "ok")
    told = both.answer(verbose=True, exclude=("two", "zwei"))
    assert told.text == (
        "[+]one ok\n[+]two excluded: ok\n"
        'warn: some health checks cannot be excluded: no matches for "zwei"\nhealthz check passed\n'
    )


def test_a_name_is_taken_once_and_coroutine_functions_are_refused() -> None:
    """Both mistakes are told when the check is added."""
    one = checks(one=ping)
    with pytest.raises(RequestError, match='a check "one" already'):
        one.add("one", ping)

    async def slow() -> None:
        """Wait."""

    with pytest.raises(RequestError, match="answered in a thread"):
        one.add("slow", slow)
