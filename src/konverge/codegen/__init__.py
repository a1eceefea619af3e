"""From schemas to typed modules: OpenAPI documents or CRDs in, Python source out; pure from end to end.

The way of the data: `openapi` and `crd` find the definitions, `build` turns their schemas into frozen classes (with
`names` for the attributes), `emit` writes those as source. `konverge.models` is its output for the built-in kinds, and
`konverge models` runs it over anyone's CRDs.
"""
