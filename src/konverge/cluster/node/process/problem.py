"""Problems: what keeps a pod from running, in a sentence for the terminal of whoever started the node."""

from __future__ import annotations

import errno
from collections import deque
from collections.abc import Callable
from typing import Final

from konverge import log

_LOG = log.get("node")

_KEPT: Final = 4  # sentences of a subject; one that crashes has two, which come in turn with each restart

Listener = Callable[[str], None]


class Problems:
    """Tells each problem once to whoever listens, until others have taken its place; logs it as well."""

    def __init__(self) -> None:
        self._told: dict[str, deque[str]] = {}  # the latest sentences of each subject
        self._listeners: list[Listener] = []

    def listen(self, listener: Listener) -> None:
        """Call a listener with each new problem."""
        self._listeners.append(listener)

    def tell(self, subject: str, sentence: str) -> None:
        """Say what is wrong with a subject, unless that was said not long ago."""
        told = self._told.setdefault(subject, deque(maxlen=_KEPT))
        if sentence in told:
            return
        told.append(sentence)
        _LOG.warning(sentence, subject=subject)
        for listener in self._listeners:
            listener(f"{subject}: {sentence}")

    def forget(self, subject: str) -> None:
        """Let a subject be told of anew: it is well, or gone."""
        self._told.pop(subject, None)


def disk_sentence(error: OSError) -> str:
    """Return what is wrong with the disk, and what helps."""
    what = error.strerror or str(error)
    where = f" ({error.filename})" if error.filename else ""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"the disk is full: {what}{where}; free some space, or let konverge keep its data elsewhere"
    return f"{what}{where}"
