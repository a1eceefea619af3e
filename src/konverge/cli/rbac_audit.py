"""RBAC audit: what `konverge manifests --audit` does: run the project's tests, compare, tell.

Every manager of the tests, in pytest's own process or below it, writes its calls into a folder (`manager.call_log`).
Those of managers with other controllers than the operator's (Kubernetes' own, run by konverge) are left out.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import msgspec
import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from konverge.api.rbac import Grant
from konverge.cli.access_audit import Excess, Findings, Need, Role, audit, role_of
from konverge.cli.operator_manifests import Options, describe
from konverge.cli.operator_module import load
from konverge.cluster.apiserver.access.rule import PolicyRule
from konverge.errors import ConfigError
from konverge.manager.call_log import FOLDER, Owner, Seen, read_calls
from konverge.manager.grants import applied_webhook_grants, declared_grants, webhook_grants
from konverge.manager.manager import Manager
from konverge.manifest import rbac
from konverge.manifest.operator import Operator
from konverge.manifest.rules import policy_rules

_NO_TESTS: Final = 5  # pytest's exit code where it found none
_SHOWN: Final = 3  # names in one cell
_LIMITS: Final = (
    "What no test did is not known: a rule that is called unused may be needed on a path that no test takes. Calls of "
    "a reconciler without a manager, and of processes that do not inherit the environment, are not seen either."
)
_UNSEEN: Final = "No call shows whether these are needed; the API server asks for them inside other calls:"


def run(module: str, options: Options, *, pytest: Sequence[str], as_json: bool) -> None:
    """Audit the roles of an operator; exit with 1 where a rule is missing, or the tests failed."""
    found = load(module)
    operator = describe(found, options)
    code, recorded = _run_tests(pytest, quiet=as_json)
    calls, others = own_calls(recorded, tuple(found.manager.controllers))
    if not calls:
        raise ConfigError(_nothing_seen(code, others))
    findings = audit(
        calls,
        roles_of(operator),
        origins=origins_of(found.manager, operator),
        aside=_rules(applied_webhook_grants(found.manager)),
    )
    if as_json:
        typer.echo(msgspec.json.format(msgspec.json.encode(_as_json(findings, code, others)), indent=2).decode())
    else:
        _tell(findings, code, others)
    if findings.missing or code:
        raise typer.Exit(1)


# --- the tests ---


def _run_tests(arguments: Sequence[str], *, quiet: bool) -> tuple[int, list[tuple[Owner, list[Seen]]]]:
    """Run pytest as the project would, and return its exit code and what managers did meanwhile."""
    with TemporaryDirectory(prefix="konverge-audit-") as folder:
        environ = {**os.environ, FOLDER: folder}
        command = [sys.executable, "-m", "pytest", *arguments]
        # The report alone goes to the standard output where a program reads it.
        done = subprocess.run(command, env=environ, stdout=sys.stderr if quiet else None, check=False)  # noqa: S603 - the author's own tests
        return done.returncode, read_calls(Path(folder))


def own_calls(
    recorded: Iterable[tuple[Owner, list[Seen]]], controllers: Sequence[str]
) -> tuple[list[Seen], tuple[str, ...]]:
    """Return the calls of managers that run these controllers, or some of them; and the others' controllers."""
    calls: list[Seen] = []
    others: dict[str, None] = {}
    for owner, seen in recorded:
        if strangers := [name for name in owner.controllers if name not in controllers]:
            others |= dict.fromkeys(strangers)
        else:
            calls += seen
    return calls, tuple(others)


def _nothing_seen(code: int, others: Sequence[str]) -> str:
    if code == _NO_TESTS:
        return "pytest found no tests here: run it where your tests are, or name them after --"
    if others:
        return (
            f"the tests ran other controllers ({', '.join(others)}) but none of this operator: name the one they test"
        )
    return (
        "no manager made a call in these tests: let one run the operator, as in "
        "async with running(add_to(cluster.manager())), from konverge.testing"
    )


