"""What a request wants to do, as the authorizer sees it."""

from __future__ import annotations

import pytest

from konverge.cluster.apiserver.access import User
from konverge.cluster.apiserver.access.attempt import Attempt, aggregated, attempt_of, refused
from konverge.cluster.apiserver.exchange import Request
from konverge.cluster.apiserver.route import route


@pytest.mark.parametrize(
    ("selector", "name"),
    [
        ("metadata.name=a", "a"),
        ("metadata.name==a", "a"),
        ("status.phase=x,metadata.name=a", "a"),
        ("metadata.name!=a", ""),
        ("metadata.name=", ""),
        ("metadata.name=a/b", ""),
        ("spec.name=a", ""),
        ("", ""),
    ],
)
def test_a_list_of_one_name_is_about_that_object(selector: str, name: str) -> None:
    """So a rule with a resource name can allow it."""
    request = Request(method="GET", path="/api/v1/pods", query=(("fieldSelector", selector),))
    assert attempt_of(request, route(request)).name == name


def test_a_refusal_is_no_html() -> None:
    """A name may come from anywhere."""
    failure = refused(User("<b>&"), Attempt(verb="get", is_resource=False, path="/"), "why")
    assert failure.message == 'forbidden: User "&lt;b&gt;&amp;" cannot get path "/": why'


@pytest.mark.parametrize(("errors", "text"), [([], ""), (["a"], "a"), (["a", "a"], "a"), (["a", "b"], "[a, b]")])
def test_errors_are_told_as_one(errors: list[str], text: str) -> None:
    """Each once."""
    assert aggregated(errors) == text
