"""One scenario, two control planes: ours under virtual time, and the real one; what they end with is compared.

`scenario` says what a scenario is, `stage` what it may do, `normal` what is left of the end when all that differs by
nature is taken out, `playing` how both sides are played.
"""
