"""Exchanges arrays with pending work between libraries and devices.

Usage: ``python tests/array/interop_matrix.py [REPEATS [MILLISECONDS]]`` prints
a line for each producer, device of its memory, protocol, stream of the
producer and stream of the consumer, with the counts of outcomes: right
numbers, stale numbers, or an exception that names both devices. The exit
status is 1 if a number was stale, another exception occurred, or required
memory was rejected.

The producers are torch and CuPy if there is a GPU and they are installed, this
package's own arrays, and classes that imitate torch and CuPy; the CPU device
(``PYCUDA_CPU_DEVICES=2``) has only the imitations.
"""

# SPDX-License-Identifier: MIT

import contextlib
import importlib.util
import itertools
import sys
from collections import Counter

import numpy as np

import pycuda.driver as drv
from pycuda import _driver, gpuarray
from pycuda.compiler import SourceModule

N = 1 << 12
NON_BLOCKING = 1
SOURCE = """
extern "C" __global__ void delay(long long cycles)
{
    const long long start = clock64();
    while (clock64() - start < cycles) {
    }
}
extern "C" __global__ void copy(const float *from, float *to, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        to[i] = from[i];
    }
}
"""
GRID = {"block": (256, 1, 1), "grid": (N // 256, 1)}


class Devices:
    """The primary contexts, by device index, and their kernels."""

    def __init__(self):
        self.contexts = [
            drv.Device(i).retain_primary_context()
            for i in range(min(drv.Device.count(), 2))
        ]
        self.kernels = []
        for context in self.contexts:
            with self.current(context):
                module = SourceModule(SOURCE, no_extern_c=True)
                self.kernels.append(
                    [module.get_function(k) for k in ("delay", "copy")]
                )

    @contextlib.contextmanager
    def current(self, context):
        context.push()
        try:
            yield
        finally:
            drv.Context.pop()

    def at(self, number):
        return self.current(self.contexts[number])


class Ours:
    """A GPUArray: `fill` enqueues a delay and a fill on a stream."""

    name = "ours"
    ways = ("asarray", "from_dlpack")

    def __init__(self, devices, number, side, cycles):
        self.devices, self.number, self.cycles = devices, number, cycles
        self.delay = devices.kernels[number][0]
        with devices.at(number):
            self.stream = drv.Stream(NON_BLOCKING) if side else None
            with self.stream.use() if side else contextlib.nullcontext():
                self.own = gpuarray.zeros(N, np.float32)
            drv.Context.synchronize()
        self.array = self.own

    def handing_over(self):
        """No stream has to be current: the library tracks this memory."""
        return contextlib.nullcontext()

    def fill(self, value):
        with self.devices.at(self.number):
            self.delay(
                np.int64(self.cycles), block=(1, 1, 1), stream=self.stream
            )
            self.own.fill(value, stream=self.stream)

    def wait(self):
        with self.devices.at(self.number):
            drv.Context.synchronize()


class LikeTorch(Ours):
    """A producer with DLPack and interface version 2, which has no stream."""

    name = "like torch"
    ways = ("asarray", "from_dlpack", "kernel", "copy")

    def __init__(self, *options):
        super().__init__(*options)
        self.array = self

    def __index__(self):
        raise TypeError("only integer tensors of a single element")

    @property
    def __cuda_array_interface__(self):
        return {
            "shape": (N,), "typestr": "<f4", "version": 2,
            "data": (int(self.own.ptr), False), "strides": None,
        }  # fmt: skip

    def __dlpack_device__(self):
        return self.own.__dlpack_device__()

    def __dlpack__(self, *, stream=None):
        return self.own.__dlpack__(stream=stream)


class LikeCuPy(LikeTorch):
    """A producer with interface version 3."""

    name = "like CuPy"

    @property
    def __cuda_array_interface__(self):
        handle = 1 if self.stream is None else self.stream.handle
        return LikeTorch.__cuda_array_interface__.fget(self) | {
            "version": 3, "stream": handle,
        }  # fmt: skip


class Torch:
    """torch.Tensor."""

    name = "torch"
    ways = LikeTorch.ways

    def __init__(self, devices, number, side, cycles):
        import torch

        self.torch, self.cycles = torch, cycles
        self.number = number
        with torch.cuda.device(number):
            self.stream = (
                torch.cuda.Stream() if side else torch.cuda.default_stream()
            )
            self.array = torch.zeros(N, device=f"cuda:{number}")
            torch.cuda.synchronize()

    @contextlib.contextmanager
    def current(self):
        with (
            self.torch.cuda.device(self.number),
            self.torch.cuda.stream(self.stream),
        ):
            yield

    def handing_over(self):
        """Make the producer's stream current.

        A protocol can only name the producer's current stream. The setting of
        another device is unchanged: the exchange waits for all its work.
        """
        return self.current() if self.number == 0 else contextlib.nullcontext()

    def fill(self, value):
        with self.current():
            self.torch.cuda._sleep(self.cycles)
            self.array.fill_(value)

    def wait(self):
        self.torch.cuda.synchronize(self.number)


class CuPy:
    """cupy.ndarray."""

    name = "CuPy"
    ways = LikeTorch.ways

    def __init__(self, devices, number, side, cycles):
        import cupy

        self.cupy, self.number, self.cycles = cupy, number, cycles
        self.delay = cupy.RawKernel(SOURCE, "delay")
        with cupy.cuda.Device(number):
            self.stream = (
                cupy.cuda.Stream(non_blocking=True)
                if side
                else cupy.cuda.Stream.null
            )
            self.array = cupy.zeros(N, np.float32)
            cupy.cuda.Device(number).synchronize()

    @contextlib.contextmanager
    def current(self):
        with self.cupy.cuda.Device(self.number), self.stream:
            yield

    def handing_over(self):
        """Make the producer's stream current.

        A protocol can only name the producer's current stream. The setting of
        another device is unchanged: the exchange waits for all its work.
        """
        return self.current() if self.number == 0 else contextlib.nullcontext()

    def fill(self, value):
        with self.current():
            self.delay((1,), (1,), (np.int64(self.cycles),))
            self.array.fill(value)

    def wait(self):
        self.cupy.cuda.Device(self.number).synchronize()


def producers():
    """Return the producers that are available here."""
    found = [Ours, LikeTorch, LikeCuPy]
    if _driver._device_kind() == "gpu":
        for kind, module in ((Torch, "torch"), (CuPy, "cupy")):
            if importlib.util.find_spec(module):
                found.append(kind)
    return found


# --- protocols that import an array on device 0 ----------------------------


def take_asarray(devices, array):
    return gpuarray.asarray(array).get()


def take_from_dlpack(devices, array):
    return gpuarray.from_dlpack(array).get()


def take_kernel(devices, array):
    out = gpuarray.empty(N, np.float32)
    devices.kernels[0][1](array, out, np.int32(N), **GRID)
    return out.get()


def take_copy(devices, array):
    out = gpuarray.empty(N, np.float32)
    drv.memcpy_dtod(out.gpudata, array, out.nbytes)
    return out.get()


WAYS = {
    "asarray": take_asarray,
    "from_dlpack": take_from_dlpack,
    "kernel": take_kernel,
    "copy": take_copy,
}


def is_promised(kind, number, way, side):
    """Return whether the package guarantees the result of a cell.

    The program must order its own arrays on several streams of one device, as
    with PyCUDA.
    """
    return way in kind.ways and not (kind is Ours and number == 0)


def may_refuse(number, way):
    return number != 0 and way in ("from_dlpack", "kernel")


def names_both(error, number):
    text = str(error)
    return f"device {number}" in text and "device 0" in text


def run_cell(devices, kind, number, way, side, aside, repeats, cycles):
    """Run a cell and return the count of each outcome."""
    producer = kind(devices, number, side, cycles)
    seen = Counter()
    stream = drv.Stream(NON_BLOCKING) if aside else None
    for value in range(1, repeats + 1):
        producer.fill(value)
        try:
            with (
                producer.handing_over(),
                stream.use() if aside else contextlib.nullcontext(),
            ):
                got = WAYS[way](devices, producer.array)
        except (drv.Error, BufferError, ValueError, TypeError) as error:
            known = names_both(error, number) and may_refuse(number, way)
            seen["named" if known else f"{error!r}"] += 1
            producer.wait()
            continue
        seen["right" if (got == value).all() else "stale"] += 1
    return seen


# --- consumers of device 0's arrays ----------------------------------------


def consumers():
    """Return each consumer: (name, function that makes a host copy)."""
    found = []
    if _driver._device_kind() == "cpu":
        return [("NumPy from_dlpack", lambda a: np.from_dlpack(a).copy())]
    if importlib.util.find_spec("torch"):
        import torch

        found += [
            ("torch from_dlpack",
             lambda a: torch.from_dlpack(a).cpu().numpy()),
        ]  # fmt: skip
    if importlib.util.find_spec("cupy"):
        import cupy

        found += [
            ("CuPy from_dlpack", lambda a: cupy.from_dlpack(a).get()),
            ("CuPy asarray", lambda a: cupy.asarray(a).get()),
        ]
    return found


def run_consumer(devices, take, number, side, repeats, cycles):
    producer = Ours(devices, number, side, cycles)
    seen = Counter()
    for value in range(1, repeats + 1):
        producer.fill(value)
        try:
            got = take(producer.array)
        except Exception as error:
            seen[f"{error!r}"] += 1
            producer.wait()
            continue
        seen["right" if (got == value).all() else "stale"] += 1
    return seen


def report(label, seen, good):
    is_good = set(seen) <= good
    print(f"{'ok ' if is_good else 'BAD'} {label}: {dict(seen)}", flush=True)
    return is_good


def main(repeats=100, milliseconds=2.0):
    """Run all cells and return whether all outcomes are acceptable."""
    drv.init()
    devices = Devices()
    count = len(devices.contexts)
    cycles = int(milliseconds * 1.5e6)
    is_good, cells = True, 0
    with devices.at(0):
        print(f"{count} x {drv.Device(0).name()}, {repeats} repeats each")
        for kind, number, way, side, aside in itertools.product(
            producers(), range(count), WAYS, (False, True), (False, True)
        ):
            if not is_promised(kind, number, way, side):
                continue
            seen = run_cell(
                devices, kind, number, way, side, aside, repeats, cycles
            )
            label = (
                f"{kind.name} on {number}, {way}, producer's "
                f"{'side' if side else 'default'} stream, ours "
                f"{'side' if aside else 'default'}"
            )
            good = {"right"}
            if may_refuse(number, way):
                good.add("named")
            is_good &= report(label, seen, good)
            cells += 1
        for (name, take), number, side in itertools.product(
            consumers(), range(count), (False, True)
        ):
            seen = run_consumer(devices, take, number, side, repeats, cycles)
            label = (
                f"{name} of ours on {number}, "
                f"{'side' if side else 'default'} stream"
            )
            is_good &= report(label, seen, {"right"})
            cells += 1
        drv.Context.synchronize()
    print(f"{cells} cells, {'all good' if is_good else 'some are bad'}")
    return is_good


if __name__ == "__main__":
    options = [float(text) for text in sys.argv[1:3]]
    repeats = int(options[0]) if options else 100
    milliseconds = options[1] if len(options) > 1 else 2.0
    sys.exit(0 if main(repeats, milliseconds) else 1)
