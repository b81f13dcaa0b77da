"""Texts of the exceptions for wrong arguments of a launch.

The launch path calls these functions when it raises the exception.  Each takes
the kernel's source, or None, and the kernel's name first; the source has the
kernel's declaration, which the texts quote.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Any

import numpy as np

from pycuda import _driver
from pycuda._launch.advice import advise
from pycuda._launch.declarations import MEMORY, texts

_LONGEST = 40
_LONGEST_DECLARATION = 300
_CALL = (
    "block",
    "grid",
    "stream",
    "shared",
    "texrefs",
    "time_kernel",
    "cooperative",
    "cluster",
)
# Keyword of another interface, in lower case and without underscores ->
# keyword with this meaning in a call of a Function.
_OTHER_NAMES = {
    "threads": "block",
    "threadsperblock": "block",
    "blockdim": "block",
    "blocksize": "block",
    "blockshape": "block",
    "blocks": "grid",
    "blockspergrid": "grid",
    "griddim": "grid",
    "gridsize": "grid",
    "gridshape": "grid",
    "sharedmem": "shared",
    "sharedmembytes": "shared",
    "sharedsize": "shared",
    "sharedbytes": "shared",
    "smem": "shared",
    "shmem": "shared",
    "queue": "stream",
}


def _declared(source: Any, kernel: str, count: int | None) -> tuple[str, ...]:
    """Return the declarations of the parameters; () if they are not known."""
    found = texts(source, kernel) if isinstance(source, str) else ()
    return found if count is None or len(found) == count else ()


def _signature(source: Any, kernel: str, count: int | None) -> str:
    """Return "kernel 'k(float *x, int n)'", or the name alone."""
    text = f"{kernel}({', '.join(_declared(source, kernel, count))})"
    known = text != f"{kernel}()" and len(text) <= _LONGEST_DECLARATION
    return f"kernel '{text if known else kernel}'"


def _names(source: Any, kernel: str) -> str:
    """Return the arguments of an example call: the parameters' names."""
    words = []
    for text in _declared(source, kernel, None):
        name = text.split("[")[0].replace("*", " ").split()[-1]
        words.append(name.lstrip("&"))
    return ", ".join(words) if words else "..."


def _type_name(value: Any) -> str:
    kind = type(value)
    if kind.__module__ == "builtins":
        return kind.__qualname__
    return f"{kind.__module__}.{kind.__qualname__}"


def given(value: Any) -> str:
    """Return a description of an argument's type and, if short, its value."""
    kind = type(value)
    if value is None:
        return "None"
    if isinstance(value, np.ndarray):
        return f"a host array (numpy.ndarray of {value.dtype})"
    if isinstance(value, np.generic):
        return f"a number (numpy.{kind.__name__})"
    if kind in (bool, int, float, complex):
        # str() raises ValueError for an int with very many digits
        small = kind is not int or abs(value) < 1 << 64
        return f"the Python {kind.__name__}" + (f" {value}" if small else "")
    if kind in (str, bytes):
        text = repr(value[:_LONGEST])
        return f"the Python {kind.__name__} {text}"
    if kind in (list, tuple, dict, set):
        return f"a Python {kind.__name__}"
    return f"an object of {_type_name(value)}"


def _parameter(source: Any, kernel: str, count: int, index: int) -> str:
    declared = _declared(source, kernel, count)
    name = f" '{declared[index]}'" if index < len(declared) else ""
    return f"parameter{name} of kernel '{kernel}'"


def invalid_type(
    source: Any, kernel: str, index: int, count: int, size: int, value: Any
) -> str:
    """Return the text for an argument of a type that no kernel accepts."""
    what = _parameter(source, kernel, count, index)
    where = f" for its {size} bytes" if size and "'" not in what[:11] else ""
    return (
        f"invalid type on parameter #{index} (0-based): {what} was given "
        f"{given(value)}{where}: "
        + advise(source, kernel, count, index, size, value)
    )


