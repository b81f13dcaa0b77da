"""Checks a kernel's arguments against the types that its source declares.

A compiled kernel has the sizes of its parameters and not their types, so a
float64 array for `float *` passes every other check.  The launch path calls
this module once for each parameter and type of argument, if the source is at
hand.  It does not check a parameter whose type is a macro, a typedef, a
template parameter or a struct, so that it never reports correct arguments.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import functools
import os
import re
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from pycuda import _driver
from pycuda._compile.source import with_blank_comments, without_comments
from pycuda._compile.warn import warn_user

_TYPES = {
    "float": "float32",
    "double": "float64",
    "int": "int32",
    "signed int": "int32",
    "int32_t": "int32",
    "unsigned": "uint32",
    "unsigned int": "uint32",
    "uint": "uint32",
    "uint32_t": "uint32",
    "long": "int64",
    "long int": "int64",
    "long long": "int64",
    "long long int": "int64",
    "int64_t": "int64",
    "unsigned long": "uint64",
    "unsigned long long": "uint64",
    "uint64_t": "uint64",
    "size_t": "uint64",
}
# Types that are known only as elements behind a pointer. Numbers of these
# types have advice of their own (`advice`).
_POINTED_TYPES = {
    "bool": "bool",
    "half": "float16",
    "__half": "float16",
    "short": "int16",
    "short int": "int16",
    "int16_t": "int16",
    "unsigned short": "uint16",
    "unsigned short int": "uint16",
    "uint16_t": "uint16",
}
MEMORY = (
    "a GPUArray or a DeviceAllocation, or wrap a host array in "
    "pycuda.driver.In, Out or InOut"
)
_C_NAMES = {
    "float32": "float",
    "float64": "double",
    "float16": "__half",
    "bool": "bool",
    "int16": "short",
    "uint16": "unsigned short",
    "complex64": "pycuda::complex<float>",
    "complex128": "pycuda::complex<double>",
    "int32": "int",
    "uint32": "unsigned int",
    "int64": "long long",
    "uint64": "unsigned long long",
}
_QUALIFIER = re.compile(r"\b(?:const|volatile|(?:__)?restrict(?:__)?)\b")
_PARAMETER = re.compile(r"(\w[\w\s]*?)\s*(\*?)\s*\b(\w+)\s*(\[\s*\w*\s*\])?")
_NUMBERS = r"(?:float|double|int|long|unsigned)\b"
_RENAMED = re.compile(rf"#\s*define\s+{_NUMBERS}")
_RENAMED_BY_OPTION = re.compile(
    rf"(?:-D|--define-macro)[\s=]*{_NUMBERS}|-optf|--options-file"
)


class Declared(NamedTuple):
    """A parameter: its text in the source, its name, its element type."""

    text: str
    name: str
    dtype: np.dtype
    is_pointer: bool


_MANGLED = re.compile(r"_Z(?:N[rVK]*)?((?:\d+[A-Za-z_]\w*)+)")


def _plain_name(kernel: str) -> str:
    """Return the name that the source uses for a kernel's mangled name."""
    found = _MANGLED.match(kernel)
    rest, name = found[1] if found else "", ""
    while length := re.match(r"\d+", rest):
        end = length.end() + int(length[0])
        name, rest = rest[length.end() : end], rest[end:]
    return name or kernel


def _split(text: str) -> list[str]:
    """Split a list of parameters at the commas outside of <>."""
    parts, depth = [""], 0
    for character in text:
        depth += (character == "<") - (character == ">")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [" ".join(part.split()) for part in parts]


def _parameter(text: str) -> Declared | None:
    found = _PARAMETER.fullmatch(_QUALIFIER.sub(" ", text).strip())
    if found is None:
        return None
    base, star, name, brackets = found.groups()
    kind, is_pointer = " ".join(base.split()), bool(star or brackets)
    dtype = _TYPES.get(kind)
    if dtype is None and is_pointer:
        dtype = _POINTED_TYPES.get(kind)
    if dtype is None:
        return None
    text = " ".join(text.split())
    return Declared(text, name, np.dtype(dtype), is_pointer)


@functools.lru_cache(maxsize=64)
def texts(source: str, kernel: str) -> tuple[str, ...]:
    """Return the declarations of the parameters of `kernel`.

    Returns () if the kernel is not found, has no parameters, or is declared
    several times.
    """
    heads = re.findall(
        rf"__global__\b[^;{{}}]*?\b{re.escape(_plain_name(kernel))}"
        r"\s*\(([^(){}#]*)\)",
        without_comments(source),
    )
    if len(heads) != 1 or heads[0].strip() in ("", "void"):
        return ()
    return tuple(_split(heads[0]))


