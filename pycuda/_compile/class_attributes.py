"""Attributes after a class's closing brace, moved to where NVRTC applies them.

Called by `pycuda._compile.nvrtc` before a compilation for a GPU.  nvcc gives
``struct P { char a; int b; } __attribute__((packed));`` 5 bytes.  NVRTC warns
that the attribute does not apply, and gives it 8.  Both apply the attribute in
``struct __attribute__((packed)) P { ... };``.  Only the source itself is
changed, not the files that it includes.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import re

_NOISE = re.compile(
    r"""//(?:[^\\\n]|\\.|\\\n)*
      | /\*.*?(?:\*/|\Z)
      | R"([^()\\\s]{0,16})\(.*?\)\1"
      | "(?:[^"\\\n]|\\.)*"
      | '(?:[^'\\\n]|\\[^'\n]*|\\')'
    """,
    re.DOTALL | re.VERBOSE,
)
_DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\\\n]|\\.|\\\n)*", re.MULTILINE)
_NOT_NEWLINE = re.compile(r"[^\n]")
_NESTED = r"\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"
_ATTRIBUTE = rf"(?:__attribute__|__attribute|__align__)\s*{_NESTED}"
_MACRO = re.compile(
    r"^[ \t]*#[ \t]*define[ \t]+(\w+)(\([^()\n]*\))?"
    rf"((?:(?:\\\n|[ \t])+{_ATTRIBUTE})+)[ \t]*$",
    re.MULTILINE,
)
_LAYOUT = re.compile(r"packed|align|may_alias")
# Attributes of a variable, such as ((shared)), and of functions.
_OTHER = re.compile(
    r"\b_*(?:global|device|host|shared|constant|managed|launch_bounds"
    r"|noinline|always_inline|vector_size|mode)_*\b"
)
# Attributes that may precede the brace of a class. Their parentheses must not
# make the class look like a function.
_ARGUMENTS = re.compile(
    rf"(?:alignas|{_ATTRIBUTE[: -len(_NESTED)]})\s*{_NESTED}"
)
_KEYWORD = re.compile(
    r"\b(?:enum\s+(?:class|struct)|struct|class|union|enum)\b"
)


def _blank(match: re.Match[str]) -> str:
    """Return spaces in place of the text, with its newlines."""
    return _NOT_NEWLINE.sub(" ", match[0])


def _is_layout(attributes: str) -> bool:
    """Return whether all attributes apply to types, one to their layout."""
    return bool(_LAYOUT.search(attributes)) and not _OTHER.search(attributes)


def _macros(source: str) -> dict[str, bool]:
    """Map each macro of layout attributes to whether it has arguments."""
    return {
        name: bool(parameters)
        for name, parameters, body in _MACRO.findall(source)
        if _is_layout(body)
    }


def _sequence(macros: dict[str, bool]) -> re.Pattern[str]:
    """Return the pattern of a brace and the attributes that follow it."""
    names = [
        rf"\b{name}\b" + (rf"\s*{_NESTED}" if has_arguments else "")
        for name, has_arguments in macros.items()
    ]
    return re.compile(rf"\}}((?:\s*(?:{'|'.join([_ATTRIBUTE, *names])}))+)")


def _brace(text: str, close: int) -> int:
    """Return the position of the { that matches the } at `close`, or -1."""
    depth = 0
    for position in range(close, -1, -1):
        if text[position] == "}":
            depth += 1
        elif text[position] == "{":
            depth -= 1
            if depth == 0:
                return position
    return -1


def _keyword_end(text: str, brace: int) -> int:
    """Return the end of the class keyword that the brace follows, or -1."""
    start = max(text.rfind(c, 0, brace) for c in ";{}") + 1
    head = _ARGUMENTS.sub(_blank, text[start:brace])
    if re.search(r"[()=]", re.sub(r"<[^{};]*>", _blank, head)):
        return -1
    for match in _KEYWORD.finditer(head):
        before = head[: match.start()]
        if before.count("<") == before.count(">"):
            return start + match.end()
    return -1


def moved(source: str) -> str:
    """Return `source` with the attributes before the names of the classes."""
    bare = _NOISE.sub(_blank, source)
    macros = _macros(bare)
    text = _DIRECTIVE.sub(_blank, bare)
    edits: list[tuple[int, int, str]] = []
    for match in _sequence(macros).finditer(text):
        words = match[1]
        has_macro = any(re.search(rf"\b{name}\b", words) for name in macros)
        if _OTHER.search(words) or not (has_macro or _is_layout(words)):
            continue
        brace = _brace(text, match.start())
        end = _keyword_end(text, brace) if brace >= 0 else -1
        if end >= 0:
            edits.append((end, end, f" {' '.join(words.split())} "))
            edits.append((*match.span(1), " " + "\n" * words.count("\n")))
    for start, end, words in sorted(edits, reverse=True):
        source = source[:start] + words + source[end:]
    return source
