r"""The classes of characters that a pattern can name: `\d`, `[:alpha:]`, `\pL`, `\p{Greek}`."""

from __future__ import annotations

import unicodedata
from functools import cache
from typing import Final, TypeAlias

Ranges: TypeAlias = tuple[tuple[int, int], ...]

LAST: Final = 0x10FFFF
_DIGITS: Final = ((0x30, 0x39),)
_UPPER: Final = ((0x41, 0x5A),)
_LOWER: Final = ((0x61, 0x7A),)
_LETTERS: Final = _UPPER + _LOWER
_WORD: Final = (*_DIGITS, *_UPPER, (0x5F, 0x5F), *_LOWER)

PERL: Final[dict[str, Ranges]] = {"d": _DIGITS, "s": ((9, 10), (12, 13), (32, 32)), "w": _WORD}
POSIX: Final[dict[str, Ranges]] = {
    "alnum": _DIGITS + _LETTERS,
    "alpha": _LETTERS,
    "ascii": ((0, 0x7F),),
    "blank": ((9, 9), (32, 32)),
    "cntrl": ((0, 0x1F), (0x7F, 0x7F)),
    "digit": _DIGITS,
    "graph": ((0x21, 0x7E),),
    "lower": _LOWER,
    "print": ((0x20, 0x7E),),
    "punct": ((0x21, 0x2F), (0x3A, 0x40), (0x5B, 0x60), (0x7B, 0x7E)),
    "space": ((9, 13), (32, 32)),
    "upper": _UPPER,
    "word": _WORD,
    "xdigit": (*_DIGITS, (0x41, 0x46), (0x61, 0x66)),
}
_CATEGORY_NAMES: Final = (
    "C Cc Cf Cn Co Cs L LC Ll Lm Lo Lt Lu M Mc Me Mn N Nd Nl No P Pc Pd Pe Pf Pi Po Ps S Sc Sk Sm So Z Zl Zp Zs"
)
_CATEGORIES: Final = frozenset(_CATEGORY_NAMES.split())
_SCRIPT_NAMES: Final = (
    "Adlam Ahom Anatolian_Hieroglyphs Arabic Armenian Avestan Balinese Bamum Bassa_Vah Batak Bengali Bhaiksuki "
    "Bopomofo Brahmi Braille Buginese Buhid Canadian_Aboriginal Carian Caucasian_Albanian Chakma Cham Cherokee "
    "Chorasmian Coptic Cuneiform Cypriot Cypro_Minoan Cyrillic Deseret Devanagari Dives_Akuru Dogra Duployan "
    "Egyptian_Hieroglyphs Elbasan Elymaic Ethiopic Georgian Glagolitic Gothic Grantha Greek Gujarati "
    "Gunjala_Gondi Gurmukhi Han Hangul Hanifi_Rohingya Hanunoo Hatran Hebrew Hiragana Imperial_Aramaic "
    "Inscriptional_Pahlavi Inscriptional_Parthian Javanese Kaithi Kannada Katakana Kawi Kayah_Li Kharoshthi "
    "Khitan_Small_Script Khmer Khojki Khudawadi Lao Latin Lepcha Limbu Linear_A Linear_B Lisu Lycian Lydian "
    "Mahajani Makasar Malayalam Mandaic Manichaean Marchen Masaram_Gondi Medefaidrin Meetei_Mayek Mende_Kikakui "
    "Meroitic_Cursive Meroitic_Hieroglyphs Miao Modi Mongolian Mro Multani Myanmar Nabataean Nag_Mundari "
    "Nandinagari New_Tai_Lue Newa Nko Nushu Nyiakeng_Puachue_Hmong Ogham Ol_Chiki Old_Hungarian Old_Italic "
    "Old_North_Arabian Old_Permic Old_Persian Old_Sogdian Old_South_Arabian Old_Turkic Old_Uyghur Oriya Osage "
    "Osmanya Pahawh_Hmong Palmyrene Pau_Cin_Hau Phags_Pa Phoenician Psalter_Pahlavi Rejang Runic Samaritan "
    "Saurashtra Sharada Shavian Siddham SignWriting Sinhala Sogdian Sora_Sompeng Soyombo Sundanese Syloti_Nagri "
    "Syriac Tagalog Tagbanwa Tai_Le Tai_Tham Tai_Viet Takri Tamil Tangsa Tangut Telugu Thaana Thai Tibetan "
    "Tifinagh Tirhuta Toto Ugaritic Vai Vithkuqi Wancho Warang_Citi Yezidi Yi Zanabazar_Square "
)
_SCRIPTS: Final = frozenset(_SCRIPT_NAMES.split())
_CASED: Final = frozenset({"Lu", "Ll", "Lt"})
# Scripts whose characters do not begin with the script's own name.
_PREFIXES: Final = {
    "Han": ("CJK UNIFIED", "CJK COMPATIBILITY IDEOGRAPH", "CJK RADICAL", "KANGXI RADICAL"),
    "Latin": ("LATIN ", "FULLWIDTH LATIN ", "MODIFIER LETTER SMALL ", "FEMININE ORDINAL", "MASCULINE ORDINAL"),
}


@cache
def named_class(name: str) -> Ranges:
    """Return the characters of a category or a script; empty where there is none of that name."""
    if name == "Any":
        return ((0, LAST),)
    if name in _CATEGORIES:
        return _ranges(_of_category(name))
    if name not in _SCRIPTS:
        return ()
    prefixes = _PREFIXES.get(name, (name.upper().replace("_", " ") + " ",))
    return _ranges([unicodedata.name(chr(code), "").startswith(prefixes) for code in range(LAST + 1)])


def _of_category(name: str) -> list[bool]:
    category = unicodedata.category
    if name == "LC":
        return [category(chr(code)) in _CASED for code in range(LAST + 1)]
    return [category(chr(code)).startswith(name) for code in range(LAST + 1)]


def _ranges(belongs: list[bool]) -> Ranges:
    found: list[tuple[int, int]] = []
    start = -1
    for code, is_member in enumerate((*belongs, False)):
        if is_member and start < 0:
            start = code
        elif not is_member and start >= 0:
            found.append((start, code - 1))
            start = -1
    return tuple(found)


def negated(ranges: Ranges) -> Ranges:
    """Return all characters that are not in a class."""
    found: list[tuple[int, int]] = []
    next_code = 0
    for low, high in sorted(ranges):
        if low > next_code:
            found.append((next_code, low - 1))
        next_code = max(next_code, high + 1)
    if next_code <= LAST:
        found.append((next_code, LAST))
    return tuple(found)


def written(ranges: Ranges, *, is_negated: bool = False) -> str:
    """Write a class for Python's `re`; its characters are folded before it is negated, as there."""
    if not ranges:
        return r"(?s:.)" if is_negated else r"(?!)"
    parts = (_code(low) if low == high else f"{_code(low)}-{_code(high)}" for low, high in ranges)
    return f"[{'^' if is_negated else ''}{''.join(parts)}]"


def _code(code: int) -> str:
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"  # noqa: PLR2004 - what four digits hold
