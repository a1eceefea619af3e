"""Policies: ValidatingAdmissionPolicy and MutatingAdmissionPolicy, with their bindings and parameters.

A policy says which writes it is about (`match_resources`) and what must hold for them, or what becomes of them, in CEL;
a binding puts it to work, on a part of those writes and with parameters (`parameters`). `source` has both compiled, and
keeps them until one of the objects changes.
"""

from konverge.cluster.apiserver.admission.policy.mutating import MutatingPolicies
from konverge.cluster.apiserver.admission.policy.validating import ValidatingPolicies

__all__ = ["MutatingPolicies", "ValidatingPolicies"]
