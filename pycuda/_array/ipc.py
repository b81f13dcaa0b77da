"""IPC handles of arrays: their memory, for other processes of the host."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import pycuda.driver as drv
from pycuda import _driver

if TYPE_CHECKING:
    from pycuda.gpuarray import GPUArray

_MAGIC = b"pycuda-array-1\n"
_EVENT = drv.event_flags.INTERPROCESS | drv.event_flags.DISABLE_TIMING


def dtype_text(dtype: np.dtype) -> Any:
    """Return a dtype for JSON: its name, or the fields of a record."""
    if dtype.names is not None:
        return np.lib.format.dtype_to_descr(dtype)
    return dtype.name if dtype.kind == "V" else dtype.str


def dtype_of(text: Any) -> np.dtype:
    """Return the dtype that `dtype_text` described."""
    if isinstance(text, str):
        if text == "bfloat16":
            import ml_dtypes  # optional package that defines bfloat16

            return np.dtype(ml_dtypes.bfloat16)
        return np.dtype(text)
    return np.dtype([_field(row) for row in text])


def _field(row: list[Any]) -> tuple[Any, ...]:
    name, kind, *shape = row
    inner = kind if isinstance(kind, str) else [_field(part) for part in kind]
    name = tuple(name) if isinstance(name, list) else name
    return (name, inner, *map(tuple, shape))


def _memory_handle(array: GPUArray) -> tuple[bytes, int]:
    """Return (handle of the allocation, offset of the array in it)."""
    address = int(array.gpudata)
    try:
        handle = bytes(drv.mem_get_ipc_handle(array.gpudata))
        base, _ = drv.mem_get_address_range(address)
    except drv.Error as error:
        raise type(error)(
            f"{error}: this memory cannot be shared with other processes. "
            "Memory of mem_alloc and of arrays' default allocator can; that "
            "of stream-ordered pools, managed and page-locked memory cannot: "
            "copy the array first"
        ) from None
    return handle, address - base


def _handle_of(array: GPUArray, stream: drv.Stream | None = None) -> bytes:
    """Return bytes by which another process can open the array.

    See `pycuda.gpuarray.GPUArray.ipc_handle`.
    """
    fields: dict[str, Any] = {
        "shape": array.shape,
        "strides": array.strides,
        "dtype": dtype_text(array.dtype),
    }
    if array.size:
        handle, offset = _memory_handle(array)
        fields |= {"memory": handle.hex(), "offset": offset}
        if stream is None:
            _driver._memory_wait(array)
        else:
            event = drv.Event(_EVENT).record(stream)
            fields["event"] = bytes(event.ipc_handle()).hex()
            # Keeps the event alive until the other process has opened it.
            array.__dict__["_ipc_event"] = event
    import json  # delayed import, to save start-up time

    return _MAGIC + json.dumps(fields).encode()


class _Opened(drv.PointerHolderBase):
    """Memory of another process; unmapped with the last array on it."""

    def __init__(self, handle: bytes, offset: int) -> None:
        super().__init__()
        self.memory = drv.IPCMemoryHandle(handle)
        self.address = int(self.memory) + offset

    def get_pointer(self) -> int:
        return self.address


def _fields_of(handle: Any) -> dict[str, Any]:
    data = bytes(handle)
    if not data.startswith(_MAGIC):
        raise ValueError(
            "expected the bytes that GPUArray.ipc_handle() returned in "
            f"another process, not {len(data)} other bytes (a handle of "
            "mem_get_ipc_handle is for IPCMemoryHandle)"
        )
    import json  # delayed import, to save start-up time

    return json.loads(data[len(_MAGIC) :])


def described(handle: bytes) -> tuple[Any, Any, np.dtype]:
    """Return (shape, strides, dtype) of a handle's array."""
    fields = _fields_of(handle)
    shape, strides = tuple(fields["shape"]), tuple(fields["strides"])
    return shape, strides, dtype_of(fields["dtype"])


def _opened(
    cls: Any, handle: Any, stream: drv.Stream | None = None
) -> GPUArray:
    """Return an array on memory of another process.

    See `pycuda.gpuarray.GPUArray.from_ipc_handle`.
    """
    fields = _fields_of(handle)
    shape, strides, dtype = described(handle)
    array = cls.__new__(cls)
    if "memory" not in fields:
        _driver.ArrayBase.__init__(array, shape, dtype)
        return array
    memory = _Opened(bytes.fromhex(fields["memory"]), fields["offset"])
    if "event" in fields:
        event = drv.Event.from_ipc_handle(bytes.fromhex(fields["event"]))
        waiting = stream if stream is not None else drv.current_stream()
        if waiting is None:
            event.synchronize()
        else:
            _driver._as_stream(waiting).wait_for_event(event)
    _driver.ArrayBase.__init__(
        array, shape, dtype, base=memory, gpudata=memory,
        strides=strides,
    )  # fmt: skip
    return array


class Shared:
    """Base of `pycuda.gpuarray.GPUArray` for IPC."""

    def ipc_handle(self, stream: drv.Stream | None = None) -> bytes:
        """Return a handle by which another process can open the array.

        `from_ipc_handle` opens it there, with the array's shape, dtype and
        strides.  Keep the array until the other process has dropped its own.

        Parameters
        ----------
        stream
            Stream whose work so far the other process waits for, by an event.
            Without it, this call waits for all work in the array's context.

        Returns
        -------
        bytes
            About 300 bytes, which can be sent in any way.

        Raises
        ------
        pycuda.driver.Error
            If the memory cannot be shared: that of stream-ordered pools,
            managed and page-locked memory.
        """
        return _handle_of(self, stream)  # type: ignore[arg-type]

    @classmethod
    def from_ipc_handle(
        cls, handle: bytes, stream: drv.Stream | None = None
    ) -> Any:
        """Return an array on memory of another process of this host.

        Parameters
        ----------
        handle
            The bytes that `ipc_handle` returned there.
        stream
            Stream that waits for the event of the handle, if it has one;
            default: the current stream.

        Returns
        -------
        GPUArray
            An array on the same memory.  The memory is unmapped with the last
            array on it.
        """
        return _opened(cls, handle, stream)
