"""From an author's types to the manifests that a cluster needs; pure: classes in, dicts and text out.

`crd` makes the CustomResourceDefinition of a kind, `crds_of` those of many, `breaking_changes` tells what a new one
does to stored objects, and `to_yaml` writes manifests as controller-gen would. `rules` and `rbac` make roles of what
controllers touch and declare, and `project` all files of an `operator`.
"""

from konverge.manifest.breaking import BreakingChange, breaking_changes
from konverge.manifest.crd import crd, crds_of
from konverge.manifest.layout import to_yaml
from konverge.manifest.place import NoKubernetesForm

__all__ = ["BreakingChange", "NoKubernetesForm", "breaking_changes", "crd", "crds_of", "to_yaml"]
