"""Connecting: logs, exec, attach, port-forward and proxy, up to where a node takes over.

Who may connect to what is decided here, in the real server's words; the connection itself is made by a `Connector`,
which an edge gives to the server.
"""

from konverge.cluster.apiserver.connecting.connector import (
    Command,
    Connector,
    Forward,
    Logs,
    NoConnector,
    PodTarget,
    Proxied,
    Refused,
)

__all__ = [
    "Command",
    "Connector",
    "Forward",
    "Logs",
    "NoConnector",
    "PodTarget",
    "Proxied",
    "Refused",
]
