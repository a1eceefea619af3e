"""The version of konverge, of the Kubernetes that it is made for, and how it names itself to a server."""

from __future__ import annotations

__version__ = "0.1.0"

KUBERNETES = "v1.36.3"  # whose API the models and the embedded server have

USER_AGENT = f"konverge/{__version__}"
