"""Tables: objects as rows of cells, the form in which kubectl shows them."""

from konverge.cluster.apiserver.table.render import render

__all__ = ["render"]
