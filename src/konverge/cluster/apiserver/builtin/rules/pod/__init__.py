"""The rules of a Pod and of the template of one: a module for each part of its spec, `pod` for the kind itself."""
