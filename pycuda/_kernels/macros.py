"""Expansion of a program's macros in the text of a kernel.

Operations are searched for the accesses that they make, which macros of a
preamble or of options may hide.  Preprocessor conditions are ignored: if a
macro is defined twice, both texts count.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from pycuda import compiler
from pycuda._compile.options import OptionError, as_list, translate
from pycuda._compile.source import without_comments

_DEFINE = re.compile(
    r"^[ \t]*#[ \t]*define[ \t]+(\w+)(?:\(([^()\n]*)\))?(.*)$", re.MULTILINE
)
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"', re.MULTILINE)
_CONTINUED = re.compile(r"\\[ \t]*\r?\n")
_OPTION = "--define-macro="
_DEEPEST = 20
_LONGEST = 1 << 16  # a longer text is not expanded further


class Macro(NamedTuple):
    """One ``#define``."""

    parameters: list[str] | None
    body: str


class Macros(NamedTuple):
    """The macros that a preamble and the compiler's options define."""

    named: dict[str, list[Macro]]
    may_be_more: bool  # whether included files may define further macros

    def expand(self, text: str) -> str:
        """Return `text` as the compiler sees it, approximately."""
        if not self.named:
            return text
        names = re.compile(rf"\b(?:{'|'.join(self.named)})\b")
        for _ in range(_DEEPEST):
            done = _once(text, self.named, names)
            if done == text or len(done) > _LONGEST:
                break
            text = done
        return text


def find(preamble: str, options: Sequence[str] | None) -> Macros:
    """Return the macros of a preamble and of the compiler's options."""
    text, may_be_more = _defined(options)
    text += _CONTINUED.sub(" ", without_comments(preamble))
    named: dict[str, list[Macro]] = {}
    for name, parameters, body in (m.groups() for m in _DEFINE.finditer(text)):
        words = None
        if parameters is not None:
            words = [word.strip() for word in parameters.split(",")]
        named.setdefault(name, []).append(Macro(words, body.strip()))
    return Macros(named, may_be_more or _INCLUDE.search(text) is not None)


def _defined(options: Sequence[str] | None) -> tuple[str, bool]:
    """Return (the options' macros as source text, whether they name files)."""
    if options is None:
        options = compiler.DEFAULT_NVCC_FLAGS
    try:
        translated = translate(as_list(options))
    except OptionError:
        return "", False  # the compilation reports the error in the options
    text = ""
    for option in translated.options:
        if option.startswith(_OPTION):
            name, equals, body = option[len(_OPTION) :].partition("=")
            text += f"#define {name} {body if equals else 1}\n"
    return text, bool(translated.pre_includes)


def _once(
    text: str, macros: dict[str, list[Macro]], names: re.Pattern[str]
) -> str:
    """Replace each macro in `text` once by its definition."""
    parts, position = [], 0
    for found in names.finditer(text):
        if found.start() < position:
            continue
        arguments, end = _arguments(text, found.end())
        bodies = []
        for macro in macros[found[0]]:
            if macro.parameters is None:
                bodies.append(macro.body)
                end = found.end()
            elif arguments is not None:
                bodies.append(_filled(macro, arguments))
        if bodies:
            parts += [text[position : found.start()], "\n".join(bodies)]
            position = end
    return "".join(parts) + text[position:]


def _arguments(text: str, position: int) -> tuple[list[str] | None, int]:
    """Return the arguments of a macro call at `position`, and their end."""
    opening = re.compile(r"\s*\(").match(text, position)
    if opening is None:
        return None, position
    arguments, depth, begin = [], 0, opening.end()
    for at in range(begin, len(text)):
        letter = text[at]
        if letter == "(":
            depth += 1
        elif letter == ")" and depth:
            depth -= 1
        elif letter == ")" or (letter == "," and not depth):
            arguments.append(text[begin:at].strip())
            begin = at + 1
            if letter == ")":
                return arguments, begin
    return None, position


def _filled(macro: Macro, arguments: list[str]) -> str:
    """Return the text of a macro with its arguments substituted."""
    assert macro.parameters is not None
    values = dict(zip(macro.parameters, arguments, strict=False))
    if macro.parameters[-1:] == ["..."]:
        rest = arguments[len(macro.parameters) - 1 :]
        values["__VA_ARGS__"] = ", ".join(rest)
    body = re.sub(r"\s*##\s*", "\0", macro.body)
    body = re.sub(r"\w+", lambda m: values.get(m[0], m[0]), body)
    return body.replace("\0", "")
