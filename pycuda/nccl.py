"""Collective operations of several devices, by NCCL.

A communicator joins ranks; each rank has a device and is a process or a
thread::

    from mpi4py import MPI
    import pycuda.mpi
    from pycuda import nccl

    context = pycuda.mpi.context()
    comm = nccl.Communicator.from_mpi(MPI.COMM_WORLD)
    total = comm.all_reduce(part)

On the CPU device the same calls work between processes and threads of one
machine, and calls that do not match are reported.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import contextlib
import functools
import operator
import os
import threading
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

import numpy as np

import pycuda.driver as drv
from pycuda import _driver, gpuarray
from pycuda._nccl import types
from pycuda._nccl.failures import CommunicationError

__all__ = [
    "CommunicationError",
    "Communicator",
    "group",
    "init_all",
    "library",
    "unique_id",
    "version",
]

_DEFAULT_TIMEOUT = 600.0  # seconds
#: Whether calls are observed even if the library has a time limit; for tests.
_OBSERVE = False


def library() -> str:
    """Return the path of the NCCL library in use."""
    return _driver._nccl_open()[0]


def version() -> tuple[int, int, int]:
    """Return the version of the NCCL library."""
    number = _driver._nccl_open()[1]
    if number < 10000:  # a version before 2.9
        return number // 1000, number // 100 % 10, number % 100
    return number // 10000, number // 100 % 100, number % 100


def unique_id() -> bytes:
    """Return the id of a new communicator.

    One rank calls this and passes the id to all ranks, by mpi4py, a file or
    another way. The process must not end before all ranks have joined.
    """
    return _driver._nccl_unique_id()


_Function = TypeVar("_Function", bound=Callable[..., Any])


def _fast(
    function: _Function, group: type[_driver._NcclGroup] | None = None
) -> _Function:
    """Give a function its fast path in C (`src/array/fast_collective.c`)."""
    made = _driver.FastCollective(function, function.__name__, group)
    return cast("_Function", functools.update_wrapper(made, function))


class _Group(_driver._NcclGroup, contextlib.ContextDecorator):
    """A group of operations; also a decorator of functions."""


def group() -> contextlib.AbstractContextManager[None]:
    """Issue the calls inside together.

    Sends and receives of a group progress at the same time, so that ranks can
    exchange arrays. Operations on several communicators of one thread must be
    in a group. The arrays are ready, in stream order, after the group.
    """
    return _Group()


group = _fast(group, _Group)


def _int32(name: str, value: Any) -> int:
    """Return an argument as a number that C's int can hold."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(
            f"{name} must be an integer, not {type(value).__name__}"
        ) from None
    if not -(2**31) <= number < 2**31:
        raise ValueError(f"{name} does not fit an integer of 32 bits")
    return number


def _timeout(given: float | None) -> float:
    text = os.environ.get("PYCUDA_NCCL_TIMEOUT", "")
    if given is None and text:
        try:
            given = float(text)
        except ValueError:
            given = -1.0
        if not given > 0:
            raise ValueError(
                f"PYCUDA_NCCL_TIMEOUT is {text!r}; it must be a positive "
                "number of seconds"
            )
    given = _DEFAULT_TIMEOUT if given is None else given
    try:
        seconds = float(given)
    except (TypeError, ValueError):
        raise TypeError(
            f"timeout must be a number of seconds, not {type(given).__name__}"
        ) from None
    except OverflowError:
        raise ValueError("timeout is too large") from None
    if not seconds > 0:
        raise ValueError(f"timeout must be positive, not {seconds}")
    return seconds


