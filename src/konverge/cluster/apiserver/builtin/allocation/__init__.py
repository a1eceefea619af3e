"""What the server gives out to services: cluster IPs, each with its IPAddress object, and node ports."""

from konverge.cluster.apiserver.builtin.allocation.service_allocation import ServiceAllocation

__all__ = ["ServiceAllocation"]
