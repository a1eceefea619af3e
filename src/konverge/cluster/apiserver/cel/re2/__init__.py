r"""RE2's regular expressions, as Go's `regexp` reads them.

`compile_re2` refuses what RE2 refuses (look-arounds, backreferences, nested repetition), in its words, and matches what
it matches: leftmost, first alternative first, in a time that is linear in the text. Python's `re`, which tries one way
after the other, does the work where it cannot take long; else a machine that never goes back does (`price`, `machine`).
Scripts (`\p{Greek}`) are told from the names of the characters, which is right for letters and not for every mark.
"""

from konverge.cluster.apiserver.cel.re2.pattern import Pattern, compile_re2, find_all
from konverge.cluster.apiserver.cel.re2.reader import InvalidPattern

__all__ = ["InvalidPattern", "Pattern", "compile_re2", "find_all"]
