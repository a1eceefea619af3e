"""Who asks for a certificate: the one who sends the request, whatever it says."""

from __future__ import annotations

from konverge.cluster.apiserver.builtin.admission.admission import Admission


def set_requester(admission: Admission) -> None:
    """Set who asks, in a new request."""
    if not admission.is_create:
        return
    for name in ("username", "uid", "groups", "extra"):
        admission.spec.pop(name, None)
    admission.spec.update(admission.user.info())
