"""The service proxy: every Service answers on this machine, at its own loopback address.

What is to be served is worked out by `plan`, who is to be connected to by `balancer`, both pure; `listener` and `relay`
are the sockets; `service_proxy` is the controller that keeps them in step with Services and EndpointSlices.
"""

from konverge.cluster.proxy.service_proxy import SERVED_AT, ServiceProxy

__all__ = ["SERVED_AT", "ServiceProxy"]
