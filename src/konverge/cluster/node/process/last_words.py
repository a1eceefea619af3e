"""What a container that has ended says of its end: its termination message, and why, where the node can tell."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from konverge.cluster.node.process.log_reader import last_lines
from konverge.cluster.node.process.port_holder import in_use_sentence, says_in_use, suspects
from konverge.cluster.node.process.process_table import mark_of
from konverge.models import core_v1

_MOST_BYTES: Final = 4096  # of a message; a kubelet's own numbers
_MOST_LOG_BYTES: Final = 2048
_MOST_LOG_LINES: Final = 80


def termination_message(container: core_v1.Container, code: int, *, message: Path, log: Path) -> str:
    """Return the message that a container left, or its last lines where it asks for that; blocks."""
    try:
        text = message.read_bytes()[:_MOST_BYTES].decode(errors="replace")
    except OSError:
        text = ""
    if text or code == 0 or container.termination_message_policy != "FallbackToLogsOnError":
        return text
    return last_lines(log, _MOST_LOG_LINES)[-_MOST_LOG_BYTES:].decode(errors="replace")


def port_problem(container: core_v1.Container, *, log: Path, address: str, mark: str) -> str:
    """Return why a container that has failed could not have its port; empty if it does not look so. Blocks."""
    words = last_lines(log, _MOST_LOG_LINES)
    if not says_in_use(words):
        return ""
    declared = [each.container_port for each in container.ports or () if (each.protocol or "TCP") == "TCP"]
    return in_use_sentence(suspects(words, declared), address=address, name_of=lambda pid: _name(pid, mark))


def _name(pid: int, mark: str) -> str | None:
    """A process's name where it is a container of this node."""
    found = mark_of(pid)
    if found is None or not found.startswith(mark):
        return None
    _uid, place, container, *_ = found.removeprefix(mark).split("/")
    return f"container {container} of pod {place.replace('_', '/')}"
