"""GNU syntax that nvcc accepts and NVRTC does not, in standard C++ instead.

Called by `pycuda._compile.nvrtc` after a compilation has failed. Compound
literals become braced initializations, `typeof` becomes a macro, `__asm__`
becomes `asm`, and designated initializers get the C++ standard that has them.
Only the source itself is changed, not the files that it includes. The storage
class `register`, which C++17 removed, is defined as an empty macro.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import re

from pycuda._compile import includes

_FAILURE = re.compile(
    r"error: expected an expression"
    r"|cast to incomplete array type"
    r"|compound literals are a C99-specific feature"
    r"|designated initializers are a C\+\+20"
    r"|(?:identifier|undeclared identifier) ['\"](?:CUDA_has_no_)?_*typeof_*\b"
)
_REGISTER = re.compile(r"storage class specifier is not allowed|'register'")
_ASM = re.compile(r"\b__asm(?:__)?\b")
_NO_REGISTER = "--define-macro=register="
_TYPE = r"""
    (?:(?:const|volatile|struct|union|class|enum|typename
        |unsigned|signed|long|short)\s+)*
    [A-Za-z_:][\w:]*                       # its name
    (?:\s*<[^(){};]*>)?                    # template arguments
    (?:\s+(?:int|char|long|short|double|const|volatile))*
    \s*(?:\*\s*)*
    (?:\[\s*\w*\s*\]\s*)*
"""
# Strings, characters and comments, which are skipped; and GNU syntax: a type
# in parentheses before a brace, typeof, and __asm.
_CANDIDATE = re.compile(
    r"""
    (?P<skipped>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'
        |//[^\n]*|/\*.*?\*/)
    |\(\s*(?P<type>"""
    + _TYPE
    + r""")\)(?=\s*\{)
    |\b(?P<typeof>(?:__typeof__|__typeof|typeof)(?=\s*\())
    |\b(?P<asm>__asm(?:__)?)\b
    """,
    re.VERBOSE | re.DOTALL,
)
# The word before a brace. An expression may follow `return`, but no other
# word.
_WORD = re.compile(r"\w+$")
_MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+\w+(?:\([^()\n]*\))?[ \t]*$")
_DESIGNATOR = re.compile(r"[{,]\s*\.\s*[A-Za-z_]\w*\s*(?:=(?!=)|\{)")
_STANDARD = re.compile(r"--?std=")


def _is_expression(before: str) -> bool:
    """Return whether an expression can begin after the text `before`."""
    if _MACRO.match(before[before.rfind("\n") + 1 :]):
        return True
    before = before.rstrip()
    word = _WORD.search(before)
    if word:
        return word[0] == "return"
    return before[-1:] not in ("", ")", "]", ">", '"', "'", ";", "}")


def without_literals(source: str) -> str:
    """Return `source` with its compound literals as braced initializations.

    Also replaces `typeof` by the macro of `compound_literal.h`, and `__asm__`
    by `asm`.
    """

    def replace(match: re.Match[str]) -> str:
        if match["typeof"]:
            return "pycuda_typeof"
        if match["asm"]:
            return "asm"
        if match["type"] and _is_expression(source[: match.start()]):
            return f"pycuda_literal_t<{match['type'].strip()}>"
        return match[0]

    return _CANDIDATE.sub(replace, source)


def remedy(
    source: str, options: list[str], log: str
) -> tuple[str, list[str]] | None:
    """Return another source and options to try, or None.

    `log` is that of the compilation of `source` with `options` that failed.
    """
    if _REGISTER.search(log) and _NO_REGISTER not in options:
        return source, [_NO_REGISTER, *options]
    if not _FAILURE.search(log) and not _ASM.search(source):
        return None
    fresh = without_literals(source)
    if fresh != source:
        header = includes.ours("nvrtc/compound_literal.h")
        options = [f"--pre-include={header}", *options]
    elif not _DESIGNATOR.search(source):
        return None
    if _DESIGNATOR.search(source):
        others = [o for o in options if not _STANDARD.match(o)]
        options = ["--std=c++20", *others]
    return fresh, options
