"""OpenAPI: what the kinds look like, for clients that explain, complete, validate and merge; v3 and v2."""

from konverge.cluster.apiserver.openapi.openapi import OpenApi

__all__ = ["OpenApi"]
