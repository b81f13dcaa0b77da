"""Index arrays and masks, on the host and the device, against NumPy.

The tests read, assign, and check rejected keys.
"""

# SPDX-License-Identifier: MIT

import gc

import numpy as np
import pytest
from layouts import NUMBERS, both, numbers, same

import pycuda.driver as drv
from pycuda import gpuarray
from pycuda._array import indexing
from pycuda.elementwise import ElementwiseKernel

pytestmark = pytest.mark.usefixtures("context")

SHAPE = (2, 3, 4, 5)
FULL = slice(None)
MASK = (np.arange(120) % 3 == 0).reshape(SHAPE)
KEYS = [
    [0, 1],
    (FULL, [0, 2]),
    ([0, 1], [1, 2]),
    (0, [1, 2]),
    (1, 2, [3]),
    (0, FULL, [1], 2),
    (FULL, [0, 2], FULL, [1, 3]),
    ([0, 1], FULL, [1, 2]),
    (FULL, [0], ..., [1], [0]),
    (None, [0, 1]),
    ([0, 1], None, [1, 2]),
    (..., [0, 4]),
    ([1, 0], ..., [0, 4]),
    ([[0, 1], [1, 0]], [[0], [2]]),
    (slice(None, None, -1), [-1, -2]),
    (slice(1, None), slice(None, None, 2), [3, 0], slice(4, 0, -2)),
    (np.array(1), [0]),
    [],
    ([], []),
    (0, [1], [], []),
    MASK,
    MASK[0, 0, 0],
    (FULL, np.array([True, False, True])),
    (FULL, np.ones((3, 4), bool), 1),
    (MASK[:, :, 0, 0], FULL, [1]),
    np.zeros(SHAPE, bool),
    np.zeros((2, 3), bool),
    np.ones((2, 3), bool),
    True,
    False,
    (True, [0, 1]),
    (FULL, True, FULL, [1]),
    np.bool_(True),
]
KEYS[21] = np.array([True, False])


def moved(key):
    """Return the key with its arrays on the device."""
    if isinstance(key, tuple):
        return tuple(map(moved, key))
    if isinstance(key, list):
        key = np.asarray(key, np.int32 if key else np.int64)
    return gpuarray.to_gpu(key) if isinstance(key, np.ndarray) else key


LAYOUTS = [
    ("C", "whole"), ("F", "whole"), ("C", "all reversed"), ("C", "transposed")
]  # fmt: skip


def made(dtype, order, view):
    shape = SHAPE[::-1] if view == "transposed" else SHAPE
    return both(numbers(shape, dtype, 3), order, view)


@pytest.mark.sweep
@pytest.mark.parametrize("place", ["host", "device"])
@pytest.mark.parametrize(("order", "view"), LAYOUTS)
@pytest.mark.parametrize("number", range(len(KEYS)))
def test_get_and_set(number, order, view, place):
    key = KEYS[number]
    there = moved(key) if place == "device" else key
    host, device = made("i4", order, view)
    same(device[there], host[key])
    values = numbers(host[key].shape, "i4", 5)
    sources = [7, np.float64(2.0), values, gpuarray.to_gpu(values)]
    sources += [gpuarray.to_gpu(values.astype(np.float32))]
    for source in sources:
        host, device = made("i4", order, view)
        host[key] = (
            source.get() if isinstance(source, gpuarray.GPUArray) else source
        )
        device[there] = source
        same(device, host)


@pytest.mark.parametrize("dtype", [*NUMBERS, "f2", "S3", "M8[s]", "i4,f8,u1"])
def test_every_dtype(dtype):
    if dtype in ("S3", "M8[s]", "i4,f8,u1"):
        host = np.zeros((4, 5), dtype)
        host[1:3] = np.ones((), host.dtype)
    else:
        host = numbers((4, 5), dtype)
    device = gpuarray.to_gpu(host)
    for key in ([2, 0, 3], (FULL, [1, 1]), host[:, 0] != host[0, 0]):
        same(device[key], host[key])
    host[[0, 2]], device[[0, 2]] = host[[1, 3]], device[[1, 3]]
    same(device, host)
    host[[1]] = device[[1]] = host[0, 0]
    same(device, host)


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u4", "i8", "u8"])
def test_every_index_dtype(dtype):
    host, device = both(numbers((7, 3), "f4"))
    indices = np.array([6, 0, 3], dtype)
    same(device[gpuarray.to_gpu(indices)], host[indices])
    same(device[indices], host[indices])


