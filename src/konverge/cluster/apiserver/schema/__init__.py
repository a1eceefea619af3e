"""Schemas as rules: a CRD's schema read once (`structural`), then prune, default and validate by it."""

from konverge.cluster.apiserver.schema.default import apply_defaults
from konverge.cluster.apiserver.schema.prune import prune
from konverge.cluster.apiserver.schema.structural import Structural, structural
from konverge.cluster.apiserver.schema.validate import validate

__all__ = ["Structural", "apply_defaults", "prune", "structural", "validate"]
