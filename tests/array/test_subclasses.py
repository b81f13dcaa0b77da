"""Pickles, copies, files and subclasses of arrays."""

# SPDX-License-Identifier: MIT

import copy
import io
import pickle

import numpy as np
import pytest

from pycuda import gpuarray

pytestmark = pytest.mark.usefixtures("context")

RECORD = np.dtype([("x", "i4"), ("y", "f8", (2,))])
HOSTS = {
    "C order": np.arange(6.0).reshape(2, 3),
    "Fortran order": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    "no elements": np.zeros((0, 3), np.int8),
    "no axes": np.array(3 + 1j),
    "records": np.array([(1, (2, 3)), (4, (5, 6))], RECORD),
    "halves": np.arange(5, dtype=np.float16),
    "bools": np.array([True, False]),
    "times": np.array(["2020-01-01", "1999-09-09"], "M8[D]"),
}


class Tagged(gpuarray.GPUArray):
    """A subclass with an additional argument and attribute."""

    def __init__(self, tag, shape):
        super().__init__(shape, np.float32)
        self.tag = tag

    def doubled(self):
        return self * 2


def twins(name):
    return HOSTS[name], gpuarray.to_gpu(HOSTS[name])


def same(got, host, strides=True):
    assert got.dtype == host.dtype
    assert got.shape == host.shape
    assert got.get().tobytes() == host.tobytes()
    if strides and host.size:
        assert got.strides == host.strides


@pytest.mark.parametrize("name", HOSTS)
def test_pickles_and_copies(name):
    host, device = twins(name)
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        same(pickle.loads(pickle.dumps(device, protocol)), host)
    for copied in (copy.copy(device), copy.deepcopy(device)):
        same(copied, host)
        assert not device.size or copied.ptr != device.ptr


def test_pickles_of_views():
    device = gpuarray.to_gpu(HOSTS["C order"])
    view = device[::-1, ::2]
    same(pickle.loads(pickle.dumps(view)), HOSTS["C order"][::-1, ::2], False)


def test_copies_are_deep_within_containers():
    device = gpuarray.to_gpu(HOSTS["C order"])
    both = copy.deepcopy({"a": device, "again": device})
    assert both["a"] is both["again"]
    both["a"].fill(0)
    same(device, HOSTS["C order"])


@pytest.mark.parametrize("name", HOSTS)
def test_files(name, tmp_path):
    host, device = twins(name)
    path = tmp_path / "one.npy"
    gpuarray.save(path, device)
    same(gpuarray.load(path), host)
    assert np.load(path).tobytes() == host.tobytes()
    memory = io.BytesIO()
    gpuarray.savez(memory, device, named=device)
    memory.seek(0)
    found = gpuarray.load(memory)
    assert sorted(found) == ["arr_0", "named"]
    for array in found.values():
        same(array, host)


def test_what_is_saved_is_checked(tmp_path):
    with pytest.raises(TypeError, match="to_gpu"):
        gpuarray.save(tmp_path / "x.npy", np.zeros(3))


RESULTS = {
    "slice": lambda a: a[1:],
    "element": lambda a: a[0, 0],
    "transpose": lambda a: a.T,
    "reshape": lambda a: a.reshape(-1),
    "sum of two": lambda a: a + a,
    "number first": lambda a: 1 - a,
    "comparison": lambda a: a < 3,
    "function": lambda a: np.sin(a),
    "copy": lambda a: a.copy(),
    "copy.copy": copy.copy,
    "astype": lambda a: a.astype(np.int32),
    "indexed": lambda a: a[[1, 0]],
    "masked": lambda a: a[a > 2],
    "sort": lambda a: gpuarray.sort(a, 0),
    "product": lambda a: a @ a.T,
    "joined": lambda a: gpuarray.concatenate([a, a]),
    "taken": lambda a: a.take([1], 0),
    "where": lambda a: gpuarray.where(a > 2, a, 0),
    "like": lambda a: gpuarray.zeros_like(a),
    "flip": lambda a: gpuarray.flip(a),
    "tile": lambda a: gpuarray.tile(a, 2),
    "unique": lambda a: gpuarray.unique(a),
    "whole sum": lambda a: gpuarray.sum(a),
    "sum along an axis": lambda a: a.T.sum(0),
    "running sum": lambda a: gpuarray.cumsum(a, 0),
}


@pytest.mark.parametrize("name", RESULTS)
def test_results_keep_the_subclass(name):
    """Results do not call __init__, which may have any signature."""
    a = Tagged("red", (3, 4))
    a[...] = gpuarray.to_gpu(np.arange(12, dtype=np.float32).reshape(3, 4))
    result = RESULTS[name](a)
    plain = RESULTS[name](a.get()) if name in ("slice", "astype") else None
    assert type(result) is Tagged
    assert not hasattr(result, "tag")
    if plain is not None:
        same(result, plain, False)
        assert (result.doubled().get() == 2 * plain).all()


def test_pickles_of_subclasses_keep_attributes():
    a = Tagged("red", (3, 4)).fill(2)
    a.tag = "red"
    for made in (pickle.loads(pickle.dumps(a)), copy.deepcopy(a)):
        assert type(made) is Tagged
        assert made.tag == "red"
        assert (made.get() == 2).all()


def test_a_subclass_beside_a_plain_array():
    """The first array with the result's shape determines the class."""
    a, b = Tagged("red", (3, 4)).fill(1), gpuarray.zeros((3, 4), np.float32)
    assert type(a + b) is Tagged
    assert type(b + a[0]) is gpuarray.GPUArray