class Communicator:
    """A rank of a communicator, in the current context.

    The context must be the primary one of its device
    (`pycuda.autoprimaryctx`, `pycuda.mpi.context`).

    The operations take arrays on the device of any layout. They follow the
    work of the current stream, or of `stream`, and later work of that stream
    follows them; they may be captured in graphs. `recv` may be the array that
    is sent; without it, a new array is returned. `op` is "sum", "prod",
    "max", "min" or "avg", or a result of `scaled_sum`. All ranks make the
    same calls in the same order.

    Parameters
    ----------
    size
        Number of ranks.
    rank
        Number of this rank, from 0.
    id
        The result of `unique_id` on one rank, passed to all ranks. The call
        waits until all ranks have made it.
    timeout
        Seconds after which an operation that is not complete is an error.
        Default: PYCUDA_NCCL_TIMEOUT, or 600.
    """

    def __init__(
        self, size: int, rank: int, id: bytes, *, timeout: float | None = None
    ) -> None:
        seconds = _timeout(timeout)
        _driver._nccl_open()
        size, rank = _int32("size", size), _int32("rank", rank)
        if not 0 <= rank < size:
            raise ValueError(f"rank {rank} is not from 0 to {size - 1}")
        self._take(_driver._nccl_init(size, rank, id, seconds), seconds)

    def _take(self, capsule: Any, timeout: float) -> None:
        self._capsule = capsule
        self.size: int
        self.rank: int
        self.size, self.rank, self._device = _driver._nccl_describe(capsule)
        self._timeout = timeout
        _driver._nccl_limit(capsule, timeout, _OBSERVE)

    @classmethod
    def from_mpi(
        cls, comm: Any = None, *, timeout: float | None = None
    ) -> Communicator:
        """Return a communicator of the ranks of an mpi4py communicator.

        This call is collective. `pycuda.mpi.context` makes the context of a
        rank's device current.
        """
        if comm is None:
            from mpi4py import MPI

            comm = MPI.COMM_WORLD
        made = comm.bcast(unique_id() if comm.rank == 0 else None)
        return cls(comm.size, comm.rank, made, timeout=timeout)

    @property
    def device(self) -> drv.Device:
        """The device of this rank."""
        return drv.Device(self._device)

    def __repr__(self) -> str:
        return (
            f"<pycuda.nccl.Communicator: rank {self.rank} of {self.size}, "
            f"device {self._device}>"
        )

    def __enter__(self) -> Communicator:
        return self

    def __exit__(self, kind: Any, *rest: object) -> None:
        if kind is None:
            self.destroy()
        else:
            self.abort()

    def destroy(self) -> None:
        """Wait for the operations of this rank and leave the communicator."""
        _driver._nccl_end(self._capsule, False)

    def abort(self) -> None:
        """Leave the communicator and end pending operations.

        Their results are undefined. The other ranks get an error, or wait
        until their time limit.
        """
        _driver._nccl_end(self._capsule, True)

    def error(self) -> str | None:
        """Return the text of a failure of an earlier operation, or None."""
        return _driver._nccl_error(self._capsule)

    def split(self, color: int | None, key: int = 0) -> Communicator | None:
        """Return a communicator of the ranks with the same color.

        Their order is that of `key`, then of their ranks here. A rank with
        the color None gets None. This call is collective.
        """
        capsule = _driver._nccl_split(
            self._capsule,
            -1 if color is None else _int32("color", color),
            _int32("key", key),
        )
        if capsule is None:
            return None
        made = Communicator.__new__(Communicator)
        made._take(capsule, self._timeout)
        return made

    # --- calls --------------------------------------------------------------

    def _call(
        self,
        kind: int,
        send: Any,
        recv: Any,
        count: int,
        elements: types.Elements,
        op: int,
        peer: int,
        stream: Any,
    ) -> None:
        _driver._nccl_call(
            self._capsule, kind, send, recv, count * elements.count,
            elements.type, elements.bytes, op, peer, stream,
        )  # fmt: skip

    def _entered(self, stream: Any) -> Any:
        """Return a context manager in which `stream` is the current one."""
        if stream is None:
            return contextlib.nullcontext()
        _driver._nccl_check_stream(self._capsule, stream)
        return _driver._as_stream(stream).use()

    def _source(self, value: Any) -> Any:
        """Return a contiguous array with the elements of an argument."""
        array = types.array_of(value)
        return array if array.flags.c_contiguous else array.copy(order="C")

    def _exchange(
        self,
        kind: int,
        send: Any,
        recv: Any,
        shape: tuple[int, ...] | None,
        *,
        count: int | None = None,
        op: Any = None,
        root: int = 0,
        stream: Any = None,
    ) -> Any:
        """Make a call that sends and receives.

        Parameters
        ----------
        kind
            Number of the operation.
        send, recv
            Arrays, or None if the rank does not send or receive.
        shape
            Shape of a new array, for `recv=None`; None: none is received.
        count
            Elements that NCCL counts. Default: those of `send`.
        op
            For a reduction.
        root, stream
            As in NCCL.
        """
        with self._entered(stream):
            source = None if send is None else self._source(send)
            target = None if recv is None else types.array_of(recv)
            if target is None and shape is not None:
                target = gpuarray.empty(shape, source.dtype)
            dtype = (target if source is None else source).dtype
            if shape is not None and target is not None:
                self._check(kind, target, shape, dtype)
            number = 0 if op is None else self._op(op)
            elements = (
                types.moved(dtype)
                if op is None
                else types.reduced(dtype, number)
            )
            direct = target
            if target is not None and not target.flags.c_contiguous:
                direct = gpuarray.empty(target.shape, dtype)
            if self._must_copy(kind, source, direct):
                source = source.copy()
            self._call(
                kind, source, direct,
                source.size if count is None else count,
                elements, number, root, None,
            )  # fmt: skip
        if direct is not target:
            self._store(target, direct, stream)
        return target

    def _must_copy(self, kind: int, source: Any, target: Any) -> bool:
        """Return whether the arrays overlap in a way that NCCL forbids."""
        if source is None or target is None:
            return False
        if not (source.nbytes and target.nbytes):
            return False
        sent, received = int(source.ptr), int(target.ptr)
        if (
            sent + source.nbytes <= received
            or received + target.nbytes <= sent
        ):
            return False
        if kind in (types.ALL_REDUCE, types.REDUCE, types.BROADCAST):
            return sent != received
        if kind in (types.ALL_GATHER, types.GATHER):
            return sent != received + self.rank * source.nbytes
        if kind in (types.REDUCE_SCATTER, types.SCATTER):
            return received != sent + self.rank * target.nbytes
        return True

    def _store(self, target: Any, direct: Any, stream: Any) -> None:
        """Copy a result to an array of another layout, after the group."""

        def end() -> None:
            with self._entered(stream):
                target[...] = direct

        if not _driver._nccl_group_defer(end):
            end()

    def _check(
        self, kind: int, target: Any, shape: tuple[int, ...], dtype: np.dtype
    ) -> None:
        size = int(np.prod(shape, dtype=np.int64))
        if target.dtype != dtype or target.size != size:
            raise ValueError(
                f"{types.NAMES[kind]} receives {size} elements of {dtype} on "
                f"rank {self.rank} of {self.size}, but `recv` has "
                f"{target.size} of {target.dtype}"
            )

    @staticmethod
    def _op(op: Any) -> int:
        number = types.OPS.get(op) if isinstance(op, str) else op
        if not isinstance(number, int) or not 0 <= number < 2**31:
            raise ValueError(
                f"op must be one of {', '.join(types.OPS)} or a scaled sum, "
                f"not {op!r}"
            )
        return number

    def _root(self, root: int) -> bool:
        """Check the number of a rank; return whether it is this one."""
        root = _int32("the number of a rank", root)
        if not 0 <= root < self.size:
            raise ValueError(
                f"rank {root} does not exist; the communicator has "
                f"{self.size} ranks"
            )
        return root == self.rank

    def _part(self, kind: int, array: Any) -> tuple[int, ...]:
        """Return the shape of a rank's part of an array."""
        if not array.shape or array.shape[0] % self.size:
            raise ValueError(
                f"{types.NAMES[kind]} divides the first axis among "
                f"{self.size} ranks; the array has the shape {array.shape}"
            )
        return (array.shape[0] // self.size, *array.shape[1:])

    @_fast
    def all_reduce(
        self, send: Any, recv: Any = None, op: Any = "sum", stream: Any = None
    ) -> Any:
        """Combine the arrays of all ranks; all get the result."""
        return self._exchange(
            types.ALL_REDUCE, send, recv, types.array_of(send).shape,
            op=op, stream=stream,
        )  # fmt: skip

    @_fast
    def reduce(
        self,
        send: Any,
        recv: Any = None,
        op: Any = "sum",
        root: int = 0,
        stream: Any = None,
    ) -> Any:
        """Combine the arrays of all ranks; the root gets the result."""
        is_root = self._root(root)
        return self._exchange(
            types.REDUCE, send, recv if is_root else None,
            types.array_of(send).shape if is_root else None,
            op=op, root=root, stream=stream,
        )  # fmt: skip

    @_fast
    def broadcast(self, array: Any, root: int = 0, stream: Any = None) -> Any:
        """Send the root's array to the arrays of all ranks."""
        target = types.array_of(array)
        if not self._root(root):
            return self._exchange(
                types.BROADCAST, None, target, None, count=target.size,
                root=root, stream=stream,
            )  # fmt: skip
        with self._entered(stream):
            source = self._source(target)
            self._call(
                types.BROADCAST, source, source, source.size,
                types.moved(source.dtype), 0, root, None,
            )  # fmt: skip
        return target

    @_fast
    def all_gather(
        self, send: Any, recv: Any = None, stream: Any = None
    ) -> Any:
        """Return the arrays of all ranks along a new first axis."""
        shape = (self.size, *types.array_of(send).shape)
        return self._exchange(
            types.ALL_GATHER, send, recv, shape, stream=stream
        )

    @_fast
    def gather(
        self, send: Any, recv: Any = None, root: int = 0, stream: Any = None
    ) -> Any:
        """Return the arrays of all ranks along a new axis, at the root."""
        is_root = self._root(root)
        shape = (self.size, *types.array_of(send).shape)
        return self._exchange(
            types.GATHER, send, recv if is_root else None,
            shape if is_root else None, root=root, stream=stream,
        )  # fmt: skip

    @_fast
    def reduce_scatter(
        self, send: Any, recv: Any = None, op: Any = "sum", stream: Any = None
    ) -> Any:
        """Combine the arrays of all ranks; each gets a part of axis 0."""
        shape = self._part(types.REDUCE_SCATTER, types.array_of(send))
        return self._exchange(
            types.REDUCE_SCATTER, send, recv, shape,
            count=int(np.prod(shape)), op=op, stream=stream,
        )  # fmt: skip

    @_fast
    def all_to_all(
        self, send: Any, recv: Any = None, stream: Any = None
    ) -> Any:
        """Send part `r` of axis 0 to rank `r`; return the received parts."""
        array = types.array_of(send)
        part = self._part(types.ALL_TO_ALL, array)
        return self._exchange(
            types.ALL_TO_ALL, send, recv, array.shape,
            count=int(np.prod(part)), stream=stream,
        )  # fmt: skip

    @_fast
    def scatter(
        self, send: Any, recv: Any = None, root: int = 0, stream: Any = None
    ) -> Any:
        """Send part `r` of axis 0 of the root's array to rank `r`.

        `send` is None except at the root, and `recv` is needed except at the
        root.
        """
        is_root = self._root(root)
        if is_root:
            shape = self._part(types.SCATTER, types.array_of(send))
        else:
            shape = types.array_of(recv).shape
        return self._exchange(
            types.SCATTER, send if is_root else None, recv, shape,
            count=int(np.prod(shape)), root=root, stream=stream,
        )  # fmt: skip

    @_fast
    def send(self, array: Any, peer: int, stream: Any = None) -> None:
        """Send an array to a rank, which receives it by `recv`."""
        self._root(peer)
        with self._entered(stream):
            source = self._source(array)
            self._call(
                types.SEND, source, None, source.size,
                types.moved(source.dtype), 0, peer, None,
            )  # fmt: skip

    @_fast
    def recv(self, array: Any, peer: int, stream: Any = None) -> Any:
        """Receive an array of the same size and dtype from a rank."""
        self._root(peer)
        target = types.array_of(array)
        return self._exchange(
            types.RECV, None, target, None, count=target.size, root=peer,
            stream=stream,
        )  # fmt: skip

    def scaled_sum(self, factor: float, dtype: Any) -> ScaledSum:
        """Return an `op`: the sum of each rank's elements times its factor."""
        return ScaledSum(self, factor, np.dtype(dtype))


class ScaledSum(int):
    """The operation of `Communicator.scaled_sum`; `free` releases it."""

    def __new__(
        cls, comm: Communicator, factor: float, dtype: np.dtype
    ) -> ScaledSum:
        """Create the operation in NCCL."""
        elements = types.reduced(dtype, types.OPS["prod"])
        try:
            value = np.asarray(factor, dtype)
        except OverflowError:
            raise ValueError(f"the factor is too large for {dtype}") from None
        if value.shape:
            raise ValueError(
                f"the factor must be a number, not an array of {value.shape}"
            )
        number = _driver._nccl_scaled_sum(
            comm._capsule, elements.type, value.tobytes()
        )
        made = super().__new__(cls, number)
        made._capsule = comm._capsule
        return made

    def free(self) -> None:
        """Release the operation."""
        _driver._nccl_op_destroy(self._capsule, int(self))


def init_all(
    contexts: Sequence[drv.Context], *, timeout: float | None = None
) -> list[Communicator]:
    """Return a communicator's ranks in this process, one per context.

    The contexts must be primary contexts. A rank works in its context:
    ``with contexts[r]: ranks[r].all_reduce(...)``, in a `group` if one thread
    calls several ranks.
    """
    contexts = list(contexts)
    for context in contexts:
        # checked before any rank starts, as the others would wait for a
        # missing one
        with context:
            _driver._nccl_check_context()
    id_, made = unique_id(), [None] * len(contexts)
    errors: list[BaseException] = []

    def join(rank: int, context: drv.Context) -> None:
        try:
            with context:
                made[rank] = Communicator(
                    len(contexts), rank, id_, timeout=timeout
                )
        except BaseException as error:
            errors.append(error)

    threads = [
        # daemons: after an interrupt, the process ends without their result
        threading.Thread(target=join, args=each, daemon=True)
        for each in enumerate(contexts)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return made  # type: ignore[return-value]
