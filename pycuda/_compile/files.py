"""Reads regular files completely, from trusted owners if needed.

Called by `cache`, `includes`, `options` and `gpuarray.load`.  Reading a pipe
or a device in place of a file would never end; another user's file in the
cache would be executed.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import contextlib
import os
import stat
from typing import BinaryIO

# Error numbers of Linux: importing the module errno would slow the start.
_EPERM, _EISDIR, _EINVAL, _EFBIG, _ENAMETOOLONG = 1, 21, 22, 27, 36
_FLAGS = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK
_CACHE_MOST = 1 << 30  # bytes


class Untrusted(OSError):
    """A cache file that another user wrote, or could have written."""


def _regular(descriptor: int, path: str) -> os.stat_result:
    status = os.fstat(descriptor)
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(_EISDIR, os.strerror(_EISDIR), path)
    if not stat.S_ISREG(status.st_mode):
        raise OSError(_EINVAL, "not a regular file", path)
    return status


def _content(descriptor: int, size: int) -> bytes:
    """Read an open file; `size` bytes first."""
    parts = []
    while part := os.read(descriptor, size + 1):
        parts.append(part)
    return b"".join(parts)


def read_regular(path: str, most: int | None = None) -> bytes:
    """Return the content of a regular file.

    Raises
    ------
    OSError
        If it cannot be read, is larger than `most` bytes, or is a folder, a
        pipe, a socket or a device.
    """
    descriptor = os.open(path, _FLAGS)
    try:
        size = _regular(descriptor, path).st_size
        if most is not None and size > most:
            raise OSError(_EFBIG, f"larger than {most} bytes", path)
        return _content(descriptor, size)
    finally:
        os.close(descriptor)


def open_regular(path: str) -> BinaryIO:
    """Open a regular file for reading.

    Raises
    ------
    OSError
        If it cannot be opened, or is a folder, a pipe, a socket or a device.
    """
    descriptor = os.open(path, _FLAGS)
    try:
        _regular(descriptor, path)
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def others_can_write(status: os.stat_result, user: int) -> bool:
    """Return whether users other than `user` and root may write.

    A group whose number is the user's is considered private.
    """
    group = status.st_mode & stat.S_IWGRP and status.st_gid != user
    return bool(group or status.st_mode & stat.S_IWOTH)


def _check_owner(status: os.stat_result, path: str, owner: int | None) -> None:
    if status.st_uid not in (os.geteuid(), 0, owner):
        raise Untrusted(_EPERM, f"it belongs to user {status.st_uid}", path)


def read_trusted(path: str, owner: int | None = None) -> tuple[bytes, float]:
    """Return the content and modification time of a cache file.

    Parameters
    ----------
    path
        The file.  It must belong to the user, to root or to `owner`, and
        must not be writable by anyone else.
    owner
        Number of another user that is trusted.

    Returns
    -------
    tuple
        Content, and seconds since the epoch.

    Raises
    ------
    Untrusted
        If the file is another user's.
    OSError
        If it cannot be read, or is no regular file of at most 1 GiB.
    """
    try:
        descriptor = os.open(path, _FLAGS)
    except OSError:  # The file is a socket, or the user may not read it.
        with contextlib.suppress(FileNotFoundError):
            _check_owner(os.lstat(path), path, owner)
        raise
    try:
        status = os.fstat(descriptor)
        _check_owner(status, path, owner)
        status = _regular(descriptor, path)
        if others_can_write(status, status.st_uid):
            raise Untrusted(_EPERM, "other users can write to it", path)
        if status.st_size > _CACHE_MOST:
            raise OSError(_EFBIG, "larger than 1 GiB", path)
        return _content(descriptor, status.st_size), status.st_mtime
    finally:
        os.close(descriptor)


def folder_trouble(folder: str, owner: int | None = None) -> str | None:
    """Return why files of a cache folder must not be executed, or None.

    Whoever can write to a folder, or replace it, chooses its files.  A group
    that can write to a folder above is accepted, as project folders are often
    shared: files of another member are refused by their owner.

    Parameters
    ----------
    folder
        The folder.  One that does not exist is no trouble.
    owner
        Number of another user that is trusted.
    """
    try:
        path = os.path.realpath(folder)
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    if status.st_uid not in (os.geteuid(), 0, owner):
        return f"{path!r} belongs to user {status.st_uid}"
    sticky = status.st_mode & stat.S_ISVTX
    if others_can_write(status, status.st_uid) and not sticky:
        return f"other users can write to {path!r}"
    while (parent := os.path.dirname(path)) != path:
        path = parent
        mode = os.stat(path).st_mode
        if mode & stat.S_IWOTH and not mode & stat.S_ISVTX:
            return f"other users can write to {path!r}"
    return None


def trusted_owner(folder: str) -> int | None:
    """Return the owner of a folder if only the owner can write to it.

    The user named the folder: the owner's files in it are as trustworthy as
    that choice.
    """
    try:
        status = os.stat(folder)
    except (OSError, ValueError):
        return None
    writable = others_can_write(status, status.st_uid)
    return None if writable else status.st_uid


def is_private(folder: str) -> bool:
    """Return whether only the user and root can write to or replace a folder.

    Checks its parent folders, too; a sticky folder protects its entries.
    """
    user = os.geteuid()
    path = os.path.realpath(folder)
    while True:
        status = os.stat(path)
        if status.st_uid not in (user, 0):
            return False
        sticky = status.st_mode & stat.S_ISVTX
        if others_can_write(status, user) and not sticky:
            return False
        parent = os.path.dirname(path)
        if parent == path:
            return True
        path = parent


def encode(text: str) -> bytes:
    """Return UTF-8; surrogates stand for other bytes of a file's name."""
    return text.encode("utf-8", "surrogateescape")


def decode(content: bytes) -> str:
    """Return the text for UTF-8 bytes; the inverse of `encode`."""
    return content.decode("utf-8", "surrogateescape")


def current_folder() -> str:
    """Return the current folder; ``.`` if it has been removed."""
    try:
        return os.getcwd()
    except OSError:
        return os.curdir


def absolute(path: str) -> str:
    """Return the absolute path, or `path` without a current folder."""
    return os.path.normpath(os.path.join(current_folder(), path))


def make_folder(path: str) -> None:
    """Make a folder and its parents.

    Raises
    ------
    OSError
        If that fails.  (`os.makedirs` recurses: a path of thousands of parts
        would raise RecursionError.)
    """
    missing = []
    path = absolute(path)
    while not os.path.isdir(path):
        missing.append(path)
        parent = os.path.dirname(path)
        if parent == path or len(path) > os.pathconf("/", "PC_PATH_MAX"):
            raise OSError(_ENAMETOOLONG, "the path is too long", path)
        path = parent
    for folder in reversed(missing):
        try:
            os.mkdir(folder, 0o755)  # only the owner may write to it
        except FileExistsError:  # Another process has made the folder.
            if not os.path.isdir(folder):
                raise
