"""Arrays in files of NumPy's formats: .npy and .npz."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Callable, Iterator
from typing import IO, TYPE_CHECKING, Any

import numpy as np

import pycuda.driver as drv
from pycuda._array.common import check_array
from pycuda._array.constructors import upload
from pycuda._compile.files import open_regular

if TYPE_CHECKING:
    from pycuda.gpuarray import GPUArray


def _fetched(arr: Any, name: str) -> np.ndarray:
    """Return a host copy of a dtype that the file format supports."""
    host = check_array(arr, name).get()
    if host.dtype.kind == "V" and host.dtype.names is None and (
        host.dtype.type is not np.void
    ):  # fmt: skip
        raise TypeError(
            f"numpy's files cannot name dtype {host.dtype}: save the array "
            "as another with astype(), or its bytes with view()"
        )
    return host


@contextlib.contextmanager
def _writing(file: Any, function: str, size: int) -> Iterator[None]:
    """Add the file and its size to errors of writing.

    NumPy's errors for a full disk name neither, and some have no errno.
    Errors of opening a file name it already.
    """
    try:
        yield
    except OSError as error:
        if error.filename is not None:
            raise
        reason = error.strerror or str(error)
        text = (
            f"gpuarray.{function} cannot write {size} bytes of arrays to "
            f"{_shown(file)}: {reason}; make room there, or save to another "
            "place"
        )
        if error.errno is None:
            raise OSError(text) from error
        raise OSError(error.errno, text) from error


def save(file: Any, arr: GPUArray) -> None:
    """Save an array as ``numpy.save`` does, in the same axis order.

    Parameters
    ----------
    file
        Path, or binary stream.
    arr
        Array on the device; waits for it.

    Raises
    ------
    OSError
        If the file cannot be written; the message names it.
    """
    host = _fetched(arr, "arr")
    with _writing(file, "save", host.nbytes):
        np.save(file, host, allow_pickle=False)


def savez(file: Any, *args: GPUArray, **kwds: GPUArray) -> None:
    """Save several arrays in one file, as ``numpy.savez`` does.

    Parameters
    ----------
    file
        Path, or binary stream.
    *args, **kwds
        The arrays; those without a keyword are named arr_0, arr_1, ...

    Raises
    ------
    OSError
        If the file cannot be written; the message names it.
    """
    hosts = [_fetched(arr, "each operand") for arr in args]
    named = {name: _fetched(arr, name) for name, arr in kwds.items()}
    size = sum(host.nbytes for host in [*hosts, *named.values()])
    with _writing(file, "savez", size):
        np.savez(file, *hosts, **named)


_BEGINNINGS = (b"\x93NUMPY", b"PK\x03\x04", b"PK\x05\x06")
_EXPECTED = "expected a file of numpy.save (.npy) or numpy.savez (.npz)"


def _shown(file: Any) -> str:
    """Return the file's name for error messages: its path, else its type."""
    if not isinstance(file, (str, bytes, os.PathLike)):
        file = getattr(file, "name", None)
        if not isinstance(file, (str, bytes)):
            return "the file object"
    return repr(os.fsdecode(file))


@contextlib.contextmanager
def _explained(name: str) -> Iterator[None]:
    """Convert the many errors of NumPy and zipfile to those of `load`.

    A damaged header can raise a dozen types, from SyntaxError to zlib.error.
    Errors of the operating system pass unchanged: they contain the cause and a
    path.
    """
    try:
        yield
    except EOFError as error:
        raise EOFError(f"{name}: {error}; {_EXPECTED}") from error
    except MemoryError as error:
        raise MemoryError(f"{name}: {error}") from error
    except Exception as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        reason = str(error) or type(error).__name__
        raise ValueError(
            f"{name} cannot be read: {reason}; {_EXPECTED}"
        ) from error


def _check_beginning(stream: IO[bytes], name: str) -> None:
    """Raise ValueError for other formats; keep the stream's position."""
    if isinstance(stream, io.TextIOBase):
        raise TypeError(f"{name} is open as text; open it in mode 'rb'")
    found = stream.read(6)
    stream.seek(-len(found), 1)
    if not found:
        raise EOFError(f"{name} has no data at its position; {_EXPECTED}")
    if not found.startswith(_BEGINNINGS):
        raise ValueError(f"{name} begins with {found!r}; {_EXPECTED}")


def read_arrays(
    stream: IO[bytes], name: str
) -> Iterator[tuple[str | None, np.ndarray]]:
    """Yield the arrays in a .npy or .npz file.

    Parameters
    ----------
    stream
        Binary stream that can seek.
    name
        The file's name in messages.

    Yields
    ------
    tuple
        An array's name in the file, None in a .npy file, and the array.

    Raises
    ------
    ValueError, EOFError, MemoryError
        If the file is damaged, truncated or of another format, or holds
        Python objects: with the file's name and the expected content.
    OSError
        If it cannot be read.
    """
    _check_beginning(stream, name)
    with _explained(name):
        found = np.load(stream, allow_pickle=False)
    if isinstance(found, np.ndarray):
        yield None, found
        return
    with found:
        for member in found.files:
            with _explained(f"{member!r} in {name}"):
                array = found[member]
            if not isinstance(array, np.ndarray):
                raise ValueError(
                    f"{member!r} in {name} is no array; {_EXPECTED}"
                )
            yield member, array


def load(file: Any, allocator: Callable[..., Any] = drv.mem_alloc) -> Any:
    """Load an array, or a dict of arrays, that `save` or `savez` wrote.

    Files that NumPy wrote can be read, unless they hold Python objects.

    Parameters
    ----------
    file
        Path, or binary stream that can seek.
    allocator
        Allocates the arrays' memory on the device.

    Returns
    -------
    GPUArray or dict
        The array of a .npy file, or the arrays of a .npz file by name.

    Raises
    ------
    ValueError
        If the file is of another format, damaged or truncated, or holds
        Python objects.
    EOFError
        If it is empty, or the stream is at its end.
    OSError
        If it cannot be opened or read, or is no regular file.
    """
    name = f"gpuarray.load: {_shown(file)}"
    with contextlib.ExitStack() as opened:
        stream = file
        if not hasattr(file, "read"):
            stream = opened.enter_context(open_regular(os.fspath(file)))
        arrays = {
            member: upload(array, allocator)
            for member, array in read_arrays(stream, name)
        }
    return arrays.get(None, arrays)
