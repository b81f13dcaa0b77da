"""Templates to kernels: the common base of all modules that write CUDA C.

Templates are in ``templates``, one folder per subject.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import functools
import os
import re
import string
from typing import Any

from pycuda import compiler, driver

_OPTIONS = ["--fmad=false", "-w"]
_INCLUDE = re.compile(r'^#include "(.+)"\n', re.MULTILINE)

# Words that `prefixed` does not change. Neither does it change comments,
# directives, strings, fields and identifiers with two leading underscores.
_WORDS = """
    alignas alignof bool break char class const do double else enum extern
    false float for if inline int long reinterpret_cast return short signed
    sizeof static static_cast struct template true typedef typename unsigned
    void volatile while atomicAdd memcpy size_t uint2 uint4
    a b SCAN_EXPR
"""
_NOT_OWN = re.compile(
    r"//[^\n]*|#[^\n]*|\"[^\"]*\"|\$\w+|__\w+|\b[0-9]\w*"
    r"|\b(?:thread|block)Idx\.x|\b(?:block|grid)Dim\.x"
    rf"|\b(?:{'|'.join(_WORDS.split())})\b"
)
_NAME = re.compile(rf"({_NOT_OWN.pattern})|([A-Za-z_]\w*)")


@functools.cache
def load_template(name: str) -> string.Template:
    """Load the template `name`, a path in ``templates``.

    Template files that it includes are inserted, with their fields.
    """
    path = os.path.join(os.path.dirname(__file__), "templates", name)
    with open(path, encoding="utf-8") as stream:
        text = stream.read()
    return string.Template(
        _INCLUDE.sub(lambda found: load_template(found[1]).template, text)
    )


def prefixed(text: str) -> str:
    """Prefix the names that a template defines with ``pycuda_``.

    The names, macros included, then cannot collide with those of a program.
    """
    return _NAME.sub(lambda found: found[1] or f"pycuda_{found[2]}", text)


def device_attribute(name: str) -> int:
    """Return an attribute of the current device, by its PyCUDA name."""
    attribute = getattr(driver.device_attribute, name)
    return driver.Context.get_device().get_attribute(attribute)


def runs_threads_in_turn() -> bool:
    """Return whether a multiprocessor is a processor core.

    An integrated device with full double precision throughput is one: it gains
    nothing from many threads in a block or from wide loads.
    """
    return (
        device_attribute("INTEGRATED") == 1
        and device_attribute("SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO") <= 2
    )


def device_traits() -> tuple[bool, int]:
    """Return `runs_threads_in_turn`, and the number of multiprocessors."""
    return runs_threads_in_turn(), device_attribute("MULTIPROCESSOR_COUNT")


def compile_kernel(source: str, types: tuple, name: str) -> Any:
    """Compile `source`, after its types' headers; return Function `name`."""
    parts = []
    if os.environ.get("PYCUDA_CPU_CHECK"):
        # Reports of the checks recognise the package's kernels by this name
        # (src/cpu/check/report.c).
        parts.append(f'#line 1 "pycuda/{name}.cu"\n')
    if any(dtype.char == "e" for dtype in types):
        parts.append("#include <cuda_fp16.h>\n")
    if any(dtype.char == "E" for dtype in types):
        parts.append(load_template("numbers/bfloat16.cuh").template)
    if any(dtype.kind == "c" for dtype in types):
        parts.append("#include <pycuda-complex.hpp>\n")
        parts.append(load_template("numbers/complex.cuh").template)
    parts += [load_template("numbers/arithmetic.cuh").template]
    parts += _functions_in(source, types)
    parts += [source]
    module = compiler.SourceModule(
        "\n".join(parts), options=_OPTIONS, no_extern_c=True
    )
    return module.get_function(name)


def _functions_in(source: str, types: tuple) -> list[str]:
    """Return the headers of the functions that a source calls."""
    names = []
    if "number_" in source:
        names += ["functions"]
        if any(dtype.kind == "c" for dtype in types):
            names += ["complex_numbers"]
        if "number_half" in source:
            names += ["half_functions"]
        if "number_bfloat16" in source:
            names += ["bfloat16_functions"]
    if "principal_" in source:
        names += ["complex_functions"]
    return [load_template(f"numbers/{name}.cuh").template for name in names]


def indent(lines: list[str], depth: int) -> str:
    """Join lines to one text, indented by `depth` spaces."""
    return "\n".join(" " * depth + line for line in lines)