def wrong_size(
    source: Any,
    kernel: str,
    index: int,
    count: int,
    size: int,
    value: Any,
    have: int,
) -> str:
    """Return the text for an argument whose size is not the parameter's."""
    declared = _declared(source, kernel, count)
    name = f", '{declared[index]}'," if declared else ""
    if isinstance(value, np.ndarray):
        advice = "a host array is passed by value"
        if size == np.intp(0).itemsize:
            advice += f": for a pointer pass {MEMORY}"
    else:
        advice = advise(source, kernel, count, index, size, value)
    return (
        f"kernel '{kernel}': parameter #{index} (0-based){name} takes {size} "
        f"bytes, but the {_type_name(value)} given has {have}; {advice}"
    )


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def wrong_count(
    source: Any,
    kernel: str,
    count: int,
    size: int,
    arguments: tuple[Any, ...],
    packed: int,
) -> str:
    """Return the text for a wrong number of arguments."""
    have = len(arguments)
    declared = _declared(source, kernel, count)
    text = (
        f"{_signature(source, kernel, count)} takes "
        f"{_count(count, 'parameter')} ({size} bytes in all), but "
        f"{_count(have, 'argument')} ({packed} bytes as packed) "
        f"{'was' if have == 1 else 'were'} given"
    )
    if declared and have < count:
        text += f": '{declared[have]}' has none"
        text += ", if the ones before are right"
    return text


def _shape(value: Any) -> tuple[int, ...] | None:
    """Return a grid or block as a tuple of 3; None if it is neither."""
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
        value = (value,)
    if not isinstance(value, (tuple, list)) or not 1 <= len(value) <= 3:
        return None
    if not all(isinstance(item, (int, np.integer)) for item in value):
        return None
    return (*map(int, value), *(1,) * (3 - len(value)))


def _is_tuple_shape(value: Any) -> bool:
    return isinstance(value, (tuple, list)) and _shape(value) is not None


def _example(
    source: Any, kernel: str, block: Any = None, grid: Any = None
) -> str:
    block, grid = _shape(block) or (256, 1, 1), _shape(grid) or (1, 1, 1)
    return (
        f"{kernel}({_names(source, kernel)}, block={block}, grid={grid[:2]})"
        if grid[2] == 1
        else f"{kernel}({_names(source, kernel)}, block={block}, grid={grid})"
    )


def _other_order(source: Any, kernel: str, arguments: Any) -> str | None:
    """Return the right call if grid and block are among the arguments."""
    if len(arguments) >= 2 and all(map(_is_tuple_shape, arguments[:2])):
        grid, block = arguments[:2]
        third = arguments[2] if len(arguments) == 3 else None
        whose = "CuPy's" if isinstance(third, (tuple, list)) else "another"
        here = _example(source, kernel, block, grid)
        return f"grid and block first is {whose} order; here: {here}"
    if arguments and _is_tuple_shape(arguments[-1]):
        shapes = [a for a in arguments[-2:] if _is_tuple_shape(a)]
        here = _example(source, kernel, *shapes)
        return f"block and grid are keyword arguments: {here}"
    return None


def no_block(source: Any, kernel: str, arguments: tuple[Any, ...]) -> str:
    """Return the text for a call without block=."""
    advice = _other_order(source, kernel, arguments) or (
        "give block=(256, 1, 1), and grid= for more than one block"
    )
    return f"must specify block size: kernel '{kernel}': {advice}"


def _suggestion(name: str, known: Sequence[str]) -> str | None:
    plain = name.replace("_", "").lower()
    other = _OTHER_NAMES.get(plain)
    if other in known:
        return other
    close = difflib.get_close_matches(name.lower(), known, 1, 0.6)
    return close[0] if close else None


