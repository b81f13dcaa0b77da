"""Reference cycles of the driver's objects are collected."""

import gc
import threading
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pycuda.driver as drv
from pycuda import gpuarray
from pycuda.compiler import SourceModule
from pycuda.elementwise import ElementwiseKernel

pytestmark = pytest.mark.usefixtures("context")

SOURCE = """
texture<float, 2> t;
__global__ void k(int *a) { }
"""


class Node:
    """A callable object that can be referenced weakly."""

    def __call__(self, *values: Any) -> None:
        pass


class Host(np.ndarray):
    """Host memory with attributes."""


def host() -> Any:
    return drv.pagelocked_zeros(64, np.int32).view(Host)


def array() -> Any:
    return drv.np_to_array(np.zeros((4, 4), np.float32), "C")


def reference() -> Any:
    return SourceModule(SOURCE).get_texref("t")


def of_function() -> Any:
    module = SourceModule(SOURCE).module
    module.made = module.get_function("k")
    return module


def of_texrefs() -> Any:
    function = SourceModule(SOURCE).get_function("k")
    made = drv.TextureReference()
    made.made = function
    function.param_set_texref(made)
    return made


def of_bound_array() -> Any:
    made = array()
    made.made = reference()
    made.made.set_array(made)
    return made


def of_unbound_array() -> Any:
    made = array()
    made.made = drv.TextureReference()
    made.made.set_array(made)
    return made


def of_texture() -> Any:
    made = array()
    made.made = drv.TextureObject(made)
    return made


def of_level() -> Any:
    flat = drv.ArrayDescriptor()
    flat.width = flat.height = 4
    flat.format, flat.num_channels = drv.array_format.FLOAT, 1
    made = drv.MipmappedArray(flat)
    made.made = made.get_level(1)
    return made


def of_use() -> Any:
    stream = drv.Stream()
    stream.made = stream.use()
    return stream


def of_capture() -> Any:
    stream = drv.Stream()
    stream.made = stream.capture()
    return stream


def captured() -> tuple[Any, Any]:
    """Return a graph and memory that it uses."""
    stream, held = drv.Stream(), drv.mem_alloc(64)
    with stream.capture() as graph:
        drv.memset_d8_async(held, 0, 64, stream)
    return graph, held


def of_graph() -> Any:
    graph, held = captured()
    held.made = graph
    return graph


def of_callback() -> Any:
    stream, made = drv.Stream(), Node()
    with stream.capture() as graph:
        stream.add_callback(print, made)
    made.made = graph  # type: ignore[attr-defined]
    return made


def of_callback_that_was_called() -> Any:
    stream, made, done = drv.Stream(), Node(), threading.Event()
    with stream.capture() as graph:
        stream.add_callback(made)
        stream.add_callback(done.set)
    made.made = graph  # type: ignore[attr-defined]
    graph.launch(stream)
    assert done.wait(20)
    return made


def of_exec() -> Any:
    graph, _ = captured()
    graph.made = graph.instantiate()
    return graph


def of_what_exec_holds() -> Any:
    graph, held = captured()
    held.made = graph.instantiate()
    return held


def of_handler() -> Any:
    made = np.zeros(4).view(Host)
    made.made = drv.In(made)  # type: ignore[attr-defined]
    return made


def of_copy() -> Any:
    made = host()
    made.made = drv.Memcpy2D()
    made.made.set_src_host(made)
    return made


def of_pool(kind: Callable[[], Any], *how: Any) -> Callable[[], Any]:
    def make() -> Any:
        pool = kind()
        made = pool.allocate(1000, *how)
        pool.made = made if not how else made.base
        return pool

    return make


def of_stream_of_block() -> Any:
    stream = drv.Stream()
    stream.made = drv.mem_alloc_async(100, stream)
    return stream


def of_registered() -> Any:
    made = drv.aligned_zeros(1024, np.int32).view(Host)
    made.made = drv.register_host_memory(made).base
    return made


def of_linker() -> Any:
    made = Node()
    made.made = drv.Linker(made)  # type: ignore[attr-defined]
    return made


def of_allocator() -> Any:
    class Allocator(Node):
        def __call__(self, *values: Any) -> Any:
            return drv.mem_alloc(*values)

    made = Allocator()
    made.made = gpuarray.empty(  # type: ignore[attr-defined]
        8, np.float32, allocator=made
    )
    return made


def of_device() -> Any:
    class Device(drv.Device):
        pass

    made = Device(0)
    made.made = made
    return made


def of_kernel() -> Any:
    class Kernel(ElementwiseKernel):
        pass

    Kernel.made = Kernel("float *a", "a[i] = 1")  # type: ignore[attr-defined]
    return Kernel.made  # type: ignore[attr-defined]


CYCLES = {
    "function": of_function,
    "texture references of a function": of_texrefs,
    "bound array": of_bound_array,
    "array of a reference without a module": of_unbound_array,
    "texture object": of_texture,
    "level of a chain": of_level,
    "current stream": of_use,
    "capture": of_capture,
    "graph": of_graph,
    "callback in a graph": of_callback,
    "callback that was called": of_callback_that_was_called,
    "executable graph": of_exec,
    "what an executable graph holds": of_what_exec_holds,
    "argument handler": of_handler,
    "copy": of_copy,
    "pool": of_pool(drv.DeviceMemoryPool),
    "page-locked pool": of_pool(drv.PageLockedMemoryPool, np.uint8),
    "pool of streams": of_pool(drv.AsyncMemoryPool),
    "stream of a block": of_stream_of_block,
    "registered memory": of_registered,
    "linker": of_linker,
    "allocator of an array": of_allocator,
    "device": of_device,
    "elementwise kernel": of_kernel,
}


@pytest.mark.sweep(most=8)
@pytest.mark.parametrize("name", CYCLES)
def test_a_cycle_goes(name: str) -> None:
    made = CYCLES[name]()
    made.node = Node()
    gone = weakref.ref(made.node)
    gc.collect()
    assert gone() is not None
    del made
    drv.Context.synchronize()
    gc.collect()
    assert gone() is None


def test_a_callback_goes_with_its_graph() -> None:
    stream, held = drv.Stream(), Node()
    with stream.capture() as graph:
        stream.add_callback(print, held)
    gone = weakref.ref(held)
    del held
    gc.collect()
    assert gone() is not None
    del graph
    assert gone() is None
