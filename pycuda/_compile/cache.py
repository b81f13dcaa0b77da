"""Compiled images on disk.

Called by `pycuda.compiler`.  An entry is one file, named

    <hash of the request>-<hash of the compiler>.<kind>

with strong hashes.  It is written under a temporary name and renamed, and
begins with a checksum of its key and content.  Therefore many processes may
share one cold cache, on NFS too, and an incomplete, damaged or misplaced entry
is a miss.  Writers do not wait for the disk: after a crash of the machine,
entries may be incomplete.  Entries are executed, so an entry that another user
wrote or could change is a miss, with one warning; root's entries are accepted.
Read-only folders (PYCUDA_CACHE_READONLY) are searched first; there, entries of
any compiler and of the folder's owner are accepted.  `cache_trim` limits the
size.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import contextlib
import functools
import os
import time

from pycuda._compile import cache_trim, files, identity
from pycuda._compile.warn import warn_user

_MAGIC = b"PYCUDAC2"
_DIGEST = 32
_DEFAULT = "compiler-cache-v1"
_TOUCHED_EVERY = 86400.0  # seconds


def directory(cache_dir: object) -> str | None:
    """Return the cache's folder by PyCUDA's rules, None if it is off.

    PYCUDA_DISABLE_CACHE overrides the argument, which overrides
    PYCUDA_CACHE_DIR, which overrides the user's cache folder.  `False` turns
    the cache off.
    """
    if "PYCUDA_DISABLE_CACHE" in os.environ or cache_dir is False:
        return None
    if cache_dir is not None:
        return os.fspath(cache_dir)  # type: ignore[arg-type]
    named = os.environ.get("PYCUDA_CACHE_DIR")
    if named:
        return named
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.path.join(base, "pycuda-c", _DEFAULT)


def shipped_folders() -> list[str]:
    """Return the read-only folders in search order."""
    named = os.environ.get("PYCUDA_CACHE_READONLY", "")
    return [folder for folder in named.split(os.pathsep) if folder]


def _checksum(name: str, content: bytes) -> bytes:
    """Return the checksum of an entry's key and content.

    The key is the part of `name` before the compiler's hash.
    """
    state = identity.blake2b(name.partition("-")[0].encode(), digest_size=32)
    state.update(content)
    return state.digest()


def check(name: str, entry: bytes) -> bytes | None:
    """Return the content of the entry `name`, None if it is damaged."""
    head = len(_MAGIC) + _DIGEST
    if entry[: len(_MAGIC)] != _MAGIC or len(entry) < head:
        return None
    content = entry[head:]
    whole = _checksum(name, content) == entry[len(_MAGIC) : head]
    return content if whole else None


def read(
    folder: str, name: str, touch: bool = False, owner: int | None = None
) -> bytes | None:
    """Return the content of one entry, None if no intact one exists.

    Parameters
    ----------
    folder, name
        Location of the entry.
    touch
        Renew its time now and then, so that `cache_trim` keeps it.
    owner
        User whose entries are accepted besides the caller's and root's.
    """
    path = os.path.join(folder, name)
    try:
        entry, used = files.read_trusted(path, owner)
    except files.Untrusted as error:
        _warn_untrusted(folder, path, str(error.strerror))
        return None
    except (OSError, ValueError):
        return None
    content = check(name, entry)
    if touch and content is not None and time.time() - used > _TOUCHED_EVERY:
        with contextlib.suppress(OSError):
            os.utime(path)
    return content


def load(
    folder: str, keys: list[str], compiler: str, kind: str
) -> bytes | None:
    """Return the entry of the first of `keys` that has one, or None.

    Read-only folders may have it under any of the keys.
    """
    for shipped in shipped_folders():
        owner = files.trusted_owner(shipped)
        if not is_trusted(shipped, owner):
            continue
        for key in keys:
            for name in [
                f"{key}-{compiler}.{kind}",
                *_entries_of_all_compilers(shipped, key),
            ]:
                if name.endswith(f".{kind}"):
                    content = read(shipped, name, owner=owner)
                    if content is not None:
                        return content
    if not is_trusted(folder):
        return None
    return read(folder, f"{keys[0]}-{compiler}.{kind}", touch=True)


def _entries_of_all_compilers(folder: str, key: str) -> list[str]:
    """Return entries of `key` in a read-only folder, of any compiler."""
    try:
        date = os.stat(folder).st_mtime_ns
    except (OSError, ValueError):
        return []
    return _listing(folder, date).get(key, [])


@functools.lru_cache(maxsize=8)
def _listing(folder: str, date: int) -> dict[str, list[str]]:
    """Return the names in `folder` by key, cached for each `date` of it."""
    found: dict[str, list[str]] = {}
    with contextlib.suppress(OSError):
        for name in sorted(os.listdir(folder)):
            found.setdefault(name.partition("-")[0], []).append(name)
    return found


def _write_new(path: str, content: bytes) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    descriptor = os.open(path, flags, 0o644)
    try:
        stream = os.fdopen(descriptor, "wb")
    except BaseException:
        os.close(descriptor)
        raise
    with stream:
        stream.write(content)


def write(folder: str, name: str, content: bytes) -> None:
    """Write one entry to `folder` atomically.

    Raises
    ------
    OSError
        If that fails; no partial file remains.
    """
    temporary = os.path.join(folder, cache_trim.temporary_name(name))
    try:
        _write_new(temporary, _MAGIC + _checksum(name, content) + content)
        os.rename(temporary, os.path.join(folder, name))
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def store(
    folder: str, key: str, compiler: str, kind: str, content: bytes
) -> None:
    """Store `content`; if that fails, warn once and continue without."""
    if not is_trusted(folder):
        return
    try:
        files.make_folder(folder)
        write(folder, f"{key}-{compiler}.{kind}", content)
    except (OSError, ValueError) as error:
        # str(error) of an OSError contains the name of the temporary file, so
        # that each warning would differ from those before.
        _warn_once(folder, getattr(error, "strerror", None) or str(error))
        return
    most = cache_trim.limit()
    if cache_trim.is_due():
        cache_trim.run(folder, most)


def is_trusted(folder: str, owner: int | None = None) -> bool:
    """Return whether a folder's files may be executed; if not, warn once."""
    try:
        status = os.stat(folder)
    except (OSError, ValueError):
        # The folder does not exist or cannot be examined: the attempt to use
        # it reports the problem.
        return True
    key = (folder, status.st_ino, status.st_mode, status.st_uid, owner)
    trouble = _folder_trouble(*key)
    if trouble is not None and folder not in _untrusted:
        _untrusted.add(folder)
        warn_user(
            f"The folder of compiled kernels {folder!r} is not used, because "
            f"{trouble}. Images in the cache are executed, so no other user "
            "may write to their folder or replace it. Change the mode, or set "
            "PYCUDA_CACHE_DIR to a folder of your own."
        )
    return trouble is None


@functools.lru_cache(maxsize=32)
def _folder_trouble(
    folder: str, inode: int, mode: int, user: int, owner: int | None
) -> str | None:
    """Return `files.folder_trouble`, cached until the folder changes."""
    return files.folder_trouble(folder, owner)


_untrusted: set[str] = set()  # folders for which a warning was given


def _warn_untrusted(folder: str, path: str, reason: str) -> None:
    if folder in _untrusted:
        return
    _untrusted.add(folder)
    warn_user(
        f"The compiled kernel {path!r} is not used, because {reason}; the "
        "kernel is compiled again. Images in the cache are executed, so they "
        "must belong to you or to root, and no one else may write to them. "
        "Remove the file, or set PYCUDA_CACHE_DIR to a folder of your own."
    )


@functools.cache
def _warn_once(folder: str, reason: str) -> None:
    warn_user(
        f"Compiled kernels are not kept: cannot write to {folder!r} "
        f"({reason}). Set PYCUDA_CACHE_DIR to a folder that can be written, "
        "or PYCUDA_DISABLE_CACHE=1 to silence this."
    )
