"""Why a pod could not be connected to, in the words of Go's net package, which clients of Kubernetes know."""

from __future__ import annotations

import os


def dial_error(error: Exception, address: str, port: int) -> str:
    """Say why nobody answered at an address."""
    number = getattr(error, "errno", None)
    why = os.strerror(number).lower() if number else str(error)
    shown = f"[{address}]" if ":" in address else address
    return f"dial tcp {shown}:{port}: connect: {why}"