def describe_missing_kernel(source: object, name: object) -> str:
    """Say why a source's function is not a kernel; "" if it has none.

    The function has the given name, and is declared without ``__global__``.
    """
    if not isinstance(source, str) or not isinstance(name, str):
        return ""
    plain = with_blank_comments(source)
    head = re.search(
        rf"(?m)^[ \t]*((?:\w[\w:<>]*[\s*&]+)+)({re.escape(name)})"
        r"\s*\([^;{}]*\)\s*\{",
        plain,
    )
    if head is None or "__global__" in head[1]:
        return ""
    line = plain.count("\n", 0, head.start(2)) + 1
    kind = " ".join(head[1].split())
    if "__device__" in kind.split():
        return (
            f"'{name}' (line {line}) is not a kernel, since it is declared "
            "__device__: declare it __global__"
        )
    returned = kind.replace("__host__", "").strip()
    change = "" if returned == "void" else ", with the result type void"
    return (
        f"'{name}' (line {line}) is not a kernel: declare it "
        f"'__global__ void {name}'{change}"
    )


@functools.lru_cache(maxsize=64)
def parameters(source: str, kernel: str) -> tuple[Declared | None, ...]:
    """Return the parameters of `kernel`; () if they are not found.

    The entry of a parameter is None if its type is not known.
    """
    if _RENAMED.search(without_comments(source)):
        return ()
    return tuple(map(_parameter, texts(source, kernel)))


def renames(options: Iterable[object]) -> bool:
    """Return whether compiler options may redefine the name of a type.

    Such options are -D with the name of a type, and files of options, which
    are not read.
    """
    text = "\n".join(str(option) for option in options)
    return _RENAMED_BY_OPTION.search(text) is not None


def _is_pointer(text: str) -> bool:
    """Return whether a declaration such as ``item<int *> *x`` has a pointer.

    Only the pointers outside of template arguments count.
    """
    while (inner := re.sub(r"<[^<>]*>", "", text)) != text:
        text = inner
    return "*" in text or "[" in text


def _is_managed(array: np.ndarray) -> bool:
    base: Any = array
    while isinstance(base, np.ndarray):
        base = base.base
    return isinstance(base, _driver.ManagedAllocation)


def _by_value(value: Any) -> bool:
    """Return whether the bytes of `value` itself are passed to the kernel."""
    if isinstance(value, np.ndarray):
        return not _is_managed(value)
    return isinstance(value, np.generic)


def _is_address(value: Any) -> bool:
    known = (_driver.ArrayBase, _driver.DeviceAllocation)
    return isinstance(value, (*known, _driver.ArgumentHandler)) or hasattr(
        value, "gpudata"
    )


def _dtype_of(value: Any) -> np.dtype | None:
    if isinstance(value, _driver.ArgumentHandler):
        value = value.array
    dtype = getattr(value, "dtype", None)
    return dtype if isinstance(dtype, np.dtype) else None


def _is_misread(have: np.dtype, want: np.dtype) -> bool:
    """Return whether a kernel reading `want` would misread data of `have`.

    Never true for numbers that the kernel reads as integers of the same size,
    nor for integers of one or two bytes, which kernels often read in groups.
    Complex numbers may be read as their parts.
    """
    if have.kind == "c":
        return want.kind == "f" and have.itemsize != 2 * want.itemsize
    if have.kind == "b" or (have.kind == "f" and have.itemsize < 4):
        return have.itemsize != want.itemsize
    if have.kind not in "iuf" or have.itemsize < 4:
        return False
    if have.itemsize != want.itemsize:
        return True
    return have.kind in "iu" and want.kind == "f"


def _check_pointer(where: str, declared: Declared, value: Any) -> None:
    have = _dtype_of(value)
    kind = type(value).__name__
    if _by_value(value):
        number = not isinstance(value, np.ndarray) or value.ndim == 0
        if have is not None and (
            not number or have.kind not in "iu" or have.itemsize != 8
        ):
            what = (
                f"a host array ({kind} of {have}), which is passed by value"
                if isinstance(value, np.ndarray)
                else f"a number (numpy.{kind}), which is passed by value"
            )
            raise TypeError(f"{where}, but was given {what}: pass {MEMORY}")
        return
    if have is not None and _is_misread(have, declared.dtype):
        known = _C_NAMES.get(have.name)
        other = f", or declare '{known} *{declared.name}'" if known else ""
        warn_user(
            f"{where}, but the elements of the {kind} given are {have}: "
            f"convert them with .astype(numpy.{declared.dtype}){other}"
        )


