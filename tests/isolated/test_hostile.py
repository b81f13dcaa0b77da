"""Driver calls with invalid arguments.

The only allowed result is an exception: no crash, no output. Addresses are
freed, foreign or null; a host address that happens to be mapped would be
undefined on any device, so there is none.
"""

import pytest
from isolated import run

CALLS = """
import gc, random, sys, threading, warnings
import numpy as np
import pycuda.autoinit
import pycuda.driver as drv
from pycuda import _driver, gpuarray
from pycuda.compiler import SourceModule
random.seed({seed})
on_cpu = _driver._device_kind() == "cpu"
# Callbacks may be called with anything, and say so.
threading.excepthook = lambda reason: None
SOURCE = (
    "texture<float, 2> t; surface<void, 2> s; __constant__ int c[4];"
    "__global__ void k(int *a, float b) {{ if (a) a[0] += b; }}"
)
module = SourceModule(SOURCE)

def kinds(flat, stream):
    "An object of each kind, in the current context."
    with stream.capture() as graph:
        drv.memset_d32_async(gpuarray.zeros(4, "i4").gpudata, 1, 4, stream)
    own = SourceModule(SOURCE)
    async_pool = drv.AsyncMemoryPool()
    pool = drv.DeviceMemoryPool()
    host_pool = drv.PageLockedMemoryPool()
    shared = drv.event_flags.INTERPROCESS | drv.event_flags.DISABLE_TIMING
    return [
        drv.mem_alloc(64), stream, drv.Event(), drv.Event(shared),
        gpuarray.zeros(4, np.float32), own.module, own.get_function("k"),
        own.get_texref("t"), own.get_surfref("s"), drv.Array(flat),
        graph, graph.instantiate(), stream.capture(), drv.Linker(),
        async_pool, async_pool.allocate(64), pool, pool.allocate(64),
        host_pool, host_pool.allocate(4, np.int32).base,
        drv.pagelocked_zeros(4, np.int32), drv.pagelocked_zeros(4, "i4").base,
        drv.managed_zeros(4, np.int32, mem_flags=1),
        drv.register_host_memory(drv.aligned_zeros(1024, "i4")).base,
        drv.TextureObject(drv.matrix_to_array(np.zeros((4, 4), "f4"), "C")),
        drv.SurfaceObject(
            drv.np_to_array(np.zeros((4, 4), "f4"), "C", True)),
        drv.MipmappedArray(flat), drv.MipmappedArray(flat).get_level(1),
        drv.TextureObject(
            drv.MipmappedArray(flat), normalized_coordinates=True),
        drv.In(np.zeros(2)), drv.InOut(np.zeros(2)), drv.TextureReference(),
        drv.Memcpy2D(), drv.Memcpy3D(), drv.Memcpy3DPeer(),
        drv.ArrayDescriptor(), drv.ArrayDescriptor3D(),
    ]

flat = drv.ArrayDescriptor()
flat.width = flat.height = 4
flat.format, flat.num_channels = drv.array_format.FLOAT, 1
freed = drv.mem_alloc(256)
freed.free()
gone = drv.Device(0).make_context()
dead = kinds(flat, drv.Stream())  # whose context is gone
gone.detach()
if not on_cpu:  # page-locked memory went with it, below NumPy's arrays
    dead = [thing for thing in dead if not isinstance(thing, np.ndarray)]
other = drv.Device(0).make_context()
foreign = kinds(flat, drv.Stream())  # of a context that is not current
other.pop()

def plain():
    return [
        None, 0, 1, -1, 7, 2**31, 2**63, 2**64, -2**40, 1.5, "x", "", b"abc",
        [], (), (1,), (1, 2, 3), (1, 2, 3, 4), {{}}, object(), np.float32(2),
        np.int64(3), np.zeros(4), np.zeros((3, 5))[:, ::2], np.zeros(0),
        np.array("text"), bytearray(64), memoryview(b"abcd"), True, 1 + 2j,
        float("nan"), int, repr, slice(1, 2, 0), np.zeros((4, 4), "f4"),
        np.zeros((2, 3, 4), "u1", order="F"), np.dtype("f4"), "C", "F",
        drv.Device(0), drv.device_attribute.WARP_SIZE, drv.array_format.FLOAT,
        drv.jit_input_type.CUBIN, drv.limit.STACK_SIZE, freed, gone, other,
        drv.memory_type.HOST, drv.memory_type.ARRAY, drv.memory_type.DEVICE,
    ]
SKIP = {{
    # end or stop the process's own state
    "init", "set_debugging", "py_memcpy_atoh", "py_memcpy_htoa",
    # reads a file by name
    "module_from_file",
}} | (set() if on_cpu else {{
    # what a GPU believes: handles, and addresses that kernels are given
    "from_handle", "param_seti", "param_setf", "param_setv", "param_set",
}})
STATE = {{"detach", "pop", "push", "retain_primary_context", "make_context"}}

def may_set(thing, name):
    # A GPU does not look at every size before it copies.  The numbers that
    # an allocator gives are addresses: `int` would make some up.
    copies = (drv.Memcpy2D, drv.Memcpy3D, drv.Memcpy3DPeer)
    safe = on_cpu or not isinstance(thing, copies)
    return safe and name not in ("gpudata", "allocator")

def targets(live):
    for name in dir(drv):
        value = getattr(drv, name)
        if (callable(value) and name not in SKIP and name[0] != "_"
                and getattr(value, "__module__", "") != "builtins"
                and name not in ("np", "os", "Context")):
            yield name, value
    for thing in live + dead + foreign + [drv.Device(0)]:
        if isinstance(thing, np.ndarray):
            continue  # NumPy's methods are NumPy's
        for name in dir(type(thing)):
            if name.startswith("_") or name in STATE | SKIP:
                continue
            value = getattr(type(thing), name, None)
            kind = f"{{type(thing).__name__}}.{{name}}"
            if callable(value):
                yield kind, getattr(thing, name)
            elif hasattr(value, "__set__") and may_set(thing, name):
                yield kind, lambda *x, t=thing, n=name, **k: (
                    setattr(t, n, *x[:1]) if x else getattr(t, n))
        if callable(thing):
            yield type(thing).__name__, thing
calls = answers = 0
while calls < {calls}:
    if calls % 200 == 0:
        live = kinds(flat, drv.Stream())
        pool = list(targets(live))
        gc.collect()
    name, function = random.choice(pool)
    values = plain() + live + random.sample(dead + foreign, 12)
    positional = random.sample(values, random.randint(0, 4))
    named = {{}}
    if random.random() < 0.3:
        keys = ["stream", "block", "grid", "shape", "dtype", "order", "flags"]
        named[random.choice(keys)] = random.choice(values)
    if not on_cpu:  # nor what an allocator is said to have given
        positional = [value for value in positional if value is not int]
    if not on_cpu and name.startswith("Function"):
        positional = [
            value for value in positional
            if not isinstance(value, (int, float, np.number))
        ]
    calls += 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            function(*positional, **named)
            answers += 1
        except Exception as error:
            assert not isinstance(error, SystemError), (name, error)
# All of that, and the device still computes.
for stream in [x for x in live + foreign if isinstance(x, drv.Stream)]:
    assert stream.is_capturing in (True, False)
del live, pool, values, positional, named, function, dead, foreign
gc.collect()
array = gpuarray.to_gpu(np.arange(100, dtype="f4"))
assert (array + 1).get().tolist() == list(range(1, 101))
print(answers > 0)
"""


@pytest.mark.parametrize("seed", range(2))
def test_some_calls(seed: int) -> None:
    assert run(CALLS.format(seed=seed, calls=400)) == "True\n"


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10, 20))
def test_many_calls(seed: int) -> None:
    assert run(CALLS.format(seed=seed, calls=1000)) == "True\n"
