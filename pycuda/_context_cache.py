"""Caches with one entry per context, which are freed with the context."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable
from typing import Any, TypeVar

from pycuda import _driver

_Function = TypeVar("_Function", bound=Callable[..., Any])


def by_context(function: _Function) -> _Function:
    """Cache results of `function` for each context and set of arguments.

    Each context owns its results, which are freed with the context.
    """

    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        results = _driver._context_results()
        key: tuple = (function, args)
        if kwargs:
            key = (*key, frozenset(kwargs.items()))
        try:
            return results[key]
        except KeyError:
            result = results[key] = function(*args, **kwargs)
            return result

    return wrapper  # type: ignore


class ByContext(dict["Any", "Any"]):
    """A dict whose keys are tuples that begin with a context.

    It keeps these contexts alive until they are detached.
    """

    __hash__ = object.__hash__  # type: ignore

    def __init__(self) -> None:
        _dicts.add(self)


_dicts: weakref.WeakSet[ByContext] = weakref.WeakSet()


def _forget(context: Any) -> None:
    for known in list(_dicts):
        for key in list(known):
            if key[0] is context:
                known.pop(key, None)


_driver._set_context_end(_forget)
