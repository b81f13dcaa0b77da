"""Calls of the system that the package's Python code makes.

Functions of `os` and `open` are replaced by ones that look at their caller;
a call from a file of the package is counted, and may fail.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import builtins
import importlib.util
import os
import sys
from collections import Counter
from collections.abc import Callable
from typing import Any

#: Folder of the package, which this does not import.
PACKAGE = os.path.dirname(
    (importlib.util.find_spec("pycuda") or sys).origin  # type: ignore
)

_NAMES = [
    "open",
    "read",
    "close",
    "stat",
    "fstat",
    "fdopen",
    "rename",
    "mkdir",
    "makedirs",
    "unlink",
    "utime",
    "listdir",
    "scandir",
]

_calls: Counter[tuple[str, int, str]] = Counter()
_originals: dict[Any, Callable[..., Any]] = {}
_target: tuple[str, int, str] | None = None
_nth = 0
_error = 0
_fired = 0


def _due(name: str, depth: int = 2) -> bool:
    """Count a call; whether it is to fail."""
    global _fired
    frame = sys._getframe(depth)
    path = frame.f_code.co_filename
    if not path.startswith(PACKAGE):
        return False
    key = (os.path.relpath(path, PACKAGE), frame.f_lineno, name)
    _calls[key] += 1
    if key != _target or _nth not in (0, _calls[key]):
        return False
    _fired += 1
    return True


def _failure() -> OSError:
    return OSError(_error, os.strerror(_error))


class _Stream:
    """A file whose writes may fail."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __enter__(self) -> _Stream:
        return self

    def __exit__(self, *rest: object) -> None:
        self._stream.close()

    def __iter__(self) -> Any:
        return iter(self._stream)

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._stream, name)
        if name not in ("write", "read", "flush"):
            return found

        def call(*arguments: Any) -> Any:
            if _due(name):
                raise _failure()
            return found(*arguments)

        return call


def _wrapped(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*arguments: Any, **named: Any) -> Any:
        if _due(name):
            if name == "close":
                function(*arguments)
            raise _failure()
        made = function(*arguments, **named)
        is_file = name in ("fdopen", "open") and not isinstance(made, int)
        return _Stream(made) if is_file else made

    return call


def arm(target: tuple[str, int, str] | None, nth: int, error: int) -> None:
    """Count calls from the package, and let call `nth` of `target` fail."""
    global _target, _nth, _error, _fired
    _target, _nth, _error, _fired = target, nth, error, 0
    _calls.clear()
    for name in _NAMES:
        _originals[os, name] = getattr(os, name)
        setattr(os, name, _wrapped(name, getattr(os, name)))
    _originals[builtins, "open"] = builtins.open
    builtins.open = _wrapped("open", builtins.open)  # type: ignore


def disarm() -> int:
    """Give the functions back; how many calls failed."""
    for (module, name), function in _originals.items():
        setattr(module, name, function)
    _originals.clear()
    return _fired


def sites() -> list[tuple[str, int, str, int]]:
    """File, line, function and number of calls of each site."""
    return [(*key, calls) for key, calls in _calls.items()]
