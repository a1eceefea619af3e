"""In which form a discovery document is wanted: group by group as of old, or all of them in one (aggregated)."""

from __future__ import annotations

from typing import Final

from konverge.cluster.apiserver import negotiate
from konverge.cluster.apiserver.exchange import Request
from konverge.cluster.apiserver.negotiate import WRITTEN, Clause, Form, clauses, is_pretty, meets, preferred

AGGREGATED: Final = {"g": "apidiscovery.k8s.io", "v": "v2", "as": "APIGroupDiscoveryList"}


def plain_form(request: Request) -> Form:
    """Return the form of the first one; raise a 406 where a client takes none."""
    form = negotiate.plain_form(request)
    if form is None:
        raise negotiate.none_accepted()
    return form


def aggregated_form(request: Request) -> Form | None:
    """Return the form of the second one; None where a client does not ask for it."""
    return preferred(
        [
            Form(written, is_pretty=clause.is_pretty or is_pretty(request))
            for clause in clauses(request.header("accept"))
            for written in WRITTEN
            if meets(clause, written) and not clause.parameters.get("sv") and _is_aggregated(clause)
        ]
    )


def _is_aggregated(clause: Clause) -> bool:
    return all(clause.parameters.get(name) == value for name, value in AGGREGATED.items())
