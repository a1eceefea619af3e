"""Flow control: which flow schema and priority level a request belongs to.

`schema` has the rules of a FlowSchema, `bootstrap` the ones that every cluster has, and `FlowControl` keeps
both and tells each client in the headers of its answers. No request ever waits for its turn: here one loop answers all.
"""

from konverge.cluster.apiserver.flow_control.flow_control import FlowControl

__all__ = ["FlowControl"]
