"""Hints about Python syntax in CUDA C++, and about its silent differences.

Called by `pycuda._compile.job` after a compilation.  `hint` reads the messages
of clang or NVRTC, which name neither the cause nor the remedy when a source
has ``x ** 2`` or ``if i < n:``.  `truncated_quotients` reads the source, since
neither compiler warns of ``1 / 2``.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import re
from typing import NamedTuple

from pycuda._compile.source import FILE_NAME

# An error or warning, and the line of the source that follows it: clang writes
# the line's number before it.
_MESSAGE = re.compile(
    r"(?:error|warning)(?: #[\w-]+)?: (?P<text>[^\n]*)\n"
    r"(?: *\d+ \|)?(?P<line>[^\n]*)"
)
# Names of Python -> what C++ has instead.
_NAMES = {
    "True": "write true",
    "False": "write false",
    "None": "use nullptr for pointers, and NAN for missing numbers",
    "elif": "write else if",
    "pass": "an empty body is {}",
    "def": "functions begin with the type of their result, as in "
    "__device__ float f(float z) { return z; }",
    "lambda": "write a function: __device__ float f(float z) { return z; }",
    "in": "write a loop that compares the elements",
    "is": "write ==",
    "len": "a pointer does not know the length of its array: pass it as a "
    "parameter, as in int n",
    "range": "write for (int j = 0; j < n; j++)",
    "print": r'write printf("%d\n", i)',
    "np": "functions of kernels have no prefix: sinf(x), sqrtf(x), INFINITY",
    "numpy": "functions of kernels have no prefix: sinf(x), sqrtf(x)",
    "math": "functions of kernels have no prefix: sinf(x), sqrtf(x), M_PI",
    "self": "a kernel is a function without an object",
}
_POINTER_NEEDED = (
    r"indirection requires pointer|operand of \"\*\" must be a pointer"
)
_INTEGER_NEEDED = r"invalid operands to binary|must have integral"
_SYNTAX = r"expected|unknown type|preprocessing directive"
_PARENTHESIS = r"expected ['\"]?(?:a \")?\("


class _Row(NamedTuple):
    """Patterns of a message and of the line it shows, and the hint."""

    message: str
    line: str
    text: str


_ROWS = (
    _Row(
        _POINTER_NEEDED,
        r"\*\*",
        "C++ has no operator **: write x * x or pow(x, 2)",
    ),
    _Row(
        _INTEGER_NEEDED,
        r"\^",
        "^ is the exclusive or of integers: for a power write x * x or "
        "pow(x, 2)",
    ),
    _Row(
        _INTEGER_NEEDED,
        r"%",
        "% is for integers: fmodf(x, y) is the remainder of floats, with the "
        "sign of x",
    ),
    _Row(
        r"not an array, pointer|must have pointer-to-object",
        r"\]\s*\[",
        "a pointer is one row of elements: with `width` columns write "
        "x[row * width + column]",
    ),
    _Row(
        r"'[\w ]+ \*' is not a structure|type \"[\w ]+ \*\"",
        r"\.\s*(?:shape|size|ndim|dtype|nbytes|T)\b",
        "a pointer knows neither the shape nor the size of its array: pass "
        "them as parameters, as in int n",
    ),
    _Row(
        r"not a structure or union|must have class type",
        r"\.\s*[a-z]\w*\s*\(",
        "numbers and pointers have no methods: write a function, as in "
        "sqrtf(x)",
    ),
    _Row(
        _SYNTAX,
        r"\bfor\s+\w+(?:\s*,\s*\w+)*\s+in\b",
        "a loop is for (int j = 0; j < n; j++) { ... }",
    ),
    _Row(
        _SYNTAX,
        r"[^\s;{}]\s+if\b.*\belse\b",
        "a conditional expression is condition ? a : b",
    ),
    _Row(
        _PARENTHESIS,
        r"\b(?:if|while|for)\b\s*[^\s(]",
        "conditions have parentheses and bodies have braces: "
        "if (i < n) { ... }",
    ),
    _Row(
        _SYNTAX,
        r"^\s*(?:\}\s*)?(?:if|else|while|for|elif)\b.*:\s*$",
        "bodies have braces, not a colon: if (i < n) { ... }",
    ),
    _Row(
        r"expected ['\"]?(?:a \")?\]",
        r"\[[^][?]*:[^][]*\]",
        "C++ has no slices: each thread writes one element, or a loop does",
    ),
    _Row(
        r"lambda capture|expected an identifier",
        r"=\s*\[",
        "an array of known length is float a[2] = {1, 2};",
    ),
    _Row(
        _SYNTAX,
        r"^\s*[^\s#].*#|^\s*#\s*(?!include|define|if|el|end|pragma)[A-Za-z]",
        "a comment begins with //",
    ),
)
_COMMA = _Row(
    r"comma operator has no effect|expression has no effect",
    r"\w\s*\[[^][]*,[^][]*\]",
    "x[i, j] is x[j] in C++: with `width` columns write x[i * width + j]",
)
_UNDECLARED = re.compile(r"(?:identifier|type name) ['\"](?P<name>\w+)['\"]")
# A // that a Python programmer may have meant as an operator: it follows an
# operand, and what follows it continues and ends an expression.
_FLOOR = re.compile(
    r"[\w)\]][ \t]*//[ \t]*(?:[\w.]+|\([^()\n]*\))[ \t]*[-+*/<>=;)\]]"
    r"[^\n]*(?<=[;)\]{])[ \t]*$",
    re.MULTILINE,
)
_FLOOR_HINT = (
    "// begins a comment in C++: / divides ints and drops the remainder"
)
_UNFINISHED = re.compile(r"expected ['\"]?(?:a \")?[]);]")


def _named(text: str, line: str) -> str:
    """Return a hint about an undeclared name, or ""."""
    found = _UNDECLARED.search(text)
    if found is None:
        return ""
    name = found["name"]
    if name in _NAMES:
        return f"{name} is Python's: {_NAMES[name]}"
    if re.match(rf"\s*{name}\s*=(?!=)", line):
        return (
            "a variable is declared with its type where it is used first, as "
            f"in float {name} = ...;"
        )
    return ""


def hint(log: str, source: str) -> str:
    """Return a line with a hint about a failed compilation, or "".

    Parameters
    ----------
    log
        The messages of clang or NVRTC.
    source
        The text of the program.
    """
    if _UNFINISHED.search(log) and _FLOOR.search(source):
        return f"hint: {_FLOOR_HINT}"
    for found in _MESSAGE.finditer(log):
        text, line = found["text"], found["line"]
        said = _named(text, line) or next(
            (
                row.text
                for row in _ROWS
                if re.search(row.message, text) and re.search(row.line, line)
            ),
            "",
        )
        if said:
            return f"hint: {said}"
    return ""


def hint_about_warnings(log: str) -> str:
    """Return a line with a hint about a compiler's warnings, or ""."""
    for found in _MESSAGE.finditer(log):
        if re.search(_COMMA.message, found["text"]) and re.search(
            _COMMA.line, found["line"]
        ):
            return f"hint: {_COMMA.text}"
    return ""


