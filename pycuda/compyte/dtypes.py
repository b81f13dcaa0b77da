"""Conversion between NumPy dtypes and C type names.

`pycuda.tools` and the kernel generators share `TYPE_REGISTRY`; users add their
structs with `get_or_register_dtype`.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import itertools
import re
import sys
import warnings
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

__all__ = [
    "DTYPE_TO_NAME",
    "NAME_TO_DTYPE",
    "TYPE_REGISTRY",
    "DTypeRegistry",
    "TypeNameNotKnown",
    "dtype_to_ctype",
    "fill_registry_with_c99_complex_types",
    "fill_registry_with_c99_stdint_types",
    "fill_registry_with_c_types",
    "fill_registry_with_opencl_c_types",
    "get_or_register_dtype",
    "parse_c_arg_backend",
    "register_dtype",
]


class TypeNameNotKnown(RuntimeError):
    """A C type name that is not registered."""


class _PackageMissing(TypeNameNotKnown):
    """A C type name whose dtype belongs to a package that is missing."""


_BFLOAT16_NAMES = ("__nv_bfloat16", "nv_bfloat16")


class _Names(dict):  # type: ignore[type-arg]
    """Dtypes by C name; imports ml_dtypes when its type is looked up."""

    def __missing__(self, name: str) -> np.dtype:
        if name not in _BFLOAT16_NAMES:
            raise KeyError(name)
        try:
            import ml_dtypes
        except ImportError:
            raise _PackageMissing(
                f"'{name}' needs the package ml_dtypes: pip install ml_dtypes"
            ) from None
        return np.dtype(ml_dtypes.bfloat16)


class DTypeRegistry:
    """A two-way table of C type names and dtypes."""

    def __init__(self) -> None:
        self.dtype_to_name: dict[Any, str] = {}
        self.name_to_dtype: dict[str, np.dtype] = _Names()

    def get_or_register_dtype(
        self, c_names: str | Iterable[str], dtype: Any = None
    ) -> np.dtype:
        """Register `dtype` under every name, or look up the first name.

        Parameters
        ----------
        c_names
            One C type name, or several.
        dtype
            The dtype to register; None looks up the first name.

        Returns
        -------
        numpy.dtype
            The registered dtype.

        Raises
        ------
        KeyError
            If `dtype` is None and the name is unknown.
        RuntimeError
            If a name is registered for another dtype.
        ValueError
            If there is no name, or one is not a string.
        """
        names = [c_names] if isinstance(c_names, str) else list(c_names)
        if not names or not all(isinstance(name, str) for name in names):
            raise ValueError(f"expected names of a C type, not {c_names!r}")
        if dtype is None:
            return self.name_to_dtype[names[0]]
        dtype = np.dtype(dtype)
        for name in names:
            known = self.name_to_dtype.get(name)
            if known is not None and known != dtype:
                raise RuntimeError(
                    f"name '{name}' already registered to different dtype"
                )
        for name in names:
            dtype = self.name_to_dtype.setdefault(name, dtype)
        self.dtype_to_name.setdefault(dtype, names[0])
        return dtype

    def dtype_to_ctype(self, dtype: Any) -> str:
        """Return the C name of `dtype`; ValueError if there is none."""
        if dtype is None:
            raise ValueError("dtype may not be None")
        dtype = np.dtype(dtype)
        try:
            return self.dtype_to_name[dtype]
        except KeyError:
            if dtype.char == "E" and dtype.name == "bfloat16":
                return _BFLOAT16_NAMES[0]
            raise ValueError(f"unable to map dtype '{dtype}'") from None


def _permutations(*words: str) -> list[str]:
    """Return every permutation of `words`, each as one string."""
    return [" ".join(p) for p in itertools.permutations(words)]


def _integer_names(base: str, unsigned: bool) -> list[str]:
    """Return all spellings of an integer type in C.

    `base` is "short", "int", "long" or "long long"; the usual spelling is
    first.
    """
    words = [] if base == "int" else base.split()
    first = "unsigned" if unsigned else ""
    canonical = " ".join(w for w in (first, base) if w)
    if unsigned and base == "int":
        canonical = "unsigned"
    signs = ["unsigned"] if unsigned else ["", "signed"]
    names = [canonical]
    for sign, tail in itertools.product(signs, ("", "int")):
        parts = [w for w in (sign, *words, tail) if w]
        if parts:
            names += _permutations(*parts)
    return list(dict.fromkeys(names))


def fill_registry_with_c_types(
    reg: DTypeRegistry, respect_windows: bool, include_bool: bool = True
) -> None:
    """Register C's own arithmetic types."""
    if include_bool:
        reg.get_or_register_dtype("bool", np.bool_)
    reg.get_or_register_dtype(["signed char", "char"], np.int8)
    reg.get_or_register_dtype("unsigned char", np.uint8)
    narrow_long = respect_windows and sys.platform == "win32"
    sizes = [("short", 2), ("int", 4)]
    sizes += [] if narrow_long else [("long", 8)]
    sizes.append(("long long", 8))
    for base, size in sizes:
        for code, unsigned in (("i", False), ("u", True)):
            names = _integer_names(base, unsigned)
            reg.get_or_register_dtype(names, np.dtype(f"{code}{size}"))
    if narrow_long:
        reg.get_or_register_dtype(_integer_names("long", False), np.int32)
        reg.get_or_register_dtype(_integer_names("long", True), np.uint32)
    reg.get_or_register_dtype("float", np.float32)
    reg.get_or_register_dtype("double", np.float64)


