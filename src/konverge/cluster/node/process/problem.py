"""Problems: what keeps a pod from running, in a sentence for the terminal of whoever started the node."""

from __future__ import annotations

import errno
from collections.abc import Callable

from konverge import log

_LOG = log.get("node")

Listener = Callable[[str], None]


class Problems:
    """Tells each problem once to whoever listens, until it has changed; logs it as well."""

    def __init__(self) -> None:
        self._told: dict[str, str] = {}  # the latest sentence of each subject
        self._listeners: list[Listener] = []

    def listen(self, listener: Listener) -> None:
        """Call a listener with each new problem."""
        self._listeners.append(listener)

    def tell(self, subject: str, sentence: str) -> None:
        """Say what is wrong with a subject, unless that was just said."""
        if self._told.get(subject) == sentence:
            return
        self._told[subject] = sentence
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
