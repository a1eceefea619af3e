"""Turns: how many apps are built at once. Pure.

Whoever creates a hundred apps should not get three hundred Deployments within a second. It is decided from the statuses
that are stored, not from something that is remembered: an operator that starts anew decides the same.
"""

from collections.abc import Iterable

from visitors.api.v1.visitors_app import VisitorsApp


def is_its_turn(app: VisitorsApp, apps: Iterable[VisitorsApp], *, at_once: int) -> bool:
    """Whether an app may be built now; one that has begun may always go on."""
    if _has_begun(app):
        return True
    others = [each for each in apps if not each.metadata.deletion_timestamp]
    under_way = [each for each in others if _has_begun(each) and each.status.step != "Ready"]
    ahead = [each for each in others if not _has_begun(each) and _age(each) < _age(app)]
    return len(under_way) + len(ahead) < at_once


def _has_begun(app: VisitorsApp) -> bool:
    return app.status.step not in (None, "Waiting")


def _age(app: VisitorsApp) -> tuple[str, str, str]:
    """Order by time, and by name within a second: everyone has a place of their own."""
    return str(app.metadata.creation_timestamp), app.metadata.namespace or "", app.metadata.name or ""