def fill_registry_with_opencl_c_types(reg: DTypeRegistry) -> None:
    """Register OpenCL's names of the arithmetic types."""
    for name, code in (("char", "1"), ("short", "2"), ("int", "4")):
        reg.get_or_register_dtype(name, np.dtype(f"i{code}"))
        both = [f"u{name}", f"unsigned {name}"]
        reg.get_or_register_dtype(both, np.dtype(f"u{code}"))
    reg.get_or_register_dtype("long", np.int64)
    reg.get_or_register_dtype(["ulong", "unsigned long"], np.uint64)
    reg.get_or_register_dtype("float", np.float32)
    reg.get_or_register_dtype("double", np.float64)


def fill_registry_with_c99_stdint_types(reg: DTypeRegistry) -> None:
    """Register the names of <stdint.h> and <stddef.h>."""
    for bits in (8, 16, 32, 64):
        reg.get_or_register_dtype(f"int{bits}_t", np.dtype(f"i{bits // 8}"))
        reg.get_or_register_dtype(f"uint{bits}_t", np.dtype(f"u{bits // 8}"))
    reg.get_or_register_dtype(["size_t", "uintptr_t"], np.uintp)
    reg.get_or_register_dtype(["ptrdiff_t", "ssize_t", "intptr_t"], np.intp)


def fill_registry_with_c99_complex_types(reg: DTypeRegistry) -> None:
    """Register the complex types under their C99 names."""
    reg.get_or_register_dtype("float complex", np.complex64)
    reg.get_or_register_dtype("double complex", np.complex128)


TYPE_REGISTRY: DTypeRegistry = DTypeRegistry()
DTYPE_TO_NAME: dict[Any, str] = TYPE_REGISTRY.dtype_to_name
NAME_TO_DTYPE = TYPE_REGISTRY.name_to_dtype
get_or_register_dtype: Callable[..., np.dtype[Any]] = (
    TYPE_REGISTRY.get_or_register_dtype
)
dtype_to_ctype: Callable[[Any], str] = TYPE_REGISTRY.dtype_to_ctype

fill_registry_with_c_types(TYPE_REGISTRY, True)
fill_registry_with_c99_stdint_types(TYPE_REGISTRY)
TYPE_REGISTRY.get_or_register_dtype(["__half", "half"], np.float16)
TYPE_REGISTRY.get_or_register_dtype("pycuda::complex<float>", np.complex64)
TYPE_REGISTRY.get_or_register_dtype("pycuda::complex<double>", np.complex128)


def register_dtype(
    dtype: Any, name: str | Iterable[str], alias_ok: bool = False
) -> None:
    """Register a dtype; deprecated, use `get_or_register_dtype`.

    Raises
    ------
    RuntimeError
        If the dtype has a name already, unless `alias_ok`.
    """
    warnings.warn(
        "register_dtype is deprecated. Use get_or_register_dtype instead.",
        DeprecationWarning,
        stacklevel=2,
    )
    names = [name] if isinstance(name, str) else list(name)
    if not alias_ok and np.dtype(dtype) in TYPE_REGISTRY.dtype_to_name:
        raise RuntimeError(
            f"dtype '{np.dtype(dtype)}' is already registered (use alias_ok "
            "to add a name)"
        )
    TYPE_REGISTRY.get_or_register_dtype(names, dtype)


_QUALIFIER = re.compile(
    r"\b(?:const|volatile|restrict|__restrict__|__restrict|__const__)\b"
)
_DECLARATION = re.compile(r"(.*?)([A-Za-z_]\w*)\s*((?:\[[^\]]*\]\s*)*)")


def parse_c_arg_backend(
    c_arg: str,
    scalar_arg_factory: Callable[[np.dtype, str], Any],
    vec_arg_factory: Callable[[np.dtype, str], Any],
    name_to_dtype: Any = None,
) -> Any:
    """Make an argument from one C declarator such as ``"float *x"``."""
    if name_to_dtype is None:
        name_to_dtype = TYPE_REGISTRY.name_to_dtype.__getitem__
    text = _QUALIFIER.sub(" ", c_arg).strip()
    found = _DECLARATION.fullmatch(text)
    if found is None:
        raise ValueError(f"couldn't parse C declarator '{c_arg}'")
    type_text, name, brackets = found.groups()
    is_vector = bool(brackets) or "*" in type_text
    type_name = " ".join(type_text.replace("*", " ").split())
    if not type_name:
        raise ValueError(f"couldn't parse C declarator '{c_arg}'")
    try:
        dtype = name_to_dtype(type_name)
    except _PackageMissing as error:
        raise ValueError(str(error)) from None
    except (KeyError, TypeNameNotKnown):
        raise ValueError(f"unknown type '{type_name}'") from None
    factory = vec_arg_factory if is_vector else scalar_arg_factory
    return factory(dtype, name)
