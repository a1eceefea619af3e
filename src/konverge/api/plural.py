"""The plural of a kind's name, as CRDs spell it: by the rules of English spelling, and a few words that keep none."""

from __future__ import annotations

import re

# Words that end a kind's name and have a plural of their own.
_IRREGULAR = {
    "child": "children",
    "criterion": "criteria",
    "datum": "data",
    "foot": "feet",
    "index": "indices",
    "man": "men",
    "matrix": "matrices",
    "medium": "media",
    "mouse": "mice",
    "person": "people",
    "vertex": "vertices",
}
_UNCOUNTED = ("data", "equipment", "information", "metadata", "police", "series", "species")
_RULES = (
    (re.compile(r"(?<=[^aeiou])y$"), "ies"),
    (re.compile(r"(?<=[sx])is$"), "es"),
    (re.compile(r"(?<=[aeo]l|ar)f$|(?<=[lnw]i)fe$"), "ves"),
    (re.compile(r"(?<=alias)$|(?<=[su]s|.x|.z)$|(?<=ch|sh)$"), "es"),
    (re.compile(r"s$"), "s"),  # a plural already, as Endpoints is
    (re.compile(r"$"), "s"),
)


def plural_of(kind: str) -> str:
    """Return the plural of a kind's name in lower case; `resource(plural=…)` has the last word."""
    word = kind.lower()
    if word.endswith(_UNCOUNTED):
        return word
    for single, many in _IRREGULAR.items():
        if word.endswith(single) and not word.endswith("human"):
            return word.removesuffix(single) + many
    return next(rule.sub(ending, word, count=1) for rule, ending in _RULES if rule.search(word))
