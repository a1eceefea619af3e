"""Hypothesis for a shared machine and for CI: no deadline, the same cases each time, ten times as many in a soak."""

from __future__ import annotations

import pytest
from hypothesis import settings


def pytest_configure(config: pytest.Config) -> None:
    """Choose how many generated cases each property is tried on."""
    settings.register_profile("tenth", deadline=None, derandomize=True, max_examples=100)
    settings.register_profile("soak", deadline=None, max_examples=1000)
    settings.load_profile("soak" if config.getoption("--soak") else "tenth")
