"""PodSecurity: the Pod Security Standards, by labels of a namespace; the one plugin of the server that is always on.

`policy` reads the labels, `baseline` and `restricted` hold the checks, `standard` says which of them a version has, and
`admission` judges pods (refused or warned of), what makes pods (warned of) and namespaces (their labels, and the pods
that are in them already).
"""

from konverge.cluster.apiserver.admission.pod_security.admission import RESOURCES, judge_pod_security

__all__ = ["RESOURCES", "judge_pod_security"]
