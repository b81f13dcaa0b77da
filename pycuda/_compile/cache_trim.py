"""Limits the size of the cache's folder by removing the oldest entries.

Called by `cache` after some of its writes, and by ``python -m
pycuda.compiler``.  Several processes may do it at the same time: each unlinks
whole files, and a process that misses one compiles it again.  Files that a
killed writer left are removed when they are an hour old.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import functools
import os
import re
import time
from typing import NamedTuple

from pycuda._compile.warn import number_from_environment, warn_user

_DEFAULT_MIB = 1024.0
_ONCE_IN = 50  # average number of writes from one trim to the next
_KEPT = 0.8  # fraction of the limit that remains after a trim
_TEMPORARY_LIFE = 3600.0  # seconds
_ENTRY = re.compile(
    r"[0-9a-f]{16,}-[0-9a-f]*\.(?:named-)?(?:cubin|ptx|fatbin)"
)
_TEMPORARY = re.compile(r"\.[0-9a-f]{16,}-\S*\.(?:tmp|lock)")


class Entry(NamedTuple):
    """One file of the cache."""

    used: float  # seconds since the epoch
    size: int  # bytes
    name: str


def temporary_name(name: str) -> str:
    """Name under which the entry `name` is written at first."""
    return f".{name}.{os.getpid()}.{os.urandom(8).hex()}.tmp"


def lock_name(name: str) -> str:
    """Name of the file whose lock `cache_lock` takes to make an entry."""
    return f".{name}.lock"


def is_due() -> bool:
    """Return whether the size is to be checked after this write."""
    return int.from_bytes(os.urandom(4)) % _ONCE_IN == 0


def limit() -> int | None:
    """Return the cache's size limit by PYCUDA_CACHE_SIZE; None: no limit.

    PYCUDA_CACHE_SIZE is in MiB, the result in bytes.
    """
    mib = number_from_environment(
        "PYCUDA_CACHE_SIZE", _DEFAULT_MIB, _warn_size
    )
    return int(mib * 2**20) if 0 < mib < 2**40 else None


@functools.cache
def _warn_size(text: str) -> None:
    warn_user(
        f"PYCUDA_CACHE_SIZE is {text!r}; it must be a number of MiB, or 0 for "
        f"no limit. The limit is {_DEFAULT_MIB:g} MiB."
    )


def entries(folder: str) -> list[Entry]:
    """Return the entries of `folder`, least recently used first."""
    found = []
    for name in _names(folder):
        if _ENTRY.fullmatch(name):
            try:
                status = os.stat(os.path.join(folder, name))
            except OSError:
                continue  # Another process has removed the file.
            found.append(Entry(status.st_mtime, status.st_size, name))
    return sorted(found)


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except (OSError, ValueError):
        return []


def run(folder: str, most: int | None) -> int:
    """Remove entries beyond `most` bytes; return their number."""
    removed = _remove_abandoned(folder)
    if most is None:
        return removed
    present = entries(folder)
    total = sum(entry.size for entry in present)
    if total <= most:
        return removed
    for entry in present:
        if total <= most * _KEPT:
            break
        removed += _unlink(os.path.join(folder, entry.name))
        total -= entry.size
    return removed


def _remove_abandoned(folder: str) -> int:
    """Remove files that killed writers left."""
    removed = 0
    for name in _names(folder):
        path = os.path.join(folder, name)
        if not _TEMPORARY.fullmatch(name):
            continue
        try:
            age = time.time() - os.stat(path).st_mtime
        except OSError:
            continue
        if age > _TEMPORARY_LIFE:
            removed += _unlink(path)
    return removed


def _unlink(path: str) -> int:
    try:
        os.unlink(path)
    except OSError:
        return 0
    return 1
