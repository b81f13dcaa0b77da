"""A cell of CUDA C: its kernels, and errors as the compiler's text."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Sequence
from typing import Any

import pycuda.driver as drv
from pycuda._compile.source import without_comments
from pycuda.compiler import SourceModule

_SAID = "The CUDA compiler succeeded, but said the following:\n"
_BOUNDS = re.compile(r"__launch_bounds__\s*\([^()]*(?:\([^()]*\)[^()]*)*\)")
_TEMPLATE = re.compile(r"\btemplate\s*<")
_TEMPLATE_KERNEL = re.compile(r"[^;{}()]*?__global__[^;{}()]*?\b(\w+)\s*\(")
_BRACE = re.compile(r"\bnamespace\s+([\w:]*)\s*\{|[{}]")
_HOST_CODE = re.compile(r"\bmain\s*\(")
_HOST_NOTE = (
    "note: a cell has device code only; launch its kernels from Python, as in "
    "kernel(array, block=(256, 1, 1), grid=(4, 1))"
)
_COUNT = re.compile(
    r"^\d+ (?:error|warning)s? .*(?:generated|detected).*\n?", re.M
)


class CellError(drv.CompileError):
    """The compiler refused a cell; notebooks show only its text."""

    note = ""  # a line to add to the text

    def __str__(self) -> str:
        """Return the compiler's text."""
        text = _COUNT.sub("", self.stderr or self.msg).strip()
        return f"{text}\n{self.note}" if self.note else text

    def _render_traceback_(self) -> list[str]:
        """Return the lines that IPython shows in place of a traceback."""
        return str(self).splitlines()


def _after_template(text: str, start: int) -> int:
    """Return the index after the template parameters from `start` on."""
    angles = rounds = 0
    for index in range(text.index("<", start), len(text)):
        rounds += {"(": 1, ")": -1}.get(text[index], 0)
        if rounds == 0:  # in parentheses, < and > are operators
            angles += {"<": 1, ">": -1}.get(text[index], 0)
            if angles == 0:
                return index + 1
    return len(text)


def _scope(text: str, end: int) -> list[str]:
    """Return the names of the namespaces around an index."""
    open_braces: list[str] = []
    for match in _BRACE.finditer(text, 0, end):
        if match.group() == "}":
            del open_braces[-1:]
        else:
            open_braces.append(match.group(1) or "")
    return [name for name in open_braces if name]


def template_names(source: str) -> dict[str, str]:
    """Return the kernels that are templates: names, and qualified names."""
    text = _BOUNDS.sub(" ", without_comments(source))
    found = {}
    for head in _TEMPLATE.finditer(text):
        kernel = _TEMPLATE_KERNEL.match(
            text, _after_template(text, head.start())
        )
        if kernel is not None:
            name = kernel.group(1)
            scope = _scope(text, head.start())
            found[name] = "::".join([*scope, name])
    return found


def plain_name(symbol: str) -> str | None:
    """Return the kernel's name in a symbol; None for a template's instance.

    Symbols of C++ are ``_Z`` with the length of the name and the name, or
    ``_ZN`` with several of these and ``E``.
    """
    if not symbol.startswith("_Z"):
        return symbol
    is_nested = symbol.startswith("_ZN")
    rest, name = symbol[3 if is_nested else 2 :], None
    while digits := re.match(r"\d+", rest):
        end = digits.end() + int(digits.group())
        name, rest = rest[digits.end() : end], rest[end:]
        if not is_nested:
            break
    return None if rest.startswith("I") else name


class KernelTemplate:
    """A kernel that is a template: ``scale["float"]`` is a kernel."""

    def __init__(self, cell: Cell, name: str) -> None:
        self._cell = cell
        self._name = name
        self._made: dict[str, drv.Function] = {}

    def __getitem__(self, arguments: str | tuple[Any, ...]) -> drv.Function:
        """Compile the template for arguments such as ``"float"``."""
        if not isinstance(arguments, tuple):
            arguments = (arguments,)
        text = ", ".join(map(str, arguments))
        if text not in self._made:
            expression = f"{self._name}<{text}>"
            module = self._cell.load([expression])
            self._made[text] = module.get_function(expression)
        return self._made[text]

    def __call__(self, *arguments: Any, **keywords: Any) -> None:
        """Explain how to choose the template's arguments."""
        raise TypeError(
            f"{self._name!r} is a template: choose its arguments first, as in "
            f'{self._name}["float"](...)'
        )

    def __repr__(self) -> str:
        """Return a description."""
        return f"<template of kernels {self._name!r}>"


class Cell:
    """A compiled cell.

    Parameters
    ----------
    source : str
        The lines below ``%%cuda``.
    name : str
        Name of the cell in messages, such as ``In[3]``.
    options : sequence of str
        Options of the compiler.
    """

    def __init__(
        self, source: str, name: str, options: Sequence[str] = ()
    ) -> None:
        self.source = source
        self.name = name
        self.options = list(options)
        self.kernels: dict[str, drv.Function | KernelTemplate] = {}

    def compile(self) -> None:
        """Compile for the current context, and fill `kernels`.

        Raises
        ------
        CellError
            If the compiler refuses the cell.
        """
        templates = template_names(self.source)
        text = without_comments(self.source)
        is_cpp = _TEMPLATE.search(text) is not None
        module = self.load([] if is_cpp else None)
        if _HOST_CODE.search(text):
            print(_HOST_NOTE, file=sys.stderr)
        self.kernels = {}
        for symbol in module.module._kernel_names():
            name = plain_name(symbol)
            if name is not None:
                self.kernels[name] = module.get_function(symbol)
        for name, qualified in templates.items():
            self.kernels[name] = KernelTemplate(self, qualified)

    def load(self, expressions: list[str] | None) -> SourceModule:
        """Compile the cell as C, or as C++ with these name expressions."""
        # Line 1 of the cell is the line of the magic command.
        text = f'#line 2 "{self.name}"\n{self.source}'
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                module = SourceModule(
                    text,
                    options=self.options or None,
                    no_extern_c=expressions is not None,
                    name_expressions=expressions or (),
                )
            except drv.CompileError as error:
                refused = CellError(
                    error.msg, error.command_line, error.stdout, error.stderr
                )
                if _HOST_CODE.search(without_comments(self.source)):
                    refused.note = _HOST_NOTE
                raise refused from None
        for warning in caught:
            said = str(warning.message)
            if said.startswith(_SAID):
                text = _COUNT.sub("", said.removeprefix(_SAID))
                print(text.strip(), file=sys.stderr)
            else:
                warnings.warn(warning.message, stacklevel=2)
        return module

    def line(self, number: int) -> str:
        """Return a line by its number in the notebook's cell, or ''."""
        lines = self.source.splitlines()
        return lines[number - 2] if 0 <= number - 2 < len(lines) else ""
