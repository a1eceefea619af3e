"""Server-side apply: who owns which field of an object, and what becomes of it when someone applies a part of it.

The semantics are structured-merge-diff's. On the way of a write: `field_manager` is what the verbs call; it decodes
who owns what (`managed`), lets `ownership` decide what changes hands, and writes the answer back. Below it: values are
seen through `types` (made from OpenAPI or from a CRD's schema), compared, merged and pruned by them, and sets of fields
are kept in the form that managedFields has on the wire (`field_set`).
"""
