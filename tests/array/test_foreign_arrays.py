"""Arrays of other libraries as memory arguments.

The producers are small classes, so that they run on every device. Like torch's
tensors they have ``__index__``, which returns the value of the only element,
and an interface of version 2, which names no stream.
"""

# SPDX-License-Identifier: MIT

import numpy as np
import pytest

import pycuda.driver as drv
from pycuda import gpuarray
from pycuda.compiler import SourceModule
from pycuda.elementwise import ElementwiseKernel
from pycuda.reduction import ReductionKernel
from pycuda.scan import InclusiveScanKernel

pytestmark = pytest.mark.usefixtures("shared")

SOURCE = "__global__ void add(int *x) { x[threadIdx.x] += 5; }"
ONE = (1, 1), (8, 1, 1)


class Base:
    """A one-element tensor: ``__index__`` returns the element."""

    dtype = "torch.int32"  # not a NumPy dtype

    def __init__(self, array):
        self.array = array

    def __index__(self):
        if self.array.size != 1:
            raise TypeError("only integer tensors of a single element")
        return int(self.array.get()[0])


class Version2(Base):
    """Imitates torch: both protocols, the interface without a stream."""

    @property
    def __cuda_array_interface__(self):
        interface = dict(self.array.__cuda_array_interface__, version=2)
        del interface["stream"]
        return interface

    def __dlpack__(self, *, stream=None):
        return self.array.__dlpack__(stream=stream)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class Version3(Base):
    """Imitates CuPy, without DLPack."""

    @property
    def __cuda_array_interface__(self):
        return self.array.__cuda_array_interface__


class Capsules(Base):
    """An array with DLPack only."""

    __dlpack__ = Version2.__dlpack__
    __dlpack_device__ = Version2.__dlpack_device__


class Unordered(Base):
    """An array with version 2 of the interface only."""

    __cuda_array_interface__ = Version2.__cuda_array_interface__


KINDS = [Version2, Version3, Capsules, Unordered]


def stream_call(way):
    return lambda f, x: getattr(f, way)(*ONE, drv.Stream(), x)


KERNEL_CALLS = {
    "call": lambda f, x: f(x, grid=ONE[0], block=ONE[1]),
    "call on a stream": lambda f, x: f(
        x, grid=ONE[0], block=ONE[1], stream=drv.Stream()
    ),
    "prepared_call": lambda f, x: f.prepared_call(*ONE, x),
    "prepared_async_call": stream_call("prepared_async_call"),
    "prepared_timed_call": lambda f, x: f.prepared_timed_call(*ONE, x)(),
}


@pytest.fixture
def add(shared):
    function = SourceModule(SOURCE).get_function("add")
    function.prepare("P")
    return function


@pytest.mark.parametrize("kind", KINDS)
def test_kernels(add, kind):
    for name, call in KERNEL_CALLS.items():
        array = gpuarray.to_gpu(np.arange(8, dtype=np.int32))
        call(add, kind(array))
        drv.Context.synchronize()
        got = array.get().tolist()
        assert got == list(range(5, 13)), name


@pytest.mark.parametrize("kind", KINDS)
def test_one_element_is_no_address(add, kind):
    array = gpuarray.to_gpu(np.int32([77]))
    add(kind(array), block=(1, 1, 1))
    assert array.get()[0] == 82


