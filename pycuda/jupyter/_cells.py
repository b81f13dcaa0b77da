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
_KERNEL = re.compile(r"__global__\b([^;{}()]*?)\b(\w+)\s*\(")
_COUNT = re.compile(
    r"^\d+ (?:error|warning)s? .*(?:generated|detected).*\n?", re.M
)


class CellError(drv.CompileError):
    """The compiler refused a cell; its text is all that is shown."""

    def __str__(self) -> str:
        """Return the compiler's text."""
        return _COUNT.sub("", self.stderr or self.msg).strip()

    def _render_traceback_(self) -> list[str]:
        """Return the lines that IPython shows in place of a traceback."""
        return str(self).splitlines()


def _after_template(text: str, start: int) -> int:
    """Return the index behind the template parameters that begin there."""
    angles = rounds = 0
    for index in range(text.index("<", start), len(text)):
        rounds += {"(": 1, ")": -1}.get(text[index], 0)
        if rounds == 0:  # not an operator in an expression
            angles += {"<": 1, ">": -1}.get(text[index], 0)
            if angles == 0:
                return index + 1
    return len(text)


def kernel_names(source: str) -> tuple[list[str], list[str]]:
    """Return the names of kernels in a source, and those of its templates."""
    text = _BOUNDS.sub(" ", without_comments(source))
    heads = [
        _after_template(text, m.start()) for m in _TEMPLATE.finditer(text)
    ]
    plain: list[str] = []
    templates: list[str] = []
    for match in _KERNEL.finditer(text):
        is_template = any(
            head <= match.start() and not text[head : match.start()].strip()
            for head in heads
        )
        (templates if is_template else plain).append(match.group(2))
    return list(dict.fromkeys(plain)), list(dict.fromkeys(templates))


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
        plain, templates = kernel_names(self.source)
        if _TEMPLATE.search(without_comments(self.source)):
            module = self.load(plain)
        else:
            module = self.load(None)
        self.kernels = {}
        for name in plain:
            try:
                self.kernels[name] = module.get_function(name)
            except drv.LogicError:  # in a part that #if leaves out
                continue
        for name in templates:
            self.kernels[name] = KernelTemplate(self, name)

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
                raise CellError(
                    error.msg, error.command_line, error.stdout, error.stderr
                ) from None
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