def test_broadcast_values():
    host, device = both(numbers((4, 5), "f4"))
    for value in (np.arange(5), np.arange(3)[:, None], np.ones((1, 1, 1, 5))):
        host[[3, 0, 1]] = device[[3, 0, 1]] = value
        device[[3, 0, 1]] = gpuarray.to_gpu(value)
        same(device, host)
    with pytest.raises(ValueError, match="broadcast"):
        device[[0, 1]] = np.ones(4)
    with pytest.raises(ValueError, match="broadcast"):
        device[[0, 1]] = np.ones((2, 2, 5))


def test_a_source_that_is_the_target():
    host, device = both(numbers((6,), "i4"))
    host[[0, 1, 2, 3, 4, 5]] = host[::-1].copy()
    device[[0, 1, 2, 3, 4, 5]] = device[::-1]
    same(device, host)
    host[1:][host[1:] > 0] += 1
    device[1:][device[1:] > 0] += 1
    same(device, host)


def test_in_place_through_an_index():
    host, device = both(numbers((5, 4), "f4"))
    for key in ([0, 3], (FULL, [1, 2]), host > 0):
        host[key] *= 3
        device[key] *= 3
        same(device, host)


def test_mask_set_without_waiting():
    """Assigning a scalar through a mask takes one kernel and no wait."""
    host, device = both(numbers((50, 7), "f4"))
    host[host > 1] = np.nan
    device[device > 1] = np.nan
    same(device, host)
    rows = np.arange(50) % 2 == 0
    host[rows] = -0.0
    device[gpuarray.to_gpu(rows)] = -0.0
    same(device, host)


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ([5], "index 5 is out of bounds for axis 0 with size 4"),
        ([0, -5], "index -5 is out of bounds for axis 0 with size 4"),
        ((FULL, [0, 7]), "index 7 is out of bounds for axis 1 with size 6"),
        (np.ones(3, bool), "axis 0; size of axis is 4 but size of .* is 3"),
        (np.ones((4, 5), bool), "along axis 1"),
        ((0, 0, [0]), "too many"),
        (([0, 1], [0, 1, 2]), "could not be broadcast"),
        ((..., ..., [0]), "single Ellipsis"),
        ([1.5], "integer"),
        (np.array([2**63], np.uint64), "index 9223372036854775808"),
    ],
)
def test_refused(key, text):
    device = gpuarray.to_gpu(numbers((4, 6), "f4"))
    with pytest.raises(IndexError, match=text):
        device[key]
    with pytest.raises(IndexError, match=text):
        device[key] = 1


def test_faults_of_the_device():
    """The kernel skips indices out of range; the next get() raises."""
    host, device = both(numbers((4, 6), "f4", 9))
    bad = gpuarray.to_gpu(np.array([0, 4, 1]))
    got = device[bad]
    with pytest.raises(IndexError, match="index 4 .* axis 0 with size 4"):
        got.get()
    expected = host[[0, 0, 1]]
    expected[1] = 0
    same(got, expected)  # the error has been reported
    device[:, gpuarray.to_gpu(np.array([2, -7]))] = 5
    drv.Context.synchronize()
    with pytest.raises(IndexError, match="index -7 .* axis 1 with size 6"):
        device[[0]]
    host[:, 2] = 5
    same(device, host)
    taken = gpuarray.take(device, gpuarray.to_gpu(np.array([24])))
    drv.Context.synchronize()
    with pytest.raises(IndexError, match="size 24"):
        taken.get()


