"""ContainerView: what a node knows of one container at a moment, as a value; plan and status are made from it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from enum import Enum
from typing import Final

import msgspec

from konverge.models import core_v1


class Role(Enum):
    """What a container is in its pod."""

    INIT = "init"  # ends well before the next one begins
    SIDECAR = "sidecar"  # an init container that goes on
    MAIN = "main"


class Ended(msgspec.Struct, frozen=True, kw_only=True):
    """How a run ended."""

    number: int  # of the run, from 0 on
    code: int
    reason: str
    message: str = ""
    started_at: datetime | None = None
    finished_at: datetime


class Waiting(msgspec.Struct, frozen=True):
    """Why a container has no run."""

    reason: str
    message: str = ""


class ContainerView(msgspec.Struct, frozen=True, kw_only=True):
    """One container."""

    container: core_v1.Container
    role: Role
    running_since: datetime | None = None
    is_started: bool = False  # as its startup probe and its postStart hook say
    is_ready: bool = False
    runs: int = 0  # that have begun
    ended: Ended | None = None  # the last that has ended
    waiting: Waiting | None = None  # what was wrong when it was last to be started
    pause_left: float = 0.0  # seconds until it may run again, or be tried again
    pause: float = 0.0  # all of that pause

    @property
    def name(self) -> str:
        """Its name."""
        return self.container.name

    @property
    def is_running(self) -> bool:
        """Whether a run is under way."""
        return self.running_since is not None

    @property
    def ended_well(self) -> bool:
        """Whether its last run is over, with success."""
        return not self.is_running and self.ended is not None and self.ended.code == 0

    def runs_again(self, policy: str) -> bool:
        """Whether it is to be started again, now that it has ended; `policy` is its pod's."""
        if self.ended is None or self.is_running:
            return True
        if self.role is Role.SIDECAR:
            return True
        own = self.container.restart_policy or policy
        for rule in self.container.restart_policy_rules or ():
            if rule.exit_codes is not None and _fits(rule.exit_codes, self.ended.code):
                return True
        if self.role is Role.INIT:
            return self.ended.code != 0 and own != "Never"
        return own == "Always" or (own == "OnFailure" and self.ended.code != 0)


def _fits(codes: core_v1.ContainerRestartRuleOnExitCodes, code: int) -> bool:
    return (code in (codes.values or ())) is (codes.operator == "In")


_ROLES: Final = {"Always": Role.SIDECAR}


def roles(pod: core_v1.Pod) -> list[tuple[core_v1.Container, Role]]:
    """Return a pod's containers in the order in which they start."""
    inits = [(each, _ROLES.get(each.restart_policy or "", Role.INIT)) for each in pod.spec.init_containers or ()]
    return [*inits, *((each, Role.MAIN) for each in pod.spec.containers)]


def of_role(views: Sequence[ContainerView], *wanted: Role) -> list[ContainerView]:
    """Return those of these roles."""
    return [each for each in views if each.role in wanted]
