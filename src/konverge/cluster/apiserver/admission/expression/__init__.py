"""Expressions of admission: CEL over one write, for policies and for the match conditions of webhooks.

`compiler` turns text into programs, once; `inputs` is what they may look at in one write; `evaluation` runs them
within a budget; `match_conditions` asks whether a policy or a webhook is about a write at all.

CEL is large: whoever needs it imports these modules when the first expression is to be compiled, not before.
"""
