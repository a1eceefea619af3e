"""The version of konverge, and how it names itself to a server."""

from __future__ import annotations

__version__ = "0.1.0"

USER_AGENT = f"konverge/{__version__}"
