"""Operations on memory of another context whose work is pending.

Run by test_cross_context.py with the index of the device of the second
context. Prints the number of correct operations, and names the others.
"""

# SPDX-License-Identifier: MIT

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np

import pycuda.driver as drv
from pycuda import _driver, gpuarray
from pycuda.compiler import SourceModule
from pycuda.tools import DeviceMemoryPool

COUNT = 1024
SOURCE = """
__global__ void slow(float *x, int count, int rounds, float value)
{
    float a = x[0] * 0.0f;
    for (int i = 0; i < rounds; i++)
        a = a * 0.999f + x[i % count] * 0.0f;
    for (int i = threadIdx.x; i < count; i += blockDim.x)
        x[i] = value + a;
}
__global__ void add(float *x, int count)
{
    for (int i = threadIdx.x; i < count; i += blockDim.x)
        x[i] += 1;
}
"""
ROUNDS = np.int32(10_000_000 if _driver._device_kind() == "cpu" else 500_000)


class Side:
    """A context with its kernels and streams."""

    def __init__(self, context):
        self.context = context
        with self.current():
            module = SourceModule(SOURCE, no_extern_c=False)
            self.slow_kernel = module.get_function("slow")
            self.add_kernel = module.get_function("add")
            self.device = drv.Context.get_device()
            self.streams = [None, drv.Stream()]

    @contextmanager
    def current(self) -> Iterator[None]:
        self.context.push()
        try:
            yield
        finally:
            drv.Context.pop()

    def array(self, value: float):
        with self.current():
            x = gpuarray.empty(COUNT, np.float32).fill(value)
            drv.Context.synchronize()
        return x

    def write_slowly(self, x, value: float, stream=None) -> None:
        """Write the value after some hundredths of a second."""
        with self.current():
            self.slow_kernel(
                x, np.int32(COUNT), ROUNDS, np.float32(value),
                block=(1, 1, 1), stream=stream,
            )  # fmt: skip

    def read(self, x) -> np.ndarray:
        with self.current():
            return x.get()


Read = Callable[[gpuarray.GPUArray, drv.Stream | None], np.ndarray]
Write = Callable[
    [gpuarray.GPUArray, gpuarray.GPUArray, drv.Stream | None], None
]
Results = Iterator[tuple[tuple, bool]]
BYTES = 4 * COUNT


def into_host(copy) -> Read:
    def read(x, stream):
        host = drv.pagelocked_empty(COUNT, np.float32)
        host[:] = -1
        copy(host, x, stream)
        if stream is not None:
            stream.synchronize()
        else:
            drv.Context.synchronize()
        return host

    return read


def two_d(target, source, stream) -> None:
    copy = drv.Memcpy2D()
    copy.set_src_device(source.gpudata)
    copy.set_dst_device(target.gpudata)
    copy.width_in_bytes = copy.src_pitch = copy.dst_pitch = BYTES
    copy.height = 1
    copy(aligned=True) if stream is None else copy(stream)


def finished(array, stream) -> np.ndarray:
    if stream is not None:
        stream.synchronize()
    return array.get()


def home(x) -> drv.Context:
    return _driver._memory_home(x)[0]


def issue(stream, plain, *arguments) -> None:
    if stream is None:
        plain(*arguments)
    else:
        getattr(drv, plain.__name__ + "_async")(*arguments, stream=stream)


def copied(copy) -> Read:
    def read(x, stream):
        y = gpuarray.zeros(COUNT, np.float32)
        drv.Context.synchronize()
        copy(y, x, stream)
        return finished(y, stream)

    return read


def assigned(y, x, stream) -> None:
    if stream is None:
        y[:] = x
    else:
        with stream:
            y[:] = x


def set_half(y, x, stream) -> None:
    half = COUNT // 2
    assigned(y[:half], x[:half], stream)
    assigned(y[half:], x[half:], stream)


def copy_of(x, stream) -> np.ndarray:
    if stream is None:
        return x.copy().get()
    with stream:
        return x.copy().get()


def taken_asynchronously(x, stream) -> np.ndarray:
    host = x.get_async(stream)
    drv.Context.synchronize()
    return host


