"""Validating policies at work; what they answer is compared with the real server in `tests/conformance`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.cluster.apiserver.admission.conftest import Asked

GROUP = "/apis/admissionregistration.k8s.io/v1"
MAPS = "/api/v1/namespaces/default/configmaps"


async def test_a_policy_counts_from_the_answer_on_and_until_it_is_gone(asked: Asked) -> None:
    """What was written counts at once, a change of it too, and nothing is left of a policy that is deleted."""
    await asked.bind("validating", {"validations": [{"expression": "has(object.data)"}]})
    assert (await asked.ask("POST", MAPS, {"metadata": {"name": "a"}}))[0] == 422
    change = {"spec": {"validations": [{"expression": "!has(object.data)"}]}}
    assert (await asked.ask("PATCH", f"{GROUP}/validatingadmissionpolicies/p", change))[0] == 200
    assert (await asked.ask("POST", MAPS, {"metadata": {"name": "a"}}))[0] == 201
    assert (await asked.ask("PATCH", f"{MAPS}/a", {"data": {"a": "b"}}))[0] == 422
    await asked.ask("DELETE", f"{GROUP}/validatingadmissionpolicybindings/b")
    assert (await asked.ask("PATCH", f"{MAPS}/a", {"data": {"a": "b"}}))[0] == 200


async def test_policies_cannot_be_locked_out(asked: Asked) -> None:
    """A policy that forbids everything says nothing about policies: it can be taken back."""
    rule = {"apiGroups": ["*"], "apiVersions": ["*"], "resources": ["*/*", "*"][:1], "operations": ["*"]}
    constraints = {"resourceRules": [rule]}
    await asked.bind("validating", {"validations": [{"expression": "false"}], "matchConstraints": constraints})
    assert (await asked.ask("POST", MAPS, {"metadata": {"name": "a"}}))[0] == 422
    assert (await asked.ask("DELETE", f"{GROUP}/validatingadmissionpolicies/p"))[0] == 200
    assert (await asked.ask("POST", MAPS, {"metadata": {"name": "a"}}))[0] == 201


async def test_a_budget_for_all_validations(asked: Asked) -> None:
    """Each expression may cost a million, all of them ten: the rest is not run, and the write is refused."""
    check = "authorizer.group('').resource('pods').check('get').allowed()"
    await asked.bind("validating", {"validations": [{"expression": f"{check} && {check}"}] * 15})
    status, body = await asked.ask("POST", MAPS, {"metadata": {"name": "a"}})
    assert status == 422
    assert "running out of cost budget" in body["message"]


def test_cel_is_not_loaded_for_nothing() -> None:
    """The plugins stand in every server's chain and must not make its start slow: no expression, no CEL."""
    for name in ("validating", "mutating", "invocation", "source"):
        module = sys.modules.get(f"konverge.cluster.apiserver.admission.policy.{name}")
        assert module is not None
        loaded = [each for each in vars(module).values() if getattr(each, "__module__", "").startswith(_CEL)]
        assert loaded == []


_CEL = "konverge.cluster.apiserver.cel"
