"""Calls of the driver's interface with arguments that make no sense.

Exceptions are the only answer: no crash, no message.  Addresses are drawn
from freed, foreign and null ones; a host address that happens to be mapped
would be undefined on any device, so there is none.
"""

import pytest
from isolated import run

CALLS = """
import random, sys, threading
import numpy as np
import pycuda.autoinit
import pycuda.driver as drv
from pycuda import gpuarray
from pycuda.compiler import SourceModule
random.seed({seed})
# Callbacks may be called with anything, and say so.
threading.excepthook = lambda reason: None
module = SourceModule(
    "texture<float, 2> t; __constant__ int c[4];"
    "__global__ void k(int *a, float b) {{ if (a) a[0] += b; }}"
)
freed = drv.mem_alloc(256)
freed.free()
dead_stream_event = drv.Event()
def objects():
    return [
        None, 0, 1, -1, 7, 2**31, 2**63, 2**64, -2**40, 1.5, "x", "", b"abc",
        [], (), (1,), (1, 2, 3), (1, 2, 3, 4), {{}}, object(), np.float32(2),
        np.int64(3), np.zeros(4), np.zeros((3, 5))[:, ::2], np.zeros(0),
        np.array("text"), bytearray(64), memoryview(b"abcd"), True, 1 + 2j,
        float("nan"), drv.mem_alloc(64), freed, drv.Stream(), drv.Event(),
        gpuarray.zeros(4, np.float32), module.module,
        module.get_function("k"), module.get_texref("t"),
        drv.Device(0), drv.In(np.zeros(2)), drv.device_attribute.WARP_SIZE,
        drv.ArrayDescriptor(), drv.Memcpy2D(), int, repr, slice(1, 2, 0),
    ]
SKIP = {{
    # end or stop the process's own state
    "init", "set_debugging", "py_memcpy_atoh", "py_memcpy_htoa",
    # reads a file by name
    "module_from_file",
}}
def targets():
    yield from (
        (name, getattr(drv, name)) for name in dir(drv)
        if callable(getattr(drv, name)) and name not in SKIP
        and not name.startswith("_") and getattr(
            getattr(drv, name), "__module__", "") != "builtins"
        and name not in ("np", "os", "Context")
    )
    for thing in objects()[31:43]:
        for name in dir(thing):
            if name.startswith("_") or name in ("detach", "pop", "push"):
                continue
            method = getattr(type(thing), name, None)
            if callable(method):
                kind = type(thing).__name__
                yield f"{{kind}}.{{name}}", getattr(thing, name)
pool = list(targets())
calls = answers = 0
while calls < {calls}:
    if calls % 500 == 0:
        pool = list(targets())
    name, function = random.choice(pool)
    values = objects()
    positional = random.sample(values, random.randint(0, 4))
    named = {{}}
    if random.random() < 0.3:
        keys = ["stream", "block", "grid", "shape", "dtype", "order", "flags"]
        named[random.choice(keys)] = random.choice(values)
    calls += 1
    import warnings
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            function(*positional, **named)
            answers += 1
        except Exception as error:
            assert not isinstance(error, SystemError), (name, error)
print(answers > 0)
"""


@pytest.mark.parametrize("seed", range(2))
def test_some_calls(seed: int) -> None:
    assert run(CALLS.format(seed=seed, calls=400)) == "True\n"


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10, 20))
def test_many_calls(seed: int) -> None:
    assert run(CALLS.format(seed=seed, calls=1000)) == "True\n"
