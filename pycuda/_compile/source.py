"""Wraps a program's source and scans its text.

Called by `pycuda.compiler` and `includes`.  The scans are textual: they skip
comments and string literals and look at both sides of every #if.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import re

FILE_NAME = "kernel.cu"

_NOISE = re.compile(
    r"""//(?:[^\\\n]|\\.|\\\n)*      # comment up to the end of the line
      | /\*.*?(?:\*/|\Z)             # comment in C's form
      | R"([^()\\\s]{0,16})\(.*?\)\1"
      | "(?:[^"\\\n]|\\.)*"
      | '(?:[^'\\\n]|\\[^'\n]*|\\')'
    """,
    re.DOTALL | re.VERBOSE,
)
_FILE = re.compile(r"[^\s{};()]+\.(?:cu|cuh|c|cc|cpp|h|hpp|txt)")
_REFERENCE = re.compile(r"\b(?:texture|surface)\s*<")
_INCLUDE = re.compile(
    r"^[ \t]*\#[ \t]*include(_next)?[ \t]*(<[^>\n]*>|\"[^\"\n]*\"|\S+)"
    r"|__has_include(?:_next)?\s*\(\s*(<[^>\n]*>|\"[^\"\n]*\")",
    re.MULTILINE,
)
# Folders of NVIDIA's C++ libraries. Their headers declare templates, which are
# an error inside extern "C".
_CPP_LIBRARIES = ("<cub/", "<cuda/", "<nv/", "<thrust/")
_LEADING = re.compile(
    r"""((?:
        (?:\s | //[^\n]*\n | /\*.*?\*/)*
        \#[ \t]*include[ \t]*<(?:cub|cuda|nv|thrust)/[^>\n]*>[ \t]*\n
    )+)""",
    re.DOTALL | re.VERBOSE,
)


def wrap(source: str, no_extern_c: bool) -> str:
    """Put `source` inside extern "C", keeping the user's line numbers."""
    if no_extern_c:
        return source
    if "#" in source and any(name in source for name in _CPP_LIBRARIES):
        head = _leading_libraries(source)
        line = head.count("\n") + 1
        return (
            f'{head}extern "C" {{\n#line {line} "{FILE_NAME}"\n'
            f"{source[len(head) :]}\n}}\n"
        )
    return f'extern "C" {{\n#line 1 "{FILE_NAME}"\n{source}\n}}\n'


def _leading_libraries(source: str) -> str:
    """Return the lines with which `source` includes C++ libraries.

    They stay outside the extern "C", which the libraries' templates refuse.
    """
    found = _LEADING.match(source)
    head = found.group(1) if found is not None else ""
    return "" if head is None or "\\\n" in head else head


def is_file_name(text: str) -> bool:
    """Return whether the text looks like the name of a source file."""
    return _FILE.fullmatch(text.strip()) is not None


def without_comments(text: str) -> str:
    """Return `text` with every comment replaced by a space."""
    if "/" not in text:
        return text
    return _NOISE.sub(
        lambda m: " " if m.group().startswith("/") else m.group(), text
    )


def with_blank_comments(text: str) -> str:
    """Return `text` with comments as spaces; lines keep their numbers."""
    return _NOISE.sub(
        lambda m: (
            re.sub(r"[^\n]", " ", m.group())
            if m.group().startswith("/")
            else m.group()
        ),
        text,
    )


def names_reference(text: str) -> bool:
    """Return whether `text` may declare a texture or surface reference."""
    if "texture" not in text and "surface" not in text:
        return False
    bare = _NOISE.sub(
        lambda m: " " if m.group().startswith("/") else '""', text
    )
    return _REFERENCE.search(bare) is not None


def names_files(text: str) -> bool:
    """Return whether `text` may put its file's path into the image."""
    return "_FILE" in text or "assert" in text or "source_location" in text


def _may_include(text: str) -> bool:
    """Return whether a line has "include" after a #, or a __has_include.

    A cheap test before the regular expression: it is faster for texts that
    contain "include" elsewhere only.
    """
    begin, position = 0, text.find("include")
    while position >= 0:
        begin = max(begin, text.rfind("\n", begin, position) + 1)
        if "#" in text[begin:position] or text.endswith(
            "__has_", begin, position
        ):
            return True
        begin, position = position, text.find("include", position + 1)
    return False


def included_names(text: str) -> list[str]:
    """Return the includes of `text`: names in <> or "", macros unexpanded."""
    if not _may_include(text):
        return []
    return [
        match.group(2) or match.group(3)
        for match in _INCLUDE.finditer(without_comments(text))
    ]


_HALF_ARGUMENT = re.compile(r"\bhalf\s*(?:const\b|[\s*])\s*\**\s*\w")


def includes_of(source: str, arguments: str = "") -> str:
    """Return the headers of the types in a kernel.

    `arguments` are declarators in which ``half`` is a type and no name.
    """
    needed = {
        "pycuda-complex.hpp": "complex" in source,
        "cuda_fp16.h": "__half" in source or _HALF_ARGUMENT.search(arguments),
        "cuda_bf16.h": "nv_bfloat16" in source,
    }
    return "".join(
        f"#include <{name}>\n" for name, is_in in needed.items() if is_in
    )