def _check_value(where: str, declared: Declared, value: Any) -> None:
    have = _dtype_of(value)
    if isinstance(value, np.generic) and have is not None:
        if have.kind in "iuf" and (have.kind == "f") != (
            declared.dtype.kind == "f"
        ):
            warn_user(
                f"{where}, and the bits of the {have} given are read as "
                f"such; pass numpy.{declared.dtype}(...)"
            )
    elif declared.dtype.kind == "f" and _is_address(value):
        raise TypeError(
            f"{where}, but the {type(value).__name__} given is an address; "
            f"pass numpy.{declared.dtype}(...)"
        )


def _name_of(text: str) -> str:
    """Return the name in a declaration such as ``const float *x``."""
    words: list[str] = re.findall(r"\w+", text.split("[")[0])
    return words[-1] if words else ""


@functools.lru_cache(maxsize=64)
def _body(source: str, kernel: str) -> str:
    """Return the statements of a kernel that texts() finds."""
    text = without_comments(source)
    head = re.search(
        rf"__global__\b[^;{{}}]*?\b{re.escape(_plain_name(kernel))}"
        r"\s*\([^(){}#]*\)\s*\{",
        text,
    )
    if head is None:
        return ""
    depth, at = 1, head.end()
    while depth and at < len(text):
        depth += (text[at] == "{") - (text[at] == "}")
        at += 1
    return text[head.end() : at]


def _writes(body: str, name: str) -> bool:
    """Return whether a kernel visibly writes through the pointer `name`."""
    index = r"\[(?:[^][]|\[[^][]*\])*\]"
    element = rf"(?:\b{name}\s*{index}|\*\s*{name}\b)"
    assigned = r"\s*(?:[-+*/%&|^]=|<<=|>>=|=(?!=)|\+\+|--)"
    atomic = rf"\batomic\w+\s*\(\s*&?\s*{name}\b"
    return re.search(f"{element}{assigned}|{atomic}", body) is not None


def _check_copied_back(
    where: str, source: str, kernel: str, text: str, value: Any
) -> None:
    """Warn, while kernels are checked, of an output that is not copied."""
    if (
        os.environ.get("PYCUDA_CPU_CHECK")
        and type(value) is _driver.In
        and ("*" in text or "[" in text)
        and _writes(_body(source, kernel), _name_of(text))
    ):
        warn_user(
            f"{where}, which the kernel writes, but pycuda.driver.In does "
            "not copy it back: pass Out or InOut"
        )


def _check_strides(where: str, text: str, value: Any) -> None:
    """Warn, while kernels are checked, of a view that has gaps.

    This is legal: the kernel may know the strides.
    """
    if (
        os.environ.get("PYCUDA_CPU_CHECK")
        and isinstance(value, _driver.ArrayBase)
        and ("*" in text or "[" in text)
        and not value.flags.forc
    ):
        warn_user(
            f"{where} and was given a view that is not contiguous, with the "
            f"strides {value.strides}: the kernel receives only the address "
            'of its first element. x.copy(order="C") is contiguous'
        )


def check(
    source: str, kernel: str, count: int, index: int, value: Any
) -> bool:
    """Compare argument `index` of `count` with the type `source` declares.

    Returns
    -------
    bool
        Whether the parameter is visibly declared as a pointer, to a type
        that need not be known.

    Raises
    ------
    TypeError
        If a value is passed for a pointer, or a pointer for a number.

    Warns
    -----
    UserWarning
        If numbers would be read as numbers of another type; and, while
        kernels are checked, if the kernel writes to an array that was
        passed with In, or was given a view with gaps.
    """
    written = texts(source, kernel)
    if len(written) == count:
        where = f"kernel '{kernel}': parameter #{index} (0-based) is "
        where += f"'{written[index]}'"
        _check_copied_back(where, source, kernel, written[index], value)
        _check_strides(where, written[index], value)
    found = parameters(source, kernel)
    declared = found[index] if len(found) == count else None
    if declared is None:
        return len(written) == count and _is_pointer(written[index])
    where = f"kernel '{kernel}': parameter #{index} (0-based) is "
    where += f"'{declared.text}'"
    if declared.is_pointer:
        _check_pointer(where, declared, value)
    else:
        _check_value(where, declared, value)
    return declared.is_pointer
