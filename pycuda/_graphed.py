"""`pycuda.driver.graphed`: a Python function whose launches are replayed.

The first call for some arguments captures what the function issues as a
graph; each further call with the same arguments launches the graph and runs
nothing of the function.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import _thread
import collections
import functools
import inspect
import types
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from pycuda import _driver
from pycuda._driver import ArrayBase


class _Recording(NamedTuple):
    graph: Any  # the executable graph of the captured work
    result: Any
    # Keeps the arguments alive: they are recognised by address or identity.
    arguments: tuple


def _host_part(value: np.ndarray) -> tuple:
    return (
        "host", value.ctypes.data, value.shape, value.strides, value.dtype.str
    )  # fmt: skip


def _part(value: Any, where: str) -> Any:
    """Return the part of an argument that selects a graph, as a key."""
    kind = type(value)
    if isinstance(value, ArrayBase):
        return (kind, *_driver._identity(value))
    if isinstance(value, np.ndarray):
        return _host_part(value)
    if isinstance(value, np.generic | float | complex):
        # 0.0 and -0.0 are equal and NaN is not equal to itself, so bytes are
        # compared.
        return (kind, np.asarray(value).tobytes())
    if isinstance(value, tuple | list):
        return (kind, *(_part(item, where) for item in value))
    if isinstance(value, dict):
        return (kind, *((k, _part(v, where)) for k, v in value.items()))
    try:
        hash(value)
    except TypeError:
        raise TypeError(
            f"{where} is a {kind.__name__}, which is not hashable, so it "
            "cannot select a captured graph; pass arrays, numbers, strings, "
            "or tuples, lists and dicts of them"
        ) from None
    return (kind, value)


class Graphed:
    """A function that `graphed` wraps.

    Attributes
    ----------
    captures : int
        Number of calls so far that ran the function and captured a graph.
    """

    def __init__(self, function: Callable[..., Any], maxsize: int) -> None:
        functools.update_wrapper(self, function)
        self._function = function
        self._maxsize = maxsize
        self._lock = _thread.RLock()
        self._recordings: collections.OrderedDict[Any, _Recording] = (
            collections.OrderedDict()
        )
        self.captures = 0

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        current = _driver.current_stream()
        if current is not None and current.is_capturing:
            return self._function(*args, **kwargs)
        key = self._key(args, kwargs)
        with self._lock:
            found = self._recordings.get(key)
            if found is None:
                found = self._record(key, args, kwargs)
            else:
                self._recordings.move_to_end(key)
            found.graph.launch()
        return found.result

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else types.MethodType(self, instance)

    def _key(self, args: tuple, kwargs: dict) -> tuple:
        name = self.__name__
        parts = [
            _part(value, f"argument {k} of {name}()")
            for k, value in enumerate(args)
        ]
        parts += [
            (word, _part(value, f"argument {word} of {name}()"))
            for word, value in sorted(kwargs.items())
        ]
        return (id(_driver.Context.get_current()), len(args), *parts)

    def _record(self, key: tuple, args: tuple, kwargs: dict) -> _Recording:
        # a new stream, since other code may use the default stream
        stream = _driver.Stream(1)
        result = None
        try:
            with stream.capture() as graph:
                result = self._function(*args, **kwargs)
        except _driver.Error as error:
            raise type(error)(
                f"{self.__name__}() cannot be replayed as a graph: {error}. "
                "The function must not wait for the device, read its data "
                "or copy synchronously"
            ) from error
        if graph.node_count == 0:
            raise _driver.LogicError(
                f"{self.__name__}() cannot be replayed as a graph: it "
                "enqueued no work on the current stream"
            )
        if inspect.isawaitable(result) or inspect.isgenerator(result):
            raise TypeError(
                f"{self.__name__}() is a generator or coroutine, which "
                "cannot be replayed as a graph"
            )
        context = _driver.Context.get_current()
        references = (args, kwargs, context, stream)
        recording = _Recording(graph, result, references)
        self._recordings[key] = recording
        self.captures += 1
        while len(self._recordings) > self._maxsize:
            self._recordings.popitem(last=False)
        return recording

    def clear(self) -> None:
        """Drop all graphs, and the references that they hold."""
        with self._lock:
            self._recordings.clear()


def graphed(
    function: Callable[..., Any] | None = None, *, maxsize: int = 16
) -> Any:
    """Decorate a function so that its launches are replayed as a graph.

    The first call with some arguments runs the function and captures the work
    that it issues on the current stream.  That call and each later one with
    the same arguments launch the graph on the current stream.

    Parameters
    ----------
    function
        Issues work on the current stream: launches without ``stream=``, array
        operations, asynchronous copies.  It does not run again for the same
        arguments, so its other effects happen once.
    maxsize
        Maximum number of graphs; the least recently used one is evicted.

    Returns
    -------
    Graphed
        Called like the function.  Every replay returns the result of the
        capture: the same arrays, with new contents.

    Raises
    ------
    LogicError
        At a call: the function waits for the device, reads its data, or
        issues nothing.
    TypeError
        At a call: an argument is of a type whose objects cannot be compared.
    ValueError
        If `maxsize` is below 1.

    Notes
    -----
    Arrays are the same if they are the same memory with the same shape,
    strides and dtype; this includes host arrays, whose contents each replay
    reads again.  Numbers, strings and containers are the same if they are
    equal; functions and other objects if they are identical.
    """
    if function is None:
        return functools.partial(graphed, maxsize=maxsize)
    if not callable(function):
        raise TypeError(
            f"graphed expects a function, not {type(function).__name__}"
        )
    if maxsize < 1:
        raise ValueError(f"maxsize must be 1 or more, not {maxsize}")
    return Graphed(function, maxsize)