def extra_keywords(
    source: Any,
    kernel: str,
    names: tuple[str, ...],
    arguments: tuple[Any, ...],
) -> str:
    """Return the text for unknown keywords of a call."""
    extra = [name for name in names if name not in _CALL]
    text = f"extra keyword arguments: {','.join(extra)}"
    found = [_suggestion(name, _CALL) for name in extra]
    likely = list(dict.fromkeys(f"{name}=" for name in found if name))
    own = _names(source, kernel).split(", ")
    if any(name in own for name in extra):
        text += (
            f": kernel '{kernel}' takes its arguments by position: "
            + _example(source, kernel)
        )
    elif likely:
        text += f": did you mean {' and '.join(likely)}?"
    else:
        text += f": kernel '{kernel}' takes its arguments by position, and "
        text += ", ".join(f"{name}=" for name in _CALL[:-1])
        text += f" and {_CALL[-1]}="
    order = _other_order(source, kernel, arguments)
    return text if order is None else f"{text} {order}"


def prepared_keyword(source: Any, kernel: str, method: str, name: str) -> str:
    """Return the text for an unknown keyword of a prepared call."""
    leading = "grid, block, "
    if method == "prepared_async_call":
        leading += "stream, "
    text = f"unknown keyword arguments: {name}"
    if _suggestion(name, _CALL) == "shared":
        return f"{text}: did you mean shared_size=?"
    return (
        f"{text}: {method}({leading}*args, shared_size=0) takes all others "
        "by position"
    )


def prepared_count(
    source: Any, kernel: str, fmt: str, need: int, arguments: tuple[Any, ...]
) -> str:
    """Return the text for a wrong number of arguments of a prepared call."""
    return (
        f"{_signature(source, kernel, need)}: pack requires exactly {need} "
        f"arguments, got {len(arguments)}; prepare() was given the format "
        f"'{fmt}'"
    )


def prepared_size(
    source: Any,
    kernel: str,
    count: int,
    size: int,
    fmt: str,
    have: int,
    have_bytes: int,
) -> str:
    """Return the text for a format that does not match the parameters."""
    return (
        f"{_signature(source, kernel, count)} takes "
        f"{_count(count, 'parameter')} of {size} bytes in all; the prepared "
        f"format '{fmt}' has {_count(have, 'value')} of {have_bytes} bytes, "
        "and they do not match"
    )


_KINDS = {
    "P": "a device address",
    **dict.fromkeys("bBhHiIlLqQnN", "an integer"),
    **dict.fromkeys("fdeE", "a float"),
    **dict.fromkeys("FD", "a complex number"),
    **dict.fromkeys("sp", "a buffer of bytes"),
    "c": "one byte",
}


def prepared_argument(
    source: Any,
    kernel: str,
    index: int,
    count: int,
    letter: str,
    value: Any,
    error: BaseException | None,
) -> str:
    """Return the text for an argument that the prepared format refuses."""
    declared = _declared(source, kernel, count)
    name = f", '{declared[index]}'," if index < len(declared) else ""
    text = (
        f"kernel '{kernel}': argument #{index} (0-based){name} was prepared "
        f"as '{letter}', {_KINDS.get(letter, 'another type')}, but was given "
        f"{given(value)}"
    )
    if letter != "P":
        return f"{text}: {error}"
    if isinstance(value, _driver.ArgumentHandler):
        return (
            f"{text}: prepared calls copy nothing; pass a GPUArray or a "
            "DeviceAllocation, or call the kernel with block= and grid="
        )
    if isinstance(value, np.ndarray):
        return (
            f"{text}, which is in host memory: pass "
            "pycuda.gpuarray.to_gpu(array) or a DeviceAllocation"
        )
    return f"{text}: {error}"


def subscript(source: Any, kernel: str, key: Any) -> str:
    """Return the text for kernel[grid, block]."""
    two = isinstance(key, tuple) and len(key) > 1
    grid, block = key[:2] if two else (None, None)
    if _shape(grid) is None or _shape(block) is None:
        grid = block = None
    return (
        f"'pycuda.driver.Function' object is not subscriptable: "
        f"{kernel}[grid, block](...) is Numba's form; here: "
        + _example(source, kernel, block, grid)
    )