# Parts of a source without quotients of its own: comments, texts, characters
# and directives.
_OTHER = re.compile(
    r"""//[^\n]*|/\*.*?(?:\*/|\Z)
      | "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*'
      | ^[ \t]*\#(?:[^\\\n]|\\.|\\\n)*""",
    re.DOTALL | re.VERBOSE | re.MULTILINE,
)
# Two whole numbers, the first of which is not the end of a product.
_QUOTIENT = re.compile(
    r"(?<![\w.)\]])(?<![*/%.][ \t])(?<![*/%])(\d+)[ \t]*/[ \t]*(\d+)(?![\w.])"
)
_INTEGER_TYPE = re.compile(
    r"\b(?:int|unsigned|long|short|char|bool|dim3|size_t|u?int\d+_t|asm"
    r"|static_assert|case)\b"
)


def _is_integer_context(before: str) -> bool:
    """Return whether a quotient may well be meant as an integer.

    `before` is the text of its statement up to the quotient.
    """
    index = before.count("[") > before.count("]")
    return index or _INTEGER_TYPE.search(before) is not None


def truncated_quotients(source: str) -> list[str]:
    """Return a warning for each quotient of numbers that loses its fraction.

    Only quotients of two decimal numbers are found, such as ``1 / 2``; not
    those in statements that name an integer type, or in an index.
    """
    if "/" not in source:
        return []
    text = _OTHER.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), source)
    found = []
    for match in _QUOTIENT.finditer(text):
        above, below = int(match[1]), int(match[2])
        if not below or above % below == 0:
            continue
        start = max(text.rfind(c, 0, match.start()) for c in ";{}") + 1
        if _is_integer_context(text[start : match.start()]):
            continue
        line = text.count("\n", 0, match.start()) + 1
        found.append(
            f"{FILE_NAME}:{line}: {match[0]} is {above // below}, since both "
            f"numbers are integers: write {above}.0f / {below}"
        )
    return found
