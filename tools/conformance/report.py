"""The score and the readable report of a run. Pure: outcomes in, text out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from tools.conformance.outcome import Outcome, slug

_REASON_LENGTH: Final = 300


def score(server: str, outcomes: Sequence[Outcome]) -> str:
    """Return the sentence that a run ends with."""
    passed = sum(outcome.passed for outcome in outcomes)
    return f"conformance: the {server} server passed {passed} of {len(outcomes)}"


def markdown(server: str, outcomes: Sequence[Outcome], *, version: str) -> str:
    """Return the report: the score by group, then each test that did not pass and why, then the slowest."""
    failed = [outcome for outcome in outcomes if not outcome.passed]
    parts = [
        f"# Kubernetes {version} conformance tests: the {server} server\n\n{score(server, outcomes)}.",
        _groups(outcomes),
        *([_failures(failed)] if failed else []),
        _slowest(outcomes),
    ]
    return "\n\n".join(parts) + "\n"


def _groups(outcomes: Sequence[Outcome]) -> str:
    total = Counter(_group(outcome) for outcome in outcomes)
    passed = Counter(_group(outcome) for outcome in outcomes if outcome.passed)
    rows = [f"| {group} | {passed[group]} | {total[group]} |" for group in sorted(total)]
    return "\n".join(["| group | passed | of |", "|---|---|---|", *rows])


def _failures(failed: Sequence[Outcome]) -> str:
    return "## Not passed\n\n" + "\n".join(
        f"- **{outcome.name}**: {outcome.state} after {outcome.seconds:.1f} s: {outcome.reason[:_REASON_LENGTH]}"
        f" ([output]({slug(outcome.name)}.log))"
        for outcome in failed
    )


def _slowest(outcomes: Sequence[Outcome], count: int = 5) -> str:
    ranked = sorted(outcomes, key=lambda outcome: -outcome.seconds)[:count]
    return "## Slowest\n\n" + "\n".join(f"- {outcome.seconds:.1f} s: {outcome.name}" for outcome in ranked)


def _group(outcome: Outcome) -> str:
    return outcome.name[1 : outcome.name.index("]")] if outcome.name.startswith("[") else "other"