READS: dict[str, Read] = {
    "copy": copy_of,
    "get": lambda x, stream: x.get(stream=stream),
    "get_async": taken_asynchronously,
    "get of a view": lambda x, stream: np.concatenate(
        [x[: COUNT // 2].get(stream=stream), x[COUNT // 2 :].get()]
    ),
    "assignment": copied(assigned),
    "assignment of slices": copied(set_half),
    "set": copied(lambda y, x, stream: y.set(x, stream=stream)),
    "asarray": lambda x, stream: finished(gpuarray.asarray(x), stream),
    "memcpy_dtoh": into_host(
        lambda host, x, stream: issue(
            stream, drv.memcpy_dtoh, host, x.gpudata
        )
    ),
    "memcpy_dtoh of an address": into_host(
        lambda host, x, stream: issue(
            stream, drv.memcpy_dtoh, host, int(x.gpudata)
        )
    ),
    "memcpy_dtod": copied(
        lambda y, x, stream: issue(
            stream, drv.memcpy_dtod, y.gpudata, x.gpudata, BYTES
        )
    ),
    "memcpy_dtod of an address": copied(
        lambda y, x, stream: issue(
            stream, drv.memcpy_dtod, y.gpudata, int(x.gpudata), BYTES
        )
    ),
    "memcpy_peer": copied(
        lambda y, x, stream: issue(
            stream, drv.memcpy_peer, y.gpudata, x.gpudata, BYTES,
            drv.Context.get_current(), home(x),
        )
    ),
    "Memcpy2D": copied(two_d),
}  # fmt: skip

SEVENS = np.full(COUNT, 7, np.float32)


def pattern(x, y, stream) -> None:
    bits = int(SEVENS[:1].view(np.uint32)[0])
    try:
        issue(stream, drv.memset_d32, x.gpudata, bits, COUNT)
    except drv.LogicError as error:  # a GPU fills memory of its own only
        assert re.search(r"device 0 \(.*device 1 \(", str(error)), error
        x.set(y, stream=stream)


WRITES: dict[str, Write] = {
    "set": lambda x, y, stream: x.set(SEVENS, stream=stream),
    "set_async": lambda x, y, stream: x.set_async(SEVENS, stream=stream),
    "set of an array": lambda x, y, stream: x.set(y, stream=stream),
    "assignment": lambda x, y, stream: assigned(x, y, stream),
    "assignment of slices": lambda x, y, stream: set_half(x, y, stream),
    "memcpy_htod": lambda x, y, stream: issue(
        stream, drv.memcpy_htod, x.gpudata, SEVENS
    ),
    "memcpy_dtod": lambda x, y, stream: issue(
        stream, drv.memcpy_dtod, x.gpudata, y.gpudata, BYTES
    ),
    "memcpy_peer": lambda x, y, stream: issue(
        stream, drv.memcpy_peer, x.gpudata, y.gpudata, BYTES,
        home(x), drv.Context.get_current(),
    ),
    "memset_d32": pattern,
    "Memcpy2D": two_d,
}  # fmt: skip


def check_reads(a: Side, b: Side) -> Results:
    """Pending work in the memory's own context is done before the read."""
    for name, read in READS.items():
        for own in (0, 1):
            for other in (0, 1):
                x = a.array(1)
                a.write_slowly(x, 5, a.streams[own])
                with b.current():
                    values = read(x, b.streams[other])
                yield (name, own, other), (values == 5).all()


def check_writes(a: Side, b: Side) -> Results:
    """Writes follow pending work, and a later read follows the write."""
    sevens = b.array(7)
    for name, write in WRITES.items():
        for own in (0, 1):
            for other in (0, 1):
                x = a.array(1)
                a.write_slowly(x, 5, a.streams[own])
                with b.current():
                    write(x, sevens, b.streams[other])
                with a.current():
                    a.add_kernel(
                        x, np.int32(COUNT), block=(32, 1, 1),
                        stream=a.streams[own],
                    )  # fmt: skip
                    values = x.get(stream=a.streams[own])
                yield (name, own, other), (values == 8).all()


def check_returns(a: Side, b: Side) -> Results:
    """The owner's next use waits for a copy pending in another context."""
    for use in ("kernel", "array", "copy", "free"):
        for other in (0, 1):
            x, y = a.array(5), b.array(1)
            # The copy waits on its stream for the preceding kernel.
            b.write_slowly(y, 1, b.streams[other])
            with b.current():
                drv.memcpy_dtod_async(
                    y.gpudata, x.gpudata, BYTES, b.streams[other]
                )
            with a.current():
                if use == "kernel":
                    a.add_kernel(x, np.int32(COUNT), block=(32, 1, 1))
                elif use == "array":
                    x += 1
                elif use == "copy":
                    drv.memset_d32(x.gpudata, 0, COUNT)
                else:
                    x.gpudata.free()
                    z = gpuarray.empty(COUNT, np.float32).fill(9)
                drv.Context.synchronize()
            with b.current():
                drv.Context.synchronize()
            values = b.read(y)
            yield ("before", use, other), (values == 5).all()
    del z


def cuda_array(side: Side, value: float) -> tuple[drv.Array, object]:
    """Return a CUDA array with a pending copy to it, and the source."""
    x = side.array(1)
    with side.current():
        descriptor = drv.ArrayDescriptor()
        descriptor.width, descriptor.height = COUNT, 1
        descriptor.format = drv.array_format.FLOAT
        descriptor.num_channels = 1
        array = drv.Array(descriptor)
        drv.memcpy_dtoa(array, 0, x.gpudata, BYTES)
        drv.Context.synchronize()
        side.write_slowly(x, value)
        copy = drv.Memcpy2D()
        copy.set_src_device(x.gpudata)
        copy.set_dst_array(array)
        copy.width_in_bytes = copy.src_pitch = BYTES
        copy.height = 1
        copy(aligned=True)
    return array, x


def by_2d(array, y, stream) -> None:
    copy = drv.Memcpy2D()
    copy.set_src_array(array)
    copy.set_dst_device(y.gpudata)
    copy.width_in_bytes = copy.dst_pitch = BYTES
    copy.height = 1
    copy(stream)


def check_cuda_arrays(a: Side, b: Side) -> Results:
    """Copies from arrays of another context, by every function."""
    copies = {
        "memcpy_atod": lambda array, y, stream: drv.memcpy_atod(
            y.gpudata, array, 0, BYTES
        ),
        "Memcpy2D": by_2d,
    }
    for name, copy in copies.items():
        array, source = cuda_array(a, 5)
        y = b.array(0)
        with b.current():
            copy(array, y, b.streams[1])
        with a.current():  # overwrites the data that is being read
            drv.memcpy_dtoa(array, 0, a.array(1).gpudata, BYTES)
        with b.current():
            drv.Context.synchronize()
        yield (name, "of an array"), (b.read(y) == 5).all()
        del source
    array, source = cuda_array(a, 5)
    host = np.zeros(COUNT, np.float32)
    with b.current():
        drv.memcpy_atoh(host, array, 0)
    yield ("memcpy_atoh",), (host == 5).all()
    array, source = cuda_array(a, 5)
    x = a.array(0)
    with b.current():
        drv.memcpy_htoa(array, 0, SEVENS)
    with a.current():
        drv.memcpy_atod(x.gpudata, array, 0, BYTES)
    yield ("memcpy_htoa",), (a.read(x) == 7).all()
    x, y = a.array(1), cuda_array(b, 0)[0]
    a.write_slowly(x, 5)
    with b.current():
        drv.memcpy_dtoa(y, 0, x.gpudata, BYTES)
        drv.memcpy_atoh(host, y, 0)
    yield ("memcpy_dtoa",), (host == 5).all()


class Holder(drv.PointerHolderBase):
    """Memory that no allocation of the package owns."""

    def __init__(self, x):
        super().__init__()
        self.x = x

    def get_pointer(self):
        return int(self.x.gpudata)


def check_holders(a: Side, b: Side) -> Results:
    """Arrays on external memory, for which no uses are recorded."""
    for name, read in READS.items():
        if "address" in name or name == "memcpy_peer":
            continue
        x = a.array(1)
        with a.current():
            y = gpuarray.GPUArray(x.shape, x.dtype, gpudata=Holder(x))
        a.write_slowly(x, 5)
        with b.current():
            values = read(y, b.streams[1])
        yield (name, "of a holder"), (values == 5).all()


def check_pools(a: Side, b: Side) -> Results:
    """A pool reuses memory after other contexts are done with it."""
    for stream in (0, 1):
        with a.current():
            pool = DeviceMemoryPool()
            x = gpuarray.GPUArray(COUNT, np.float32, allocator=pool.allocate)
            x.fill(5)
            drv.Context.synchronize()
        y = b.array(1)
        b.write_slowly(y, 1, b.streams[stream])
        with b.current():
            drv.memcpy_dtod_async(
                y.gpudata, x.gpudata, BYTES, b.streams[stream]
            )
        with a.current():
            address = int(x.gpudata)
            del x
            z = gpuarray.GPUArray(COUNT, np.float32, allocator=pool.allocate)
            assert int(z.gpudata) == address
            z.fill(9)
            drv.Context.synchronize()
            del z
        yield ("pool", stream), (b.read(y) == 5).all()


def check_exports(a: Side, b: Side) -> Results:
    """The work of a consumer in another context follows the owner's work."""
    if _driver._device_kind() != "cpu":
        return  # kernels there cannot access the memory
    exports = {
        "dlpack": lambda x: x.__dlpack__(),
        "interface": lambda x: x.__cuda_array_interface__,
    }
    for name, export in exports.items():
        for own in (0, 1):
            x = a.array(0)
            a.write_slowly(x, 5, a.streams[own])
            with b.current():
                export(x)
                address = np.uintp(int(x.gpudata))
                b.add_kernel(address, np.int32(COUNT), block=(32, 1, 1))
                drv.Context.synchronize()
            yield (name, own), (a.read(x) == 6).all()
            x, y = a.array(0), b.array(0)
            b.write_slowly(y, 5, b.streams[own])
            with b.current():
                drv.memcpy_dtod_async(
                    x.gpudata, y.gpudata, BYTES, b.streams[own]
                )
            with a.current():
                export(x)
                address = np.uintp(int(x.gpudata))
                a.add_kernel(address, np.int32(COUNT), block=(32, 1, 1))
                drv.Context.synchronize()
            with b.current():
                drv.Context.synchronize()
            yield (name, "back", own), (a.read(x) == 6).all()


def check_kernels(a: Side, b: Side) -> Results:
    """Kernels of another context, if they can access the memory."""
    for stream in (0, 1):
        with a.current():
            managed = drv.managed_zeros(
                COUNT, np.float32, mem_flags=drv.mem_attach_flags.GLOBAL
            )
        x = managed.base
        a.write_slowly(x, 5, a.streams[stream])
        with b.current():
            b.add_kernel(x, np.int32(COUNT), block=(32, 1, 1))
        with a.current():
            a.add_kernel(x, np.int32(COUNT), block=(32, 1, 1))
            drv.Context.synchronize()
        yield ("managed", stream), (managed == 7).all()
    first, second = a.device, b.device
    if first == second or not second.can_access_peer(first):
        return
    with b.current():
        drv.Context.enable_peer_access(a.context)
    for stream in (0, 1):
        x = a.array(0)
        a.write_slowly(x, 5, a.streams[stream])
        with b.current():
            b.add_kernel(x, np.int32(COUNT), block=(32, 1, 1))
            x += 1
        with a.current():
            x += 1
            yield ("peer", stream), (x.get() == 8).all()


def check_turns(a: Side, b: Side) -> Results:
    """Memory that alternates between contexts without any explicit wait."""
    x = a.array(0)
    y = b.array(0)
    for turn in range(1, 9):
        a.write_slowly(x, turn, a.streams[turn % 2])
        with b.current():
            drv.memcpy_dtod_async(
                y.gpudata, x.gpudata, BYTES, b.streams[turn // 2 % 2]
            )
            b.add_kernel(
                y, np.int32(COUNT), block=(32, 1, 1),
                stream=b.streams[turn // 2 % 2],
            )  # fmt: skip
        with a.current():
            drv.memcpy_dtod_async(x.gpudata, y.gpudata, BYTES, a.streams[1])
            values = x.get(stream=a.streams[1])
        yield ("turn", turn), (values == turn + 1).all()


def check_addresses(a, b):
    """A peer copy of addresses follows its stream, not the other context.

    Two contexts of one GPU take turns, so only two devices can show this.
    """
    if a.device == b.device:
        return
    busy, target, source = b.array(0), b.array(1), a.array(2)
    b.write_slowly(busy, 3, b.streams[1])
    with b.current():
        written = drv.Event().record(b.streams[1])
    with a.current():
        drv.memcpy_peer_async(
            int(target.gpudata), int(source.gpudata), source.nbytes,
            b.context, a.context, a.streams[1],
        )  # fmt: skip
        a.streams[1].synchronize()
    with b.current():
        yield "peer copy of addresses", not written.query()
        drv.Context.synchronize()
    yield "peer copy of addresses", (b.read(target) == 2).all()


def main() -> None:
    drv.init()
    first = drv.Device(0).make_context()
    drv.Context.pop()
    second = drv.Device(int(sys.argv[1])).make_context()
    drv.Context.pop()
    a, b = Side(first), Side(second)
    checks = [
        check_reads,
        check_writes,
        check_returns,
        check_turns,
        check_cuda_arrays,
        check_holders,
        check_pools,
        check_exports,
        check_kernels,
        check_addresses,
    ]
    results = [row for check in checks for row in check(a, b)]
    wrong = [name for name, is_right in results if not is_right]
    assert not wrong, f"{len(wrong)} of {len(results)} are wrong: {wrong}"
    print(len(results), "operations, all right")


if __name__ == "__main__":
    main()
