"""What controllers and kubelets report: the rules of statuses that say more than a number.

A module per kind, or per part of one; the rules of a kind call them for its `status` subresource.
"""
