"""Hypothesis for a shared machine and for CI: no deadline, the same cases each time, ten times as many in a soak."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest
from hypothesis import settings

TENTH = 0.1


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--soak`."""
    group = parser.getgroup("konverge")
    group.addoption("--soak", action="store_true", help="run the long suites alone, in full and not a tenth")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out, in a soak, what would do no more than in any run."""
    if config.getoption("--soak"):
        config.hook.pytest_deselected(items=[item for item in items if not _is_long(item)])
        items[:] = [item for item in items if _is_long(item)]


def _is_long(item: pytest.Item) -> bool:
    """Whether a test does more in a soak: it generates cases, asks how many, or needs what CI does not build."""
    generates = getattr(getattr(item, "obj", None), "is_hypothesis_test", False)
    asks = {"soak", "share"} & set(getattr(item, "fixturenames", ()))
    return bool(generates or asks) or item.path.match("conformance/clients/test_go*.py")


@pytest.fixture(autouse=True)
def _log_as_it_was() -> Iterator[None]:
    """Take back what a command that ran in a test's own process did to the log."""
    logger = logging.getLogger("konverge")
    level, handlers = logger.level, logger.handlers[:]
    yield
    logger.setLevel(level)
    logger.handlers[:] = handlers


@pytest.fixture(scope="session")
def soak(request: pytest.FixtureRequest) -> bool:
    """Whether the long suites run in full."""
    return bool(request.config.getoption("--soak"))


@pytest.fixture(scope="session")
def share(soak: bool) -> float:
    """The part of a long suite to run: all of it with `--soak`, else a tenth."""
    return 1.0 if soak else TENTH


def pytest_configure(config: pytest.Config) -> None:
    """Choose how many generated cases each property is tried on."""
    settings.register_profile("tenth", deadline=None, derandomize=True, max_examples=100)
    settings.register_profile("soak", deadline=None, max_examples=1000)
    settings.load_profile("soak" if config.getoption("--soak") else "tenth")
