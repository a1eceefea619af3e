r"""RE2's regular expressions, as Go's `regexp` reads them, on Python's `re`.

`compile_re2` refuses what RE2 refuses (look-arounds, backreferences, nested repetition), in its words, and matches what
it matches: leftmost, first alternative first. What is not kept is RE2's promise of linear time: Python backtracks, so a
pattern such as `(a*)*b` can take long on a text that does not match, and where a loop goes over something that can be
empty, a match may end earlier. Scripts (`\p{Greek}`) are told from the names of the characters, which is right for
letters and not for every mark.
"""

from konverge.cluster.apiserver.cel.re2.pattern import InvalidPattern, compile_re2, find_all

__all__ = ["InvalidPattern", "compile_re2", "find_all"]