# --- the roles ---


def roles_of(operator: Operator) -> list[Role]:
    """Return what the manifests would allow the operator."""
    found = [role_of(role) for role in rbac.roles(operator)]
    if operator.lease:
        found.append(role_of(rbac.leader_election_role(operator), is_lease=True))
    return found


def origins_of(manager: Manager, operator: Operator) -> dict[str, list[PolicyRule]]:
    """Return the rules by who asked for them."""
    lease = rbac.leader_election_role(operator)["rules"] if operator.lease else []
    return {
        "@kv.rbac": _rules(declared_grants(manager)),
        "webhooks": _rules(webhook_grants(manager)),
        "leader election": msgspec.convert(lease, list[PolicyRule]),
        "the builder": _rules(operator.grants),
    }


def _rules(grants: Iterable[Grant]) -> list[PolicyRule]:
    return msgspec.convert(policy_rules(grants), list[PolicyRule])


# --- telling ---


def _as_json(findings: Findings, code: int, others: Sequence[str]) -> Mapping[str, Any]:
    missing = [{**msgspec.to_builtins(need), "declare": need.declaration} for need in findings.missing]
    return {
        "tests_exit_code": code,
        "calls": findings.calls,
        "missing": missing,
        "unused": findings.unused,
        "not_judged": findings.not_judged,
        "other_controllers": others,
        "limits": _LIMITS,
    }


def _tell(findings: Findings, code: int, others: Sequence[str]) -> None:
    console = Console(highlight=False)
    if findings.missing:
        _table(console, "Needed and not allowed", _missing_rows(findings.missing), "first in", style="red")
        console.print("Declare it on the reconciler that needs it:")
        for need in findings.missing:
            console.print(Text(f"  {need.declaration}"), soft_wrap=True)
    if findings.unused:
        _table(console, "Allowed and never used", _unused_rows(findings.unused), "asked for by", style="yellow")
    if findings.not_judged:
        console.print(Text(_UNSEEN))
        for each in findings.not_judged:
            console.print(Text(f"  {', '.join(each.verbs)} {_named(each.resource, each.group)}"), soft_wrap=True)
    console.print(
        f"{findings.calls} different calls, {len(findings.missing)} resources with a rule missing, "
        f"{len(findings.unused)} with one never used."
    )
    if others:
        console.print(Text(f"Left out, since they are none of this operator: {', '.join(others)}."))
    if code:
        console.print(f"[red]The tests ended with exit code {code}[/]: this is about what ran before.")
    console.print(Text(_LIMITS))


def _table(console: Console, title: str, rows: Iterable[Sequence[str]], last: str, *, style: str) -> None:
    table = Table(title=title, title_justify="left", title_style=f"bold {style}", show_edge=False)
    for heading in ("resource", "verbs", "where", "objects", last):
        table.add_column(heading, overflow="fold")
    for row in rows:
        table.add_row(*map(Text, row))
    console.print(table)


def _missing_rows(needs: Iterable[Need]) -> Iterable[Sequence[str]]:
    for need in needs:
        where = _few(need.namespaces) or "the cluster"
        yield (_named(need.resource, need.group), ", ".join(need.verbs), where, _few(need.names), _few(need.tests))


def _unused_rows(found: Iterable[Excess]) -> Iterable[Sequence[str]]:
    for each in found:
        verbs = ", ".join(each.verbs)
        if each.used:
            verbs += f" (used: {', '.join(each.used)})"
        where = each.namespace or "everywhere"
        yield (_named(each.resource, each.group), verbs, where, _few(each.names) or "all", each.origin)


def _named(resource: str, group: str) -> str:
    return f"{resource}.{group}" if group else resource


def _few(words: Sequence[str]) -> str:
    more = len(words) - _SHOWN
    return ", ".join(words[:_SHOWN]) + (f" and {more} more" if more > 0 else "")
