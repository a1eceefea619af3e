"""Admission that authors configure: what a write passes on its way to the storage, in two phases.

`Attributes` is one write as everyone on the way sees it. `AdmissionChain` has the plugins, in the real server's order.
Mutating comes after the server's own plugins (`builtin.admission`) and before the kind's rules; it may change the
object. Validating comes after the kind's rules and before the storage; it only says yes or no.

What is not configured costs nothing: a plugin says by `is_active` whether there is anything for it to do, and where no
plugin has, not even the attributes are made.
"""

from konverge.cluster.apiserver.admission.attributes import Attributes, GroupVersionKind, Operation
from konverge.cluster.apiserver.admission.chain import AdmissionChain, Mutator, Plugin, Validator

__all__ = ["AdmissionChain", "Attributes", "GroupVersionKind", "Mutator", "Operation", "Plugin", "Validator"]
