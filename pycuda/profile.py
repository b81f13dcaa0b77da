"""Named ranges and marks for profilers, and a recorder of them.

``range("name")`` gives a part of a program a name, which NVIDIA's Nsight
Systems shows on its timeline.  A profiler that reads NVTX sets the environment
variable ``NVTX_INJECTION64_PATH``; only then is a library of NVTX loaded: the
Python package ``nvtx``, or ``libnvtx3interop.so`` or ``libnvToolsExt.so`` of a
CUDA toolkit or of the wheel ``nvidia-nvtx``.  Elsewhere ranges do nothing.
`record` collects ranges without a profiler, on each device.

A range measures the host: a launch only queues work.  To include the work,
synchronise before the range ends.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import ctypes
import functools
import glob
import importlib
import inspect
import os
import sys
import threading
import time
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from pycuda import gpuarray

__all__ = ["Range", "Record", "annotate_arrays", "backend", "mark", "range"]
__all__ += ["record"]

_F = TypeVar("_F", bound=Callable[..., Any])
_LIBRARIES = (
    "libnvtx3interop.so.1",
    "libnvtx3interop.so",
    "libnvToolsExt.so.1",
    "libnvToolsExt.so",
)
# Folders of the libraries in wheels, relative to the folders of sys.path.
_WHEELS = ("nvidia/cu*/lib", "nvidia/nvtx/lib")


class _Listener(Protocol):
    """Receives the ranges and marks of all threads."""

    def push(self, name: str) -> None: ...
    def pop(self) -> None: ...
    def mark(self, name: str) -> None: ...


class _Library:
    """The functions of NVTX in a shared library."""

    def __init__(self, path: str) -> None:
        self.path = path
        library = ctypes.CDLL(path)
        self._push, self._mark = library.nvtxRangePushA, library.nvtxMarkA
        for function in (self._push, self._mark):
            function.argtypes = [ctypes.c_char_p]
        self.pop = library.nvtxRangePop

    def push(self, name: str) -> None:
        self._push(name.encode())

    def mark(self, name: str) -> None:
        self._mark(name.encode())


class _Package:
    """The functions of the Python package ``nvtx``."""

    def __init__(self) -> None:
        package = importlib.import_module("nvtx")
        self.path = str(package.__file__)
        self.push = package.push_range
        self.pop = package.pop_range
        self.mark = package.mark


def _candidates() -> Iterator[str]:
    """Yield the paths at which a library of NVTX may be."""
    for variable in ("CUDA_HOME", "CUDA_PATH"):
        if os.environ.get(variable):
            for folder in ("lib64", "lib"):
                for name in _LIBRARIES:
                    yield os.path.join(os.environ[variable], folder, name)
    for folder in sys.path:
        for pattern in _WHEELS:
            for name in _LIBRARIES:
                yield from glob.glob(os.path.join(folder, pattern, name))
    # names without a folder: the dynamic linker searches for them
    yield from _LIBRARIES
    for name in _LIBRARIES:
        yield os.path.join("/usr/local/cuda/lib64", name)


def _load() -> _Listener | None:
    """Return NVTX if a profiler reads it, else None."""
    if not os.environ.get("NVTX_INJECTION64_PATH"):
        return None
    try:
        return _Package()
    except (ImportError, AttributeError):
        pass
    for path in _candidates():
        try:
            return _Library(path)
        except (OSError, AttributeError):
            continue
    return None


_nvtx = _load()
# The tuple is replaced, never changed, so threads need no lock to read it.
_listeners: tuple[_Listener, ...] = () if _nvtx is None else (_nvtx,)
_lock = threading.Lock()


def backend() -> str | None:
    """Return the path of the NVTX library in use.

    Returns
    -------
    str or None
        None if no profiler reads NVTX, or if there is no library.

    Examples
    --------
    >>> import pycuda.profile
    >>> pycuda.profile.backend()  # no profiler runs
    """
    return None if _nvtx is None else _nvtx.path  # type: ignore[attr-defined]


class Range:
    """A named range: a context manager, and a decorator of functions.

    One object may be used several times, also nested and by several threads.
    """

    __slots__ = {"name": "The name that profilers show, a str."}

    def __init__(self, name: str) -> None:
        if not isinstance(name, str):
            raise TypeError(f"the name of a range is a str, not {name!r}")
        self.name: str = name

    def __enter__(self) -> Range:
        """Begin the range in this thread."""
        for listener in _listeners:
            listener.push(self.name)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: types.TracebackType | None,
    ) -> None:
        """End the range that this thread began last."""
        for listener in _listeners:
            listener.pop()

    def __call__(self, function: _F) -> _F:
        """Return a function that runs `function` within the range.

        Raises
        ------
        TypeError
            If `function` is a coroutine or a generator: the range would end
            when the object is created.
        """
        if (
            inspect.iscoroutinefunction(function)
            or inspect.isgeneratorfunction(function)
            or inspect.isasyncgenfunction(function)
        ):
            raise TypeError(
                "a range cannot be the decorator of a coroutine or a "
                "generator: use `with pycuda.profile.range(...)` in it"
            )
        return _wrapped(function, self)


def _wrapped(function: Any, named: Range) -> Any:
    @functools.wraps(function)
    def call(*arguments: Any, **keywords: Any) -> Any:
        if not _listeners:
            return function(*arguments, **keywords)
        with named:
            return function(*arguments, **keywords)

    return call


def range(name: str) -> Range:
    """Return a range with a name, for ``with`` or as a decorator.

    Parameters
    ----------
    name : str
        The name that the profiler shows.

    Returns
    -------
    Range

    Raises
    ------
    TypeError
        If `name` is not a str.

    Examples
    --------
    >>> import pycuda.profile
    >>> with pycuda.profile.record() as rows:
    ...     with pycuda.profile.range("step"):
    ...         pycuda.profile.mark("half")
    >>> [(row.name, row.depth) for row in rows]
    [('step', 0), ('half', 1)]
    >>> @pycuda.profile.range("solve")
    ... def solve():
    ...     return 1
    >>> solve()
    1
    """
    return Range(name)


def mark(name: str) -> None:
    """Mark a moment on the profiler's timeline.

    Parameters
    ----------
    name : str
        The name that the profiler shows.

    Examples
    --------
    >>> import pycuda.profile
    >>> pycuda.profile.mark("converged")
    """
    for listener in _listeners:
        listener.mark(name)


# ---- the recorder ----


@dataclass
class Record:
    """A range or mark that `record` has collected.

    Attributes
    ----------
    name : str
    begin, end : int
        Nanoseconds of `time.perf_counter_ns`; equal for a mark.  `end` is 0
        while the range has not ended.
    depth : int
        Number of ranges of the thread that enclose it.
    thread : int
        `threading.get_ident` of the thread.
    """

    name: str
    begin: int
    end: int = 0
    depth: int = 0
    thread: int = field(default_factory=threading.get_ident)

    @property
    def milliseconds(self) -> float:
        """Duration on the host, in milliseconds."""
        return (self.end - self.begin) / 1e6


class _Recorder:
    """Appends the ranges and marks of all threads to a list."""

    def __init__(self) -> None:
        self.rows: list[Record] = []
        self._local = threading.local()

    def _open(self) -> list[Record]:
        try:
            return self._local.open  # type: ignore[no-any-return]
        except AttributeError:
            self._local.open = []
            return self._local.open

    def push(self, name: str) -> None:
        stack = self._open()
        row = Record(name, time.perf_counter_ns(), depth=len(stack))
        stack.append(row)
        self.rows.append(row)

    def pop(self) -> None:
        stack = self._open()
        if stack:  # the stack is empty if the range began before the recording
            stack.pop().end = time.perf_counter_ns()

    def mark(self, name: str) -> None:
        now = time.perf_counter_ns()
        self.rows.append(Record(name, now, now, len(self._open())))


def _listen(listener: _Listener, on: bool) -> None:
    global _listeners
    with _lock:
        rest = tuple(other for other in _listeners if other is not listener)
        _listeners = (*rest, listener) if on else rest


@contextmanager
def record() -> Iterator[list[Record]]:
    """Collect the ranges and marks of all threads in a list.

    Yields
    ------
    list of Record
        In the order in which they began.

    Examples
    --------
    >>> import pycuda.autoinit
    >>> import pycuda.profile
    >>> from pycuda import gpuarray
    >>> x = gpuarray.zeros(4, "f")
    >>> with pycuda.profile.record() as rows, pycuda.profile.range("sum"):
    ...     total = (x + 1).sum().get()
    >>> rows[0].name, rows[0].milliseconds > 0
    ('sum', True)
    """
    recorder = _Recorder()
    _listen(recorder, True)
    try:
        yield recorder.rows
    finally:
        _listen(recorder, False)


# ---- operations of arrays ----

_DUNDERS = {
    f"__{prefix}{name}__"
    for name in (
        *("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul"),
        *("lshift", "rshift", "and", "xor", "or"),
    )
    for prefix in ("", "r", "i")
} | {
    f"__{name}__"
    for name in (
        *("lt", "le", "eq", "ne", "gt", "ge", "neg", "pos", "abs", "invert"),
        *("getitem", "setitem"),
    )
}
# Methods that NumPy calls so that a class of arrays implements a function.
_PROTOCOLS = ("__array_ufunc__", "__array_function__")
_annotated: dict[str, Any] = {}  # attributes of GPUArray that are wrapped
_MISSING = object()


def _operations() -> Iterator[tuple[str, Any]]:
    """Yield the names and functions of GPUArray's operations."""
    kind = gpuarray.GPUArray
    for name in dir(kind):
        # Reading some other names, such as __annotations__, would set them.
        if name.startswith("_") and name not in {*_DUNDERS, *_PROTOCOLS}:
            continue
        value = getattr(kind, name)
        if callable(value) and not isinstance(
            vars(kind).get(name), (classmethod, staticmethod)
        ):
            if isinstance(value, types.MethodType):
                continue  # a class method that the base class defines
            yield name, value


