"""BadMutation: a change that a policy cannot make."""


class BadMutation(Exception):
    """A change that cannot be made, in the real server's words."""
