from __future__ import annotations

from functools import partial
from typing import Any

import pytest

import konverge as kv
from konverge.api.rbac import Grant, grants_of
from konverge.errors import RequestError


@kv.rbac("apps", "deployments", verbs=kv.ALL)
@kv.rbac(("core", "batch"), ["pods", "jobs"], verbs="get", names="one", namespace="shop")
class Reconciler:
    """Declares two things."""

    @kv.rbac(urls="/metrics", verbs=("get",))
    async def reconcile(self, ctx: kv.Context, request: kv.Request) -> None:
        """Declare a third one."""


FIRST = Grant(groups=("apps",), resources=("deployments",), verbs=kv.ALL)
SECOND = Grant(groups=("", "batch"), resources=("pods", "jobs"), verbs=("get",), names=("one",), namespace="shop")
THIRD = Grant(urls=("/metrics",), verbs=("get",))


def test_declarations_are_found_on_the_class_and_its_method() -> None:
    """In the order they stand, words and lists alike, and "core" is the group without a name."""
    assert grants_of(Reconciler()) == (FIRST, SECOND, THIRD)


def test_a_bound_method_and_a_partial_have_the_same() -> None:
    """Whatever is given to `complete`, what was declared comes along."""
    assert sorted(grants_of(Reconciler().reconcile)) == sorted((FIRST, SECOND, THIRD))

    @kv.rbac("", "nodes", verbs="list")
    async def reconcile(ctx: kv.Context, request: kv.Request, *, more: int) -> None: ...

    (found,) = grants_of(partial(reconcile, more=1))
    assert found.resources == ("nodes",)


def test_a_subclass_adds_to_what_it_inherits() -> None:
    """And the class it inherits from keeps its own."""

    @kv.rbac("", "nodes", verbs="list")
    class More(Reconciler):
        """Declares one thing more."""

    assert [grant.resources for grant in grants_of(More())] == [
        ("nodes",),
        *(g.resources for g in (FIRST, SECOND, THIRD)),
    ]
    assert len(grants_of(Reconciler())) == 3


def test_all_is_every_verb_of_the_client_and_no_more() -> None:
    """Rights that raise one's own rights have to be asked for by name."""
    assert "deletecollection" in kv.ALL
    assert not {"*", "bind", "escalate", "impersonate"} & set(kv.ALL)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"resources": "pods", "verbs": ()}, "pods needs verbs, such as verbs=kv.ALL"),
        ({"verbs": "get"}, "nothing needs resources or urls"),
        ({"resources": "pods", "urls": "/x", "verbs": "get"}, "needs resources or urls, one of the two"),
        ({"urls": "/x", "verbs": "get", "namespace": "shop"}, "urls are in no group and no namespace"),
        ({"resources": "pods", "names": "a", "verbs": kv.ALL}, "an object that is created has no name to check yet"),
    ],
)
def test_what_would_allow_nothing_is_refused(wrong: dict[str, Any], said: str) -> None:
    """The message says what to write instead."""
    with pytest.raises(RequestError, match=said):
        kv.rbac(**wrong)


def test_only_may_name_no_verbs_and_nothing_narrower_than_a_resource() -> None:
    """It cuts what the builder allows, which is about resources as a whole."""
    assert Grant(groups=("",), resources=("events",), verbs=(), only=True).verbs == ()
    with pytest.raises(RequestError, match="only=True cuts what the builder allows"):
        kv.rbac("", "pods", verbs="get", names="one", only=True)
