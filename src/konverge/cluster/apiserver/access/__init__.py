"""Access: who asks, and whether they may. `Access` is the front; a module per station behind it."""

from konverge.cluster.apiserver.access.access import Access
from konverge.cluster.apiserver.access.user import User

__all__ = ["Access", "User"]