def test_empty_axes():
    host, device = both(np.zeros((0, 3), "f4"))
    same(device[[]], host[[]])
    same(device[:, [2, 0]], host[:, [2, 0]])
    with pytest.raises(IndexError):
        device[[0]]
    with pytest.raises(IndexError):
        device[gpuarray.to_gpu(np.array([0]))].get()


def test_results_keep_class_and_allocator():
    class Mine(gpuarray.GPUArray):
        pass

    sizes = []

    def allocator(size):
        sizes.append(size)
        return drv.mem_alloc(size)

    a = Mine((4, 2), np.float32, allocator).fill(1)
    got = a[[1, 2, 3]]
    assert type(got) is Mine
    assert got.allocator is allocator
    assert sizes == [32, 24]


# --- records -------------------------------------------------------------

RECORD = np.dtype([("tag", "i1"), ("value", "f4"), ("pair", "f8", (2,))])


def records(n):
    host = np.zeros(n, RECORD)
    host["tag"] = np.arange(n)
    host["value"] = np.arange(n) / 2
    host["pair"] = np.arange(2 * n).reshape(n, 2)
    return host


def test_fields_are_views():
    host = records(5)
    device = gpuarray.to_gpu(host)
    for name in RECORD.names:
        same(device[name], host[name])
        same(device[::-2][name], host[::-2][name])
    assert device["value"].base is device
    host["value"] = device["value"] = 2
    host["tag"][1:] += 1
    device["tag"][1:] += 1
    host["pair"] *= 3
    device["pair"] *= 3
    same(device, host)
    with pytest.raises(ValueError, match="no field 'other'"):
        device["other"]


def test_arithmetic_on_fields():
    """In packed records kernels cannot load misaligned fields directly."""
    host = records(7)
    device = gpuarray.to_gpu(host)
    same(device["value"] + device["tag"], host["value"] + host["tag"])
    same(device["value"] > 1, host["value"] > 1)
    assert gpuarray.sum(device["value"]).get() == host["value"].sum()
    host["value"] = host["pair"][:, 0]
    device["value"] = device["pair"][:, 0]
    same(device, host)


def test_records_by_index():
    host = records(6)
    device = gpuarray.to_gpu(host)
    one = (9, 2.5, [3, 4])
    for key in ([1, 4], slice(2, 3), 0):
        host[key] = one
        device[key] = one
        same(device, host)
    host[[0, 1]], device[[0, 1]] = host[[4, 5]], device[[4, 5]]
    same(device, host)


def test_large_records():
    host = np.zeros(5, np.dtype([("x", "f4", (1500,)), ("n", "i4")]))
    host["n"] = np.arange(5)
    device = gpuarray.to_gpu(host)
    same(device[[4, 1]], host[[4, 1]])
    for key in ([0, 2], host["n"] == 3):
        host[key] = device[key] = host[4]
        same(device, host)


def test_misaligned_operands():
    host = np.zeros(6, np.dtype([("pad", "i1"), ("at", "i8"), ("x", "f4")]))
    host["at"] = [5, 0, 3, 3, 1, -1]
    host["x"] = np.arange(6)
    device = gpuarray.to_gpu(host)
    same(device[device["at"]], host[host["at"]])
    same(device["x"][device["at"]], host["x"][host["at"]])
    kernel = ElementwiseKernel("float *x", "x[i] += 1")
    with pytest.raises(ValueError, match="'x' are not aligned"):
        kernel(device["x"])


def test_cleared_caches_leave_the_words_that_kernels_note_faults_in():
    """Clearing once freed the error words, and later data read as an error."""
    from pycuda import tools

    a = gpuarray.arange(5, dtype=np.int32)
    index = gpuarray.to_gpu(np.array([1, 2]))
    before = a[index].get()
    tools.clear_context_caches()
    gc.collect()
    others = [drv.pagelocked_empty(4, np.int64) for _ in range(64)]
    for other in others:
        other[...] = 7
    same(a[index], before)
    wrong = a[gpuarray.to_gpu(np.array([1, 5]))]
    with pytest.raises(IndexError, match="index 5 .* size 5"):
        wrong.get()


