"""Copies and fills are limited by the bounds of their object.

Small blocks of a pool share one allocation of the driver, which accepts a copy
that runs from one block into the next.
"""

# SPDX-License-Identifier: MIT

import numpy as np
import pytest

import pycuda.driver as drv
from pycuda import gpuarray
from pycuda.tools import DeviceMemoryPool

pytestmark = pytest.mark.usefixtures("context")

HOST = np.zeros(64, np.uint8)
REACH = 32  # size in bytes of each object


class Holder:
    """A program's own object."""

    def __init__(self, gpudata):
        self.gpudata = gpudata


class Interface:
    def __init__(self, array):
        self.array = array
        self.__cuda_array_interface__ = array.__cuda_array_interface__


def objects():
    """Return (name, object of REACH bytes within a larger allocation)."""
    array = gpuarray.zeros(4 * REACH, np.uint8)
    table = gpuarray.zeros((4, REACH), np.uint8)
    return {
        "allocation": gpuarray.zeros(REACH, np.uint8).gpudata,
        "mem_alloc": drv.mem_alloc(REACH),
        "pooled": DeviceMemoryPool().allocate(REACH),
        "array": gpuarray.zeros(REACH // 4, np.float32),
        "view": array[REACH : 2 * REACH],
        "row": table[1],
        "strided view": array[4:64:31][:2],
        "holder": Holder(gpuarray.zeros(REACH, np.uint8).gpudata),
        "interface": Interface(array[:REACH]),
        "strided interface": Interface(array[4:64:31][:2]),
    }


NAMES = [
    "allocation", "mem_alloc", "pooled", "array", "view", "row",
    "strided view", "holder", "interface", "strided interface",
]  # fmt: skip


def copy_2d(source, target, width, height=1):
    copy = drv.Memcpy2D()
    copy.set_src_device(source)
    copy.set_dst_device(target)
    copy.width_in_bytes, copy.height = width, height
    copy.src_pitch = copy.dst_pitch = width
    copy(aligned=True)


def copy_3d(source, target, width):
    copy = drv.Memcpy3D()
    copy.set_src_device(source)
    copy.set_dst_device(target)
    copy.width_in_bytes, copy.height, copy.depth = width, 1, 1
    copy.src_pitch = copy.dst_pitch = width
    copy.src_height = copy.dst_height = 1
    copy()


CALLS = {
    "memcpy_htod": lambda x, n, _: drv.memcpy_htod(x, HOST[:n]),
    "memcpy_htod_async": lambda x, n, _: drv.memcpy_htod_async(x, HOST[:n]),
    "memcpy_dtoh": lambda x, n, _: drv.memcpy_dtoh(HOST[:n].copy(), x),
    "memcpy_dtoh_async": lambda x, n, _: drv.memcpy_dtoh_async(
        HOST[:n].copy(), x
    ),
    "memcpy_dtod to": lambda x, n, big: drv.memcpy_dtod(x, big, n),
    "memcpy_dtod from": lambda x, n, big: drv.memcpy_dtod(big, x, n),
    "memcpy_dtod_async": lambda x, n, big: drv.memcpy_dtod_async(big, x, n),
    "memcpy_peer": lambda x, n, big: drv.memcpy_peer(x, big, n),
    "memset_d8": lambda x, n, _: drv.memset_d8(x, 0, n),
    "memset_d8_async": lambda x, n, _: drv.memset_d8_async(x, 0, n),
    "memset_d32": lambda x, n, _: drv.memset_d32(x, 0, -(-n // 4)),
    "memset_d2d8": lambda x, n, _: drv.memset_d2d8(x, n - 1, 0, 1, 2),
    "from_device": lambda x, n, _: drv.from_device(x, n, np.uint8),
    "Memcpy2D to": lambda x, n, big: copy_2d(big, x, n),
    "Memcpy2D from": lambda x, n, big: copy_2d(x, big, n),
    "Memcpy2D rows": lambda x, n, big: copy_2d(big, x, 1, n),
    "Memcpy3D": lambda x, n, big: copy_3d(x, big, n),
}


@pytest.mark.parametrize("name", NAMES)
def test_extents(name):
    x = objects()[name]
    big = gpuarray.zeros(4 * REACH, np.uint8)
    for label, call in CALLS.items():
        call(x, REACH, big)
        with pytest.raises(drv.LogicError, match=f"ends after {REACH} "):
            call(x, REACH + 1, big)
            pytest.fail(label)
    drv.Context.synchronize()


def test_neighbours_keep_their_values():
    """Adjacent blocks of the pool."""
    arrays = [gpuarray.zeros(16, np.float32) for _ in range(8)]
    for array in arrays:
        with pytest.raises(drv.LogicError):
            drv.memcpy_htod(array.gpudata, np.ones(32, np.float32))
        with pytest.raises(drv.LogicError):
            drv.memset_d32(array[8:], 1, 9)
    assert all(array.get().sum() == 0 for array in arrays)


def test_plain_addresses_are_trusted():
    array = gpuarray.zeros(4 * REACH, np.uint8)
    for address in (int(array.ptr), np.uint64(array.ptr), array[:1].gpudata):
        drv.memset_d8(address, 3, 4 * REACH)
    assert array.get().sum() == 12 * REACH


@pytest.mark.parametrize(
    "scalar",
    [
        np.datetime64(12345, "s"),
        np.timedelta64(7, "us"),
        np.float64(2.5),
        np.complex64(1j),
        np.void(b"abcd"),
        b"abcd",
    ],
    ids=lambda scalar: type(scalar).__name__,
)
def test_host_scalars(scalar):
    """NumPy's dates export a buffer without strides."""
    wanted = bytes(memoryview(scalar).cast("B"))
    size = len(wanted)
    device = drv.mem_alloc(size)
    for make in (drv.Memcpy2D, drv.Memcpy3D):
        drv.memset_d8(device, 0, size)
        copy = make()
        copy.set_src_host(scalar)
        copy.set_dst_device(device)
        copy.width_in_bytes = copy.src_pitch = copy.dst_pitch = size
        copy.height = 1
        if make is drv.Memcpy3D:
            copy.depth = 1
            copy.src_height = copy.dst_height = 1
            copy()
        else:
            copy(aligned=True)
        found = bytearray(size)
        drv.memcpy_dtoh(found, device)
        assert bytes(found) == wanted
        copy.width_in_bytes = copy.src_pitch = copy.dst_pitch = size + 1
        with pytest.raises(drv.LogicError):
            copy() if make is drv.Memcpy3D else copy(aligned=True)