def _wrapped_protocol(method: Any) -> Any:
    """Return a method of `_PROTOCOLS` with ranges such as ``numpy.sin``."""

    @functools.wraps(method)
    def call(array: Any, function: Any, *rest: Any, **keywords: Any) -> Any:
        if not _listeners:
            return method(array, function, *rest, **keywords)
        with Range(f"numpy.{function.__name__}"):
            return method(array, function, *rest, **keywords)

    return call


def _annotation(name: str, value: Any) -> Any:
    if name in _PROTOCOLS:
        return _wrapped_protocol(value)
    return _wrapped(value, Range(f"GPUArray.{name}"))


def annotate_arrays(on: bool = True) -> None:
    """Turn ranges for the operations of arrays on or off.

    Operators and methods become ranges such as ``GPUArray.__add__`` and
    ``GPUArray.sum``, NumPy's functions of arrays ranges such as ``numpy.sin``.
    An operation that uses others encloses their ranges.  While this is on,
    each operation takes longer, by some tenths of a microsecond on the host;
    turning it off restores the original operations.

    Parameters
    ----------
    on : bool
        Whether operations of arrays are ranges from now on.

    Examples
    --------
    >>> import pycuda.autoinit
    >>> import pycuda.profile
    >>> from pycuda import gpuarray
    >>> x = gpuarray.zeros(4, "f")
    >>> pycuda.profile.annotate_arrays()
    >>> with pycuda.profile.record() as rows:
    ...     y = x + 1
    >>> pycuda.profile.annotate_arrays(False)
    >>> rows[0].name
    'GPUArray.__add__'
    """
    kind = gpuarray.GPUArray
    with _lock:
        if on and not _annotated:
            for name, value in list(_operations()):
                _annotated[name] = vars(kind).get(name, _MISSING)
                setattr(kind, name, _annotation(name, value))
        elif not on:
            for name, value in _annotated.items():
                if value is _MISSING:
                    delattr(kind, name)
                else:
                    setattr(kind, name, value)
            _annotated.clear()