@pytest.mark.parametrize("dtype", ["b1", "i2", "f4", "c8", "c16", "S3"])
@pytest.mark.parametrize("size", [1, 511, 512, 513, 4096, 4097, 20000])
def test_masks_over_parts_of_blocks(dtype, size):
    """Chunks and blocks end within, at and after the flags."""
    rng = np.random.default_rng(size)
    host = rng.integers(0, 9, size).astype(dtype)
    device = gpuarray.to_gpu(host)
    for share in (0, 0.3, 1):
        mask = rng.random(size) < share
        flags = gpuarray.to_gpu(mask)
        same(device[flags], host[mask])
        same(gpuarray.flatnonzero(flags), np.flatnonzero(mask))
        if size > 1:
            same(device[1:][flags[1:]], host[1:][mask[1:]])


def test_masks_of_more_blocks_than_are_counted(monkeypatch):
    """With more flags than counted blocks, each block handles more flags."""
    from pycuda._array import indexing

    monkeypatch.setattr(indexing, "_PART", 64)
    monkeypatch.setattr(indexing, "_PARTS", 3)
    host = np.random.default_rng(1).random(10001)
    device, flags = gpuarray.to_gpu(host), gpuarray.to_gpu(host < 0.5)
    same(device[flags], host[host < 0.5])
    same(gpuarray.nonzero(flags)[0], np.nonzero(host < 0.5)[0])


@pytest.mark.parametrize("dtype", ["i1", "f2", "f4", "f8", "c16", "S3"])
@pytest.mark.parametrize("copies", [0, 1, 3, 16, 17])
def test_repeats_of_all_sizes(dtype, copies):
    """Contiguous rows, rows with arbitrary offsets, and others."""
    host = np.arange(5000).astype(dtype)
    device = gpuarray.to_gpu(host)
    for part in (slice(None), slice(3, -1), slice(None, None, 2)):
        got = gpuarray.repeat(device[part], copies)
        same(got, host[part].repeat(copies))
    square, flat = host.reshape(50, 100), device.reshape(50, 100)
    same(gpuarray.repeat(flat, copies, 1), square.repeat(copies, 1))
    same(gpuarray.repeat(flat.T, copies, 1), square.T.repeat(copies, 1))


@pytest.mark.parametrize("shift", [0, 3, -2, 9, 40000, -100001])
def test_rolls(shift):
    host = np.arange(50000, dtype=np.int32)
    device = gpuarray.to_gpu(host)
    same(gpuarray.roll(device, shift), np.roll(host, shift))
    square, grid = host.reshape(250, 200), device.reshape(250, 200)
    same(gpuarray.roll(grid, shift, 0), np.roll(square, shift, 0))
    same(gpuarray.roll(grid, shift, -1), np.roll(square, shift, -1))
    same(gpuarray.roll(grid.T, shift), np.roll(square.T, shift))


def test_masks_where_threads_run_side_by_side(monkeypatch):
    """As on a GPU: positions by a scan, then one thread per element."""
    monkeypatch.setitem(indexing._memoised(), "in turn", lambda: False)
    rng = np.random.default_rng(4)
    host = rng.integers(0, 9, (37, 53)).astype(np.int32)
    device = gpuarray.to_gpu(host)
    flat = indexing.nonzero_flat(device == 3)
    assert flat.get().tolist() == np.flatnonzero(host == 3).tolist()
    assert indexing.nonzero_flat(device == 99).shape == (0,)
    assert device[device > 5].get().tolist() == host[host > 5].tolist()


@pytest.mark.parametrize("order", ["C", "F"])
def test_take_into_another_dtype(order):
    a = gpuarray.zeros((4, 4), np.float32)
    indices = gpuarray.to_gpu(np.array([2, 0]))
    out = gpuarray.zeros((2, 4), np.int32, order=order)
    with pytest.raises(TypeError, match="out has dtype int32, expected"):
        gpuarray.take(a, indices, axis=0, out=out)