@pytest.mark.parametrize("kind", KINDS)
def test_copies_and_fills(kind):
    ours = gpuarray.zeros(8, np.int32)
    array = gpuarray.to_gpu(np.arange(8, dtype=np.int32))
    foreign, host = kind(array), np.full(8, -1, np.int32)
    stream = drv.Stream()
    drv.memcpy_dtoh(host, foreign)
    assert host.tolist() == list(range(8))
    assert drv.from_device(foreign, 8, np.int32).tolist() == list(range(8))
    drv.memcpy_dtod(ours.gpudata, foreign, 32)
    assert ours.get().tolist() == list(range(8))
    drv.memcpy_htod(foreign, host + 1)
    assert array.get().tolist() == list(range(1, 9))
    drv.memcpy_htod_async(foreign, host + 2, stream)
    drv.memcpy_dtod_async(ours.gpudata, foreign, 32, stream)
    stream.synchronize()
    assert ours.get().tolist() == list(range(2, 10))
    drv.memcpy_dtod(foreign, ours.ptr + 4, 28)
    assert array.get().tolist() == [*range(3, 10), 9]
    drv.memset_d32(foreign, 7, 8)
    assert array.get().tolist() == [7] * 8
    drv.memset_d32_async(foreign, 6, 8, stream)
    stream.synchronize()
    assert array.get().tolist() == [6] * 8
    copy = drv.Memcpy2D()
    copy.set_src_device(foreign)
    copy.set_dst_host(host)
    copy.width_in_bytes = copy.src_pitch = copy.dst_pitch = 32
    copy.height = 1
    copy(aligned=True)
    assert host.tolist() == [6] * 8


@pytest.mark.parametrize("kind", KINDS)
def test_generated_kernels(kind):
    double = ElementwiseKernel("int *x, int *y", "y[i] = 2 * x[i]")
    typed = ElementwiseKernel("T *x, T *y", "y[i] = 2 * x[i]")
    total = ReductionKernel(np.int32, "0", "a + b", "x[i]", "int *x")
    total_typed = ReductionKernel("T", "0", "a + b", "x[i]", "T *x")
    scan = InclusiveScanKernel(np.int32, "a + b")
    values = np.arange(8, dtype=np.int32)
    x, y = gpuarray.to_gpu(values), gpuarray.zeros(8, np.int32)
    for kernel in (double, typed):
        y.fill(0)
        kernel(kind(x), kind(y))
        assert y.get().tolist() == (2 * values).tolist()
        kernel(x, kind(y[::2]), slice=slice(0, 4))
        assert y.get()[::2].tolist() == [0, 2, 4, 6]
    assert total(kind(x)).get() == total_typed(kind(x)).get() == 28
    out = gpuarray.zeros(1, np.int32)
    total(x, out=kind(out), stream=drv.Stream())
    drv.Context.synchronize()
    assert out.get()[0] == 28
    scan(kind(x), kind(y))
    assert y.get().tolist() == np.cumsum(values).tolist()
    assert gpuarray.GPUArray(8, np.int32, gpudata=kind(x)).get()[3] == 3


class Host(Base):
    """A tensor in host memory, with the DLPack method of torch.Tensor."""

    def __dlpack__(self, **options):
        return self.array.__dlpack__()

    def __dlpack_device__(self):
        return (1, 0)


def test_what_is_no_device_memory(add):
    host = Host(np.arange(8, dtype=np.int32))
    with pytest.raises(TypeError, match=r"device \(1, 0\)"):
        add(host, block=(8, 1, 1))
    with pytest.raises(TypeError, match=r"device \(1, 0\)"):
        add.prepared_call(*ONE, host)
    with pytest.raises(TypeError, match=r"device \(1, 0\)"):
        drv.memcpy_dtoh(np.zeros(8, np.int32), host)


class Refuses(Version2):
    """A tensor that its library refuses to export."""

    def __dlpack__(self, *, stream=None):
        raise BufferError("requires gradients")


def test_what_the_producer_raises(add):
    array = gpuarray.zeros(8, np.int32)
    with pytest.raises(BufferError, match="requires gradients"):
        add(Refuses(array), block=(8, 1, 1))


def test_integers_are_addresses_still(add):
    class Address(int):
        pass

    class Index:
        def __init__(self, value):
            self.value = value

        def __index__(self):
            return self.value

    array = gpuarray.zeros(8, np.int32)
    got = np.empty(8, np.int32)
    for address in (
        int(array.ptr), np.uint64(array.ptr), Address(array.ptr),
        Index(int(array.ptr)), np.array(array.ptr),
    ):  # fmt: skip
        drv.memset_d32(address, 3, 8)
        drv.memcpy_dtoh(got, address)
        assert got.tolist() == [3] * 8
        drv.memset_d32(address, 0, 8)
