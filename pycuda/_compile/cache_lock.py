"""One compilation per cache entry and machine: a lock per entry.

Called by `job.cached` on a cache miss.  The lock of an entry is ``flock`` on
the file ``.<entry>.lock`` in the cache's folder, so the kernel releases it
when its owner dies.  The owner unlinks the file when it is done; the waiting
processes have the same file open and read there whether its compilation
failed.

Without a lock, processes compile the same kernel several times and write the
same entry, which is slow but correct.  Every failure therefore means "compile
without a lock": a file system without locks (some NFS mounts), a folder that
cannot be written, an owner that does not finish within the time limit.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import contextlib
import functools
import os
import time
from collections.abc import Callable, Iterator

from pycuda._compile import cache_trim, files
from pycuda._compile.warn import number_from_environment, warn_user

_DEFAULT = 120.0  # maximum wait for a lock, in seconds
# Pauses between two attempts to acquire a lock, in seconds: the first one, and
# the longest one.  The pause doubles after each attempt.
_FIRST_PAUSE = 0.002
_LAST_PAUSE = 0.05
_FAILED = b"failed"
_FLAGS = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW


def limit() -> float:
    """Return the seconds that a process waits for another one's compilation.

    PYCUDA_CACHE_WAIT sets them; 0 means that no locks are used.
    """
    return number_from_environment("PYCUDA_CACHE_WAIT", _DEFAULT, _warn_limit)


@functools.cache
def _warn_limit(text: str) -> None:
    warn_user(
        f"PYCUDA_CACHE_WAIT is {text!r}; it must be a number of seconds, or 0 "
        f"to compile without waiting for other processes. {_DEFAULT:g} s are "
        "used."
    )


class _Lock:
    """The lock file of one entry, open in this process."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.descriptor = os.open(path, _FLAGS, 0o600)

    def acquire(self) -> bool:
        """Take the lock; return False if another owner has it.

        Raises
        ------
        OSError
            If the file system has no locks.
        """
        # Imported here, because a cache hit needs no lock.
        import fcntl

        try:
            fcntl.flock(self.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def is_current(self) -> bool:
        """Return whether the path still names the open file."""
        ours = os.fstat(self.descriptor)
        try:
            named = os.stat(self.path, follow_symlinks=False)
        except FileNotFoundError:
            return False
        return (ours.st_dev, ours.st_ino) == (named.st_dev, named.st_ino)

    def has_failed(self) -> bool:
        """Return whether the owner of this file reported a failure."""
        return os.pread(self.descriptor, len(_FAILED), 0) == _FAILED

    def finish(self, *, failed: bool) -> None:
        """Unlink the file, then release the lock.

        The explicit unlock matters: a forked child has the same lock open.
        """
        import fcntl

        with contextlib.suppress(OSError):
            if failed:
                os.pwrite(self.descriptor, _FAILED, 0)
            os.unlink(self.path)
        with contextlib.suppress(OSError):
            fcntl.flock(self.descriptor, fcntl.LOCK_UN)

    def close(self) -> None:
        """Close the file, once; this also releases a lock."""
        if self.descriptor >= 0:
            os.close(self.descriptor)
        self.descriptor = -1


def _wait(
    path: str, load: Callable[[], bytes | None], seconds: float
) -> tuple[_Lock | None, bytes | None]:
    """Wait for the lock or the entry.

    Returns
    -------
    tuple
        The lock, or None; the entry's content, or None.  Both are None if the
        caller shall compile without the lock: the owner's compilation failed,
        or did not finish within `seconds`.
    """
    until = time.monotonic() + seconds
    pause = _FIRST_PAUSE
    lock = _Lock(path)
    try:
        while True:
            owned, current = lock.acquire(), lock.is_current()
            if owned and current:
                return lock, None
            failed = lock.has_failed()
            if failed or not current:  # the process that had the lock is done
                content = load()
                if failed or content is not None:
                    break
                lock.close()
                lock = _Lock(path)
            elif time.monotonic() > until:
                content = None
                break
            else:
                time.sleep(pause)
                pause = min(2 * pause, _LAST_PAUSE)
    except BaseException:
        lock.close()
        raise
    lock.close()
    return None, content


@contextlib.contextmanager
def only_one(
    folder: str, name: str, load: Callable[[], bytes | None]
) -> Iterator[bytes | None]:
    """Enter the body as the only process of this machine, if possible.

    Parameters
    ----------
    folder, name
        The entry's location.  The folder is created.
    load
        Reads the entry; called after another process has released the lock.

    Yields
    ------
    bytes or None
        The entry, made by another process.  None: the body shall make it.
    """
    lock, content = None, None
    seconds = limit()
    if seconds > 0:
        try:
            files.make_folder(folder)
            path = os.path.join(folder, cache_trim.lock_name(name))
            lock, content = _wait(path, load, seconds)
        except (OSError, ValueError):
            # no lock can be taken, for example because the file system has
            # none: the caller compiles without a lock
            pass
    if lock is None:
        yield content
        return
    try:
        # The previous owner of the lock may have stored the entry.
        yield load()
    finally:
        # No entry exists if the compilation failed or if the entry could not
        # be stored. The waiting processes then compile at the same time, not
        # one after the other.
        stored = os.path.exists(os.path.join(folder, name))
        lock.finish(failed=not stored)
        lock.close()
