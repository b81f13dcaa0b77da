"""Objects of user classes as device memory.

They have `gpudata`, `get_pointer`, `__index__` or `__int__`, and are passed to
each function that takes memory.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.usefixtures("context")

SOURCE = """
texture<float, 1, cudaReadModeElementType> table;
__global__ void twice(float *x) { x[threadIdx.x] *= 2; }
__global__ void look_up(float *x)
{ x[threadIdx.x] = tex1Dfetch(table, threadIdx.x); }
"""
VALUES = np.arange(4, dtype=np.float32)
BLOCK = (4, 1, 1)
Pair = namedtuple("Pair", "gpudata shape")


class HasData:
    def __init__(self, gpudata: Any) -> None:
        self.gpudata = gpudata


class HasPointer:
    def __init__(self, pointer: int) -> None:
        self.pointer = pointer

    def get_pointer(self) -> int:
        return self.pointer


class HasIndex:
    def __init__(self, pointer: int) -> None:
        self.pointer = pointer

    def __index__(self) -> int:
        return self.pointer


class HasInt:
    def __init__(self, pointer: int) -> None:
        self.pointer = pointer

    def __int__(self) -> int:
        return self.pointer


class Number(int):
    """An address that also converts to an int."""

    @property
    def gpudata(self) -> int:
        return int(self)


class Row(list):
    """A list with an address."""

    gpudata = 0


def holder_class(with_data: bool) -> Any:
    import pycuda.driver as drv

    class Holder(drv.PointerHolderBase):
        def __init__(self, pointer: int) -> None:
            super().__init__()
            if with_data:
                self.gpudata = pointer
            else:
                self.get_pointer = lambda: pointer

    return Holder


def row(pointer: int) -> Row:
    made = Row()
    made.gpudata = pointer
    return made


# Constructors from an array. The second row has addresses that a plain call
# rejects, like an int, because they may be meant as numbers.
ARGUMENTS: dict[str, Callable[[Any], Any]] = {
    "gpudata is an int": lambda a: HasData(a.ptr),
    "gpudata is an allocation": lambda a: HasData(a.gpudata),
    "gpudata is an array": lambda a: HasData(a),
    "gpudata is of NumPy": lambda a: HasData(np.uintp(a.ptr)),
    "gpudata is an array of NumPy": lambda a: HasData(np.array(a.ptr)),
    "gpudata has __int__": lambda a: HasData(HasInt(a.ptr)),
    "gpudata has __index__": lambda a: HasData(HasIndex(a.ptr)),
    "gpudata has gpudata": lambda a: HasData(HasData(a.ptr)),
    "gpudata is a holder": lambda a: HasData(holder_class(False)(a.ptr)),
    "holder": lambda a: holder_class(False)(a.ptr),
    "holder with gpudata": lambda a: holder_class(True)(a.ptr),
    "get_pointer": lambda a: HasPointer(a.ptr),
    "int subclass": lambda a: Number(a.ptr),
    "namedtuple": lambda a: Pair(a.ptr, (4,)),
    "list subclass": lambda a: row(a.ptr),
}
NUMBERS: dict[str, Callable[[Any], Any]] = {
    "__index__": lambda a: HasIndex(a.ptr),
    "__int__": lambda a: HasInt(a.ptr),
}
ALL = {**ARGUMENTS, **NUMBERS}


@pytest.fixture
def array(context: Any) -> Any:
    from pycuda import gpuarray

    return gpuarray.to_gpu(VALUES)


@pytest.mark.parametrize("kind", ARGUMENTS)
def test_arguments(module: Any, array: Any, kind: str) -> None:
    module.get_function("twice")(ARGUMENTS[kind](array), block=BLOCK)
    assert (array.get() == 2 * VALUES).all()


@pytest.mark.parametrize("kind", NUMBERS)
def test_numbers_are_no_arguments(module: Any, array: Any, kind: str) -> None:
    with pytest.raises(TypeError, match="invalid type on parameter #0"):
        module.get_function("twice")(NUMBERS[kind](array), block=BLOCK)


@pytest.mark.parametrize("form", ["P", [np.intp], [np.uintp], "Q"])
@pytest.mark.parametrize("kind", ALL)
def test_prepared(module: Any, array: Any, kind: str, form: Any) -> None:
    twice = module.get_function("twice").prepare(form)
    twice.prepared_call((1, 1), BLOCK, ALL[kind](array))
    twice.prepared_async_call((1, 1), BLOCK, None, ALL[kind](array))
    assert (array.get() == 4 * VALUES).all()


@pytest.mark.parametrize("kind", ALL)
def test_copies_and_fills(drv: Any, array: Any, kind: str) -> None:
    thing = ALL[kind](array)
    host = np.empty_like(VALUES)
    other = drv.to_device(VALUES + 9)
    drv.memcpy_dtoh(host, thing)
    assert (host == VALUES).all()
    drv.memcpy_dtod(thing, other, host.nbytes)
    assert (array.get() == VALUES + 9).all()
    drv.memcpy_htod(thing, VALUES + 1)
    drv.memcpy_dtod(other, thing, host.nbytes)
    assert (drv.from_device_like(other, host) == VALUES + 1).all()
    stream = drv.Stream()
    drv.memset_d32_async(thing, 0x40000000, 4, stream)
    stream.synchronize()
    assert (drv.from_device(thing, 4, "f4") == 2).all()
    drv.memset_d2d8(thing, 8, 0, 8, 2)
    assert (array.get() == 0).all()


@pytest.mark.parametrize("kind", ALL)
def test_descriptors_of_copies(drv: Any, array: Any, kind: str) -> None:
    thing = ALL[kind](array)
    for make in (drv.Memcpy2D, drv.Memcpy3D):
        copy = make()
        copy.set_src_host(VALUES + 5)
        copy.set_dst_device(thing)
        copy.dst_device = thing
        copy.width_in_bytes = copy.src_pitch = copy.dst_pitch = 16
        copy.height = copy.depth = 1
        copy()
        assert (array.get() == VALUES + 5).all()
        array.fill(0)


@pytest.mark.parametrize("kind", ALL)
def test_textures(drv: Any, module: Any, array: Any, kind: str) -> None:
    from pycuda import gpuarray

    texture = module.get_texref("table")
    found = gpuarray.zeros(4, np.float32)
    texture.set_address(ALL[kind](array), 16)
    module.get_function("look_up")(found, block=BLOCK, texrefs=[texture])
    assert (found.get() == VALUES).all()


@pytest.mark.parametrize("kind", ALL)
def test_arrays_and_kernels_of_classes(array: Any, kind: str) -> None:
    from pycuda import gpuarray
    from pycuda.elementwise import ElementwiseKernel

    thing = ALL[kind](array)
    made = gpuarray.GPUArray((4,), np.float32, gpudata=thing)
    assert made.gpudata is thing
    assert (made.get() == VALUES).all()
    replaced = gpuarray.zeros(4, np.float32)
    replaced.gpudata = thing
    assert ((replaced + 1).get() == VALUES + 1).all()
    twice = ElementwiseKernel("float *x, float *y", "y[i] = 2 * x[i]")
    twice(replaced, made)
    assert (array.get() == 2 * VALUES).all()
    allocated = gpuarray.empty(4, np.float32, allocator=lambda size: thing)
    assert (allocated.get() == 2 * VALUES).all()
    assert float(gpuarray.sum(made).get()) == 2 * VALUES.sum()


def test_numbers_of_derived_classes(drv: Any) -> None:
    from pycuda.compiler import SourceModule

    class Whole(np.int32):
        pass

    class Real(np.float64):
        pass

    function = SourceModule(
        "__global__ void f(double *x, int n, double d) { *x = n + d; }"
    ).get_function("f")
    out = np.zeros(1)
    function(drv.Out(out), Whole(4), Real(0.5), block=(1, 1, 1))
    assert out[0] == 4.5


class Itself:
    @property
    def gpudata(self) -> Any:
        return self


class Failing:
    @property
    def gpudata(self) -> Any:
        raise KeyError("mine")


@pytest.mark.parametrize(
    ("wrong", "error", "says"),
    [
        # Python 3.14 measures the stack instead of counting calls.
        (Itself(), RecursionError, "recursion|Stack overflow"),
        (Failing(), KeyError, "mine"),
        (HasData(None), TypeError, "HasData"),
        (HasData(1.5), TypeError, "HasData"),
        (HasData("x"), TypeError, "HasData"),
        (HasPointer(None), TypeError, "HasPointer"),  # type: ignore[arg-type]
    ],
)
def test_what_is_no_address(
    drv: Any, module: Any, wrong: Any, error: Any, says: str
) -> None:
    twice = module.get_function("twice")
    with pytest.raises(error, match=says):
        twice(wrong, block=BLOCK)
    with pytest.raises(error, match=says):
        drv.memset_d8(wrong, 0, 1)
