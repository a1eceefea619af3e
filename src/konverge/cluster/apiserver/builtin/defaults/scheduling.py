"""Defaults of priority classes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from konverge.cluster.apiserver.builtin.defaults.default import Default, constants

DEFAULTS: Final[Mapping[str, Default]] = {"PriorityClass": constants(preemptionPolicy="PreemptLowerPriority")}
