"""The rows of built-in kinds, a module per group: what each cell shows, as the real server's printers do.

The columns are the captured ones (`table.columns`); here is what stands below them.
"""

from konverge.cluster.apiserver.table.builtin.rows import has_printer, ordered, row

__all__ = ["has_printer", "ordered", "row"]
