"""CEL: the expressions of Kubernetes' rules, as cel-go understands them.

`parser` → `checker` → `program`: text to a tree, to a typed tree, to something that runs. `definition_rules` tells the
author of a definition what is wrong with its rules and what they cost; `rules` runs them on objects.
"""
