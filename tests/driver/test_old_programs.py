"""Spellings of PyCUDA's first releases, and methods that programs replace."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.usefixtures("context")

SOURCE = """
extern __shared__ float lot[];
texture<float, 1, cudaReadModeElementType> table;
__global__ void add(float *x, int n)
{ lot[threadIdx.x] = n; x[threadIdx.x] += lot[threadIdx.x]; }
__global__ void look_up(float *x)
{ x[threadIdx.x] = tex1Dfetch(table, threadIdx.x); }
"""
BLOCK = (4, 1, 1)


@pytest.fixture
def array(context: Any) -> Any:
    from pycuda import gpuarray

    return gpuarray.zeros(4, np.float32)


@pytest.mark.parametrize(
    ("args", "keywords"),
    [
        ((BLOCK,), {"shared": 16}),
        ((BLOCK, 16), {}),
        ((BLOCK, 16, []), {}),
        ((), {"block": BLOCK, "shared": 16, "texrefs": []}),
        (([4, 1, 1],), {"shared": np.int64(16), "texrefs": []}),
        ((tuple(np.int32(BLOCK)),), {"shared": 16}),
    ],
)
def test_prepare_with_a_block(
    drv: Any, module: Any, array: Any, args: Any, keywords: Any
) -> None:
    add = module.get_function("add")
    with pytest.warns(DeprecationWarning, match="block size in prepare"):
        assert add.prepare("Pi", *args, **keywords) is add
    stream = drv.Stream()
    with pytest.warns(DeprecationWarning, match="block size to prepared_call"):
        add.prepared_call((1, 1), array.gpudata, 1)
    with pytest.warns(DeprecationWarning, match="prepared_async_call"):
        add.prepared_async_call((1, 1), stream, array.gpudata, 2)
    stream.synchronize()
    with pytest.warns(DeprecationWarning, match="prepared_timed_call"):
        time = add.prepared_timed_call((1, 1), array.gpudata, 3)
    assert time() >= 0
    add.prepared_call((1, 1), (2, 1, 1), array.gpudata, 4, shared_size=8)
    assert array.get().tolist() == [10, 10, 6, 6]


def test_prepare_with_a_block_and_texrefs(module: Any, array: Any) -> None:
    from pycuda import gpuarray

    texture = module.get_texref("table")
    values = gpuarray.arange(4, dtype=np.float32)
    values.bind_to_texref(texture)
    for args, keywords in (
        ((BLOCK,), {"texrefs": [texture]}),
        ((BLOCK, None, [texture]), {}),
    ):
        look_up = module.get_function("look_up")
        with pytest.warns(DeprecationWarning):
            look_up.prepare("P", *args, **keywords)
        assert look_up.texrefs == [texture]
        with pytest.warns(DeprecationWarning):
            look_up.prepared_call((1, 1), array.gpudata)
        assert array.get().tolist() == [0, 1, 2, 3]
        array.fill(0)
    look_up = module.get_function("look_up")
    look_up.prepare("P", [texture]).prepared_call((1, 1), BLOCK, array)
    assert array.get().tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("args", "keywords", "error"),
    [
        (((4, 1.5, 1),), {}, TypeError),
        (((4, 1, 1, 1),), {}, Exception),
        ((BLOCK, 1.5), {}, TypeError),
        ((BLOCK, -1), {}, OverflowError),
        ((BLOCK,), {"block": BLOCK}, TypeError),
        ((BLOCK,), {"other": 1}, TypeError),
        ((), {"shared": 4}, TypeError),
        ((3,), {}, TypeError),
    ],
)
def test_wrong_blocks_in_prepare(
    module: Any, args: Any, keywords: Any, error: Any
) -> None:
    with pytest.raises(error):
        module.get_function("add").prepare("Pi", *args, **keywords)


def test_methods_without_underscores(
    drv: Any, module: Any, array: Any
) -> None:
    add = module.get_function("add")
    add.set_block_shape(*BLOCK)
    add.set_shared_size(16)
    add.param_setv(0, np.intp(array.gpudata))
    add.param_seti(8, 1)
    add.param_set_size(12)
    add.launch()
    add.launch_grid(1, 1)
    stream = drv.Stream()
    add.launch_grid_async(1, 1, stream)
    stream.synchronize()
    assert (array.get() == 3).all()
    host = array.get()
    given = drv.InOut(host)
    assert add.param_set(given, np.int32(5)) == [given]
    given.pre_call(None)
    add.launch_grid(1, 1)
    given.post_call(None)
    assert (host == 8).all()
    assert add.param_set(array, np.int32(5)) == []
    with pytest.raises(TypeError, match="takes 2 parameters"):
        add.param_set(array)
    with pytest.raises(TypeError, match="keyword"):
        add.param_set(array, n=5)


def test_attributes_of_the_first_releases(module: Any) -> None:
    add = module.get_function("add")
    assert add.registers == add.num_regs
    assert (add.lmem, add.smem) == (
        add.local_size_bytes,
        add.shared_size_bytes,
    )


def test_copies_with_a_stream(drv: Any, array: Any) -> None:
    stream = drv.Stream()
    there, back = np.arange(4, dtype="f4"), np.zeros(4, "f4")
    drv.memcpy_htod(array.gpudata, there, stream)
    drv.memcpy_dtoh(back, array.gpudata, stream=stream)
    stream.synchronize()
    assert (back == there).all()
    drv.memcpy_dtoh(back, array.gpudata, None)
    with pytest.raises(TypeError):
        drv.memcpy_htod(array.gpudata, there, 3.5)


def test_arrays_of_numpy_as_grid_and_block(module: Any, array: Any) -> None:
    add = module.get_function("add")
    for kind in (np.int32, np.uint64):
        shape = {"block": np.array(BLOCK, kind), "grid": np.array([1], kind)}
        add(array, np.int32(1), shared=16, **shape)
    assert (array.get() == 2).all()
    for wrong in (np.array([4.0, 1, 1]), np.ones((1, 3), int)):
        with pytest.raises(TypeError, match="integer"):
            add(array, np.int32(1), shared=16, block=wrong)


def test_a_call_that_is_replaced(drv: Any, module: Any, array: Any) -> None:
    """Programs wrap launches to count or time them."""
    calls = []
    add, other = (module.get_function("add") for _ in range(2))
    original = drv.Function.__call__

    def wrapped(self: Any, *args: Any, **keywords: Any) -> Any:
        calls.append((self, args[1:]))
        return original(self, *args, **keywords)

    def launch(function: Any) -> None:
        function(array, np.int32(1), block=BLOCK, shared=16)

    launch(add)
    drv.Function.__call__ = wrapped
    try:
        launch(add)
        launch(other)
    finally:
        drv.Function.__call__ = original
    launch(add)
    assert calls == [(add, (1,)), (other, (1,))]
    assert (array.get() == 4).all()


@pytest.mark.parametrize(
    "method", ["prepared_call", "prepare", "get_attribute", "_launch_grid"]
)
def test_methods_that_are_replaced(
    drv: Any, module: Any, monkeypatch: Any, method: str
) -> None:
    calls: list[Any] = []
    monkeypatch.setattr(drv.Function, method, lambda *args: calls.append(args))
    add = module.get_function("add")
    getattr(add, method)(3)
    assert calls == [(add, 3)]


def test_modules_of_their_own_making(drv: Any, array: Any) -> None:
    """Subclasses of SourceModule that do not call its constructor."""
    from pycuda.compiler import CudaModule, SourceModule, compile

    image = compile(SOURCE)

    class Loaded(SourceModule):
        def __init__(self) -> None:
            self.module = drv.module_from_buffer(image)
            self._bind_module()

    class Attributes(SourceModule):
        def __init__(self) -> None:
            self.module = drv.module_from_buffer(image)
            self.get_global = self.module.get_global

    class Based(CudaModule):
        def __init__(self) -> None:
            self.module = drv.module_from_buffer(image)
            self._bind_module()

    for kind in (Loaded, Attributes, Based):
        kind().get_function("add")(array, np.int32(1), block=BLOCK, shared=16)
    assert (array.get() == 3).all()


def test_source_module_of_the_driver(drv: Any) -> None:
    from pycuda.compiler import SourceModule

    with pytest.warns(DeprecationWarning, match="pycuda.compiler"):
        assert drv.SourceModule is SourceModule
    with pytest.raises(AttributeError, match="SauceModule"):
        _ = drv.SauceModule
    assert not hasattr(drv, "__path__")


def test_modules_that_programs_reach_through_others() -> None:
    gpuarray = importlib.import_module("pycuda.gpuarray")
    assert gpuarray.elementwise.ElementwiseKernel
    assert gpuarray.drv.mem_alloc
