"""Arrays of other processes, and pools that other devices can access."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import pycuda.driver as drv
from pycuda import gpuarray

pytestmark = pytest.mark.usefixtures("context")

OPENER = """
import sys, warnings
warnings.simplefilter("ignore")
import numpy as np
import pycuda.autoprimaryctx
from pycuda import gpuarray
from pycuda.gpuarray import GPUArray
array = GPUArray.from_ipc_handle(bytes.fromhex(sys.argv[1]))
print(type(array).__name__, array.shape, array.strides, array.dtype)
if array.dtype.names is None and array.size:
    array += 1
    print(array.get().ravel().tolist()[:6])
"""


def opened(handle: bytes, program: str = OPENER) -> list[str]:
    """Return what another process prints about the array."""
    done = subprocess.run(
        [sys.executable, "-P", "-c", program, handle.hex()],
        capture_output=True, text=True, timeout=100,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def _views() -> list[tuple[str, Any]]:
    host = np.arange(60, dtype=np.float32).reshape(6, 10)
    a = gpuarray.to_gpu(host)
    return [
        ("part of a block", a[2:, 3:]),
        ("steps", a[::2, ::-1]),
        ("columns", gpuarray.to_gpu(np.asfortranarray(host))),
        ("complex", a.astype(np.complex64)[1]),
    ]


@pytest.mark.parametrize("number", range(4))
def test_handle(number: int) -> None:
    """Shape, strides, offset and dtype travel; both use one memory."""
    name, array = _views()[number]
    before = array.get()
    said = opened(array.ipc_handle())
    assert said[0] == (
        f"GPUArray {array.shape} {array.strides} {array.dtype}"
    ), name
    assert said[1] == str((before + 1).ravel().tolist()[:6])
    np.testing.assert_array_equal(array.get(), before + 1)


def test_handles_without_elements_and_of_records() -> None:
    empty = gpuarray.zeros((0, 4), np.int8)
    assert opened(empty.ipc_handle()) == ["GPUArray (0, 4) (4, 1) int8"]
    kind = np.dtype([("x", "f4"), ("y", [("a", "i2"), ("b", "u1", (3,))])])
    records = gpuarray.to_gpu(np.zeros(3, kind))
    (said,) = opened(records.ipc_handle())
    assert said == f"GPUArray (3,) ({kind.itemsize},) {kind}"


def test_event_of_a_stream() -> None:
    """The other process waits for the stream, the exporter does not."""
    stream = drv.Stream()
    a = gpuarray.zeros(1 << 20, np.float32)
    with stream.use():
        for _ in range(20):
            a += 1
        handle = a.ipc_handle(stream)
    assert b'"event"' in handle
    assert opened(handle)[1] == str([21.0] * 6)


def test_wrong_handles() -> None:
    pool = drv.AsyncMemoryPool()
    a = gpuarray.GPUArray(8, np.float32, allocator=pool.allocate)
    with pytest.raises(drv.Error, match="cannot be shared with other"):
        a.ipc_handle()
    for wrong in (b"", b"x" * 64, bytearray(64)):
        with pytest.raises(ValueError, match=r"expected the bytes that"):
            gpuarray.GPUArray.from_ipc_handle(wrong)


POOLS = """
import warnings
warnings.simplefilter("ignore")
import numpy as np
import pycuda.driver as drv
from pycuda import gpuarray
drv.init()
contexts = [drv.Device(k).make_context() for k in range(2)]
drv.Context.pop()
pool = drv.AsyncMemoryPool()
a = gpuarray.GPUArray(64, np.float32, allocator=pool.allocate)
a.fill(3)
drv.Context.synchronize()
one, two = drv.Device(0), drv.Device(1)
print(pool.has_access(one), pool.has_access(two))
with contexts[1]:
    try:
        gpuarray.sum(a + 1)
    except drv.LogicError as error:
        print(error)
pool.set_access(two)
print(pool.has_access(two))
with contexts[1]:
    print((a + 1).get()[:2])
pool.set_access(two, False)
print(pool.has_access(two))
try:
    pool.set_access(1)
except TypeError as error:
    print(error)
"""


def test_pool_of_another_device(device: str) -> None:
    if device == "gpu" and (
        drv.Device.count() < 2
        or not drv.Device(0).can_access_peer(drv.Device(1))
    ):
        pytest.skip("needs two devices with peer access")
    done = subprocess.run(
        [sys.executable, "-P", "-c", POOLS],
        env=os.environ | {"PYCUDA_CPU_DEVICES": "2"},
        capture_output=True, text=True, timeout=100,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    said = done.stdout.splitlines()
    assert said[0] == "True False"
    assert "the memory is on device 0" in said[1]
    assert "AsyncMemoryPool.set_access()" in said[1]
    assert said[2:5] == ["True", "[4. 4.]", "False"]
    assert "Device" in said[5]
