"""Kinds that are served in two forms and stored in one: autoscalers of v1, and events of events.k8s.io."""

from konverge.cluster.apiserver.builtin.conversion.conversion import Conversion, conversion_of

__all__ = ["Conversion", "conversion_of"]
