"""NumPy's functions beyond PyCUDA's, each called on host and device.

`test_fuzz_functions.py` covers many more arguments and layouts.
"""

# SPDX-License-Identifier: MIT

import operator

import numpy as np
import pytest

import pycuda.driver as drv
from pycuda import gpuarray
from pycuda._array.mathematics import BINARY, UNARY
from pycuda._array.numpy_refusals import INSTEAD

pytestmark = pytest.mark.usefixtures("context")

HOST = np.arange(24, dtype=np.float32).reshape(2, 3, 4) - 7

# Name -> calls that take the module and an array.
CALLS = {
    "full": lambda m, a: m.full((2, 3), 2.5, np.float32),
    "full of int": lambda m, a: m.full(3, 7),
    "full_like": lambda m, a: m.full_like(a, 3, np.int16),
    "linspace": lambda m, a: m.linspace(-1, 2, 7),
    "linspace open": lambda m, a: m.linspace(0, 5, 9, False, dtype="f4"),
    "linspace of ints": lambda m, a: m.linspace(0, 7, 5, dtype=np.int32),
    "linspace of nothing": lambda m, a: m.linspace(0, 7, 0),
    "linspace of arrays": lambda m, a: m.linspace(a[0], a[1], 4, axis=-1),
    "eye": lambda m, a: m.eye(3, 5, -1, np.int32),
    "identity": lambda m, a: m.identity(4),
    "diag": lambda m, a: m.diag(a[0, 0], 1),
    "diag of a matrix": lambda m, a: m.diag(a[0], -1),
    "meshgrid": lambda m, a: m.meshgrid(a[0, 0], a[0, :, 0])[1],
    "meshgrid ij": lambda m, a: m.meshgrid(a[0, 0], a[1, 1], indexing="ij")[0],
    "broadcast_to": lambda m, a: m.broadcast_to(a, (5, 2, 3, 4)),
    "expand_dims": lambda m, a: m.expand_dims(a, (0, -1)),
    "squeeze": lambda m, a: m.squeeze(a[:, :1, :1], 1),
    "moveaxis": lambda m, a: m.moveaxis(a, (0, 1), (-1, 0)),
    "swapaxes": lambda m, a: m.swapaxes(a, 0, -1),
    "matrix_transpose": lambda m, a: m.matrix_transpose(a),
    "flip": lambda m, a: m.flip(a, (0, 2)),
    "flip all": lambda m, a: m.flip(a),
    "fliplr": lambda m, a: m.fliplr(a),
    "flipud": lambda m, a: m.flipud(a),
    "diagonal": lambda m, a: m.diagonal(a, 1, 1, 2),
    "roll": lambda m, a: m.roll(a, 5),
    "roll along axes": lambda m, a: m.roll(a, (1, -2), (0, 2)),
    "repeat": lambda m, a: m.repeat(a, 3, 1),
    "repeat by counts": lambda m, a: m.repeat(a, [2, 0, 1], axis=1),
    "repeat flat": lambda m, a: m.repeat(a, 2),
    "tile": lambda m, a: m.tile(a, (2, 1, 3)),
    "tile more axes": lambda m, a: m.tile(a[0], (2, 1, 1)),
    "tril": lambda m, a: m.tril(a, 1),
    "triu": lambda m, a: m.triu(a, -1),
    "triu of a row": lambda m, a: m.triu(a[0, 0]),
    "diff": lambda m, a: m.diff(a, 2, 1),
    "diff with ends": lambda m, a: m.diff(a, prepend=0, append=a[..., :2]),
    "concatenate": lambda m, a: m.concatenate([a, a[:, :1]], 1),
    "concatenate flat": lambda m, a: m.concatenate([a, a[0]], None),
    "concatenate as": lambda m, a: m.concatenate([a, a], dtype=np.float64),
    "stack": lambda m, a: m.stack([a, a], -1),
    "vstack": lambda m, a: m.vstack([a[0], a[1, 0]]),
    "hstack": lambda m, a: m.hstack([a[0], a[1]]),
    "dstack": lambda m, a: m.dstack([a[0], a[1]]),
    "column_stack": lambda m, a: m.column_stack([a[0], a[0, :, 0]]),
    "append": lambda m, a: m.append(a, a[0]),
    "split": lambda m, a: m.split(a, 2, -1)[1],
    "array_split": lambda m, a: m.array_split(a, 3, 2)[0],
    "hsplit": lambda m, a: m.hsplit(a, [1])[1],
    "vsplit": lambda m, a: m.vsplit(a, 2)[0],
    "unstack": lambda m, a: m.unstack(a, axis=1)[2],
    "where": lambda m, a: m.where(a > 0, a, -1),
    "nonzero": lambda m, a: m.nonzero(a > 3)[1],
    "flatnonzero": lambda m, a: m.flatnonzero(a),
    "argwhere": lambda m, a: m.argwhere(a > 8),
    "take": lambda m, a: m.take(a, [[0, -1], [2, 1]], axis=1),
    "take one": lambda m, a: m.take(a, 2, axis=-1),
    "take flat": lambda m, a: m.take(a, [5, 23, -24]),
    "take wrapping": lambda m, a: m.take(a, [-9, 99], axis=0, mode="wrap"),
    "take clipping": lambda m, a: m.take(a, [-9, 99], axis=0, mode="clip"),
    "compress": lambda m, a: m.compress([True, False, True], a, 1),
    "extract": lambda m, a: m.extract(a > 4, a),
    "clip": lambda m, a: m.clip(a, -2, 5),
    "clip below": lambda m, a: m.clip(a, a_min=a[0], a_max=None),
    "clip of ints": lambda m, a: m.clip(a.astype(np.uint8), -5, 300),
    "round": lambda m, a: m.round(a / 3, 1),
    "round tens": lambda m, a: m.round(a.astype(np.int32), -1),
    "round of complex": lambda m, a: m.round(a / 7 + 1j * a, 2),
    "round of one": lambda m, a: m.round((a / 7 + 1j * a)[0, 0, 0], 1),
    "divmod": lambda m, a: m.divmod(a, -3)[0],
    "atleast_3d": lambda m, a: m.atleast_3d(a[0]),
    "logical_xor": lambda m, a: m.logical_xor(a, a > 2),
    "outer": lambda m, a: m.outer(a[0], a[1, 0]),
    "trace": lambda m, a: m.trace(a, 0, 1, 2),
}


@pytest.mark.parametrize("name", CALLS)
def test_functions(name):
    want = CALLS[name](np, HOST)
    got = CALLS[name](gpuarray, gpuarray.to_gpu(HOST))
    assert got.dtype == want.dtype
    assert got.shape == want.shape
    assert np.array_equal(got.get(), want)


def test_every_function_has_its_names():
    for name, others in {**UNARY, **BINARY}.items():
        for own in (name, *others):
            assert getattr(gpuarray, own).__name__ == own
            assert f"numpy.{name}" in getattr(gpuarray, own).__doc__


@pytest.mark.sweep(most=50)
@pytest.mark.parametrize("name", sorted(UNARY))
@pytest.mark.parametrize("dtype", ["i4", "f4", "f8"])
def test_unary_functions(name, dtype):
    host = np.array([0.25, 0.5, 1, 0.75], dtype) + (dtype == "i4")
    try:
        with np.errstate(all="ignore"):
            want = getattr(np, name)(host)
    except TypeError:
        with pytest.raises(TypeError):
            getattr(gpuarray, name)(gpuarray.to_gpu(host))
        return
    out = gpuarray.empty(4, want.dtype)
    stream = drv.Stream()
    own = getattr(gpuarray, name)
    device = gpuarray.to_gpu(host)
    drv.Context.synchronize()
    assert own(device, out=out, stream=stream) is out
    stream.synchronize()
    np.testing.assert_allclose(out.get(), want, rtol=2e-6)
    assert own(device).dtype == want.dtype


@pytest.mark.sweep(most=14)
@pytest.mark.parametrize("name", sorted(BINARY))
def test_binary_functions(name):
    integers = name in ("gcd", "lcm") or name.startswith(
        ("bit", "left", "rig")
    )
    host = np.array([[1, 2, 3], [7, 5, 6]], "i4" if integers else "f4")
    other = np.array([2, 3, 1], "i4" if name == "ldexp" else host.dtype)
    want = getattr(np, name)(host, other)
    own = getattr(gpuarray, name)
    got = own(gpuarray.to_gpu(host), gpuarray.to_gpu(other))
    assert got.dtype == want.dtype
    np.testing.assert_allclose(got.get(), want, rtol=2e-6)
    if name != "ldexp":
        got = own(2, gpuarray.to_gpu(host))
        np.testing.assert_allclose(
            got.get(), getattr(np, name)(2, host), rtol=2e-6
        )


@pytest.mark.sweep(most=16)
@pytest.mark.parametrize(
    "name",
    [
        "arcsin", "arccos", "arctan", "arcsinh", "arccosh", "arctanh",
        "expm1", "log1p", "log2", "exp2", "sign", "reciprocal", "square",
        "isfinite", "isinf", "isnan", "rint", "sqrt", "log",
    ],
)  # fmt: skip
@pytest.mark.parametrize("dtype", ["c8", "c16"])
def test_complex_functions(name, dtype):
    parts = np.array([-2.5, -1, -0.3, -1e-3, 0.0, 1e-5, 0.4, 1, 3])
    host = (parts[:, None] + 1j * parts).astype(dtype)
    if name in ("reciprocal", "log2", "log", "arctanh", "arctan", "log1p"):
        host = host + host.dtype.type(0.017 + 0.013j)
    want = getattr(np, name)(host)
    got = getattr(gpuarray, name)(gpuarray.to_gpu(host))
    assert got.dtype == want.dtype
    loose = 3e-6 if dtype == "c8" else 1e-13
    np.testing.assert_allclose(got.get(), want, rtol=loose, atol=loose)


def test_neighbours_of_halves():
    bits = np.arange(0, 65536, 7, dtype=np.uint16)
    host = bits.view(np.float16)
    device = gpuarray.to_gpu(host)
    for towards in (np.float16(np.inf), np.float16(-1)):
        got = gpuarray.nextafter(device, towards).get()
        want = np.nextafter(host, towards)
        assert np.array_equal(got, want, equal_nan=True)


def test_put():
    for view in (lambda a: a, lambda a: a[..., ::-2], lambda a: a.T):
        host, device = HOST.copy(), gpuarray.to_gpu(HOST)
        np.put(view(host), [1, -2, 3], [50, 60])
        gpuarray.put(view(device), [1, -2, 3], [50, 60])
        view(host).put([0, 77], 9, "wrap")
        places = gpuarray.to_gpu(np.array([0, 77]))
        view(device).put(places, 9, "wrap")
        assert np.array_equal(device.get(), host)


def test_put_on_the_device_checks_indices():
    a = gpuarray.to_gpu(HOST).T
    gpuarray.put(a, gpuarray.to_gpu(np.array([0, 24])), 1.0)
    with pytest.raises(IndexError):
        a.get()
    gpuarray.put(a, gpuarray.to_gpu(np.array([-25])), 1.0)
    with pytest.raises(IndexError):
        a.get()
    want = HOST.copy()
    want[0, 0, 0] = 1
    assert np.array_equal(a.get(), want.T)
    with pytest.raises(IndexError, match="24"):
        gpuarray.put(a, [24], 1.0)


def test_along_an_axis():
    order = np.argsort(-HOST, 1)
    device, places = gpuarray.to_gpu(HOST), gpuarray.to_gpu(order)
    got = gpuarray.take_along_axis(device, places, 1)
    assert np.array_equal(got.get(), np.take_along_axis(HOST, order, 1))
    host = HOST.copy()
    np.put_along_axis(host, order[:, :1], 99, 1)
    gpuarray.put_along_axis(device, places[:, :1], 99, 1)
    assert np.array_equal(device.get(), host)


def test_choose():
    which = np.array([[0, 2, 1, 0]] * 3)
    choices = [HOST[0], HOST[1], np.float32(5)]
    devices = [gpuarray.to_gpu(c) if c.ndim else c for c in choices]
    got = gpuarray.choose(gpuarray.to_gpu(which), devices)
    assert np.array_equal(got.get(), np.choose(which, choices))
    with pytest.raises(IndexError):
        gpuarray.choose(gpuarray.to_gpu(which + 1), devices).get()
    wrapped = gpuarray.choose(gpuarray.to_gpu(which + 2), devices, mode="wrap")
    want = np.choose(which + 2, choices, mode="wrap")
    assert np.array_equal(wrapped.get(), want)


def test_out_of_any_layout():
    device = gpuarray.to_gpu(HOST)
    out = gpuarray.zeros((4, 3, 2), np.float64).T
    assert gpuarray.clip(device, 0, 3, out) is out
    assert np.array_equal(out.get(), HOST.clip(0, 3))
    assert gpuarray.concatenate([device[:1], device[:1]], out=out) is out
    assert np.array_equal(out.get(), np.concatenate([HOST[:1], HOST[:1]]))
    same = gpuarray.zeros((4, 3, 2), np.float32).T
    places = gpuarray.to_gpu(np.array([1, 0]))
    assert gpuarray.take(device, places, same, axis=0) is same
    assert np.array_equal(same.get(), HOST[::-1])


def test_views_share_memory():
    device = gpuarray.to_gpu(HOST)
    gpuarray.flip(device, 0)[0, 0, 0] = 100
    gpuarray.diagonal(device, 0, 1, 2)[0, 1] = 200
    gpuarray.expand_dims(device, 0)[0, 0, 0, 0] = 300
    gpuarray.split(device, 2)[1][0, 2, 3] = 400
    host = device.get()
    assert host[1, 0, 0] == 100
    assert host[0, 1, 1] == 200
    assert host[0, 0, 0] == 300
    assert host[1, 2, 3] == 400
    assert gpuarray.broadcast_to(device, (3, 2, 3, 4)).strides[0] == 0


@pytest.mark.parametrize("name", ["floordiv", "mod", "divmod"])
def test_integer_division_by_zero_and_signs(name):
    host = np.array([-7, 7, -1, 0, 5, np.iinfo("i4").min], np.int32)
    by = np.array([2, -2, 0, 0, 5, -1], np.int32)
    function = getattr(operator, name, divmod)
    with np.errstate(all="ignore"):
        want = function(host, by)
    got = function(gpuarray.to_gpu(host), gpuarray.to_gpu(by))
    pairs = [(got, want)] if name != "divmod" else zip(got, want, strict=True)
    for ours, theirs in pairs:
        assert np.array_equal(ours.get(), theirs)
    if name == "divmod":
        with np.errstate(all="ignore"):
            want = divmod(100, host)
        for ours, theirs in zip(
            divmod(100, gpuarray.to_gpu(host)), want, strict=True
        ):
            assert np.array_equal(ours.get(), theirs)


@pytest.mark.parametrize("name", ["and_", "or_", "xor", "lshift", "rshift"])
def test_bits_are_for_integers(name):
    function = getattr(operator, name)
    a = gpuarray.to_gpu(HOST)
    with pytest.raises(TypeError):
        function(a, 1)
    with pytest.raises(TypeError):
        function(1.5, a.astype(np.int32))
    with pytest.raises(TypeError):
        operator.invert(a)
    number = gpuarray.to_gpu(np.arange(5))
    assert np.array_equal(function(3, number).get(), function(3, np.arange(5)))


def test_numbers():
    one = gpuarray.to_gpu(np.array([[7]], np.int32))
    assert (int(one), float(one), complex(one)) == (7, 7.0, 7 + 0j)
    assert one.item() == 7
    assert f"{one[0, 0]:.2f}" == "7.00" and f"{one}" == str(one)
    with pytest.raises(TypeError, match="format"):
        f"{one:.2f}"
    assert list(range(10))[one[0, 0]] == 7
    with pytest.raises(TypeError):
        operator.index(one)
    a = gpuarray.to_gpu(HOST)
    assert a.item(5) == HOST.item(5)
    assert a.item(1, 2, -1) == HOST.item(1, 2, -1)
    assert a.tolist() == HOST.tolist()
    with pytest.raises(TypeError, match="one element"):
        float(a)
    with pytest.raises(IndexError):
        a.item(24)


def test_methods():
    a = gpuarray.to_gpu(HOST)
    for method in (
        lambda x: x.flatten("F"),
        lambda x: x.swapaxes(0, 1),
        lambda x: x.diagonal(0, 1, 2),
        lambda x: x.repeat(2, 0),
        lambda x: x.take([0, 1], 1),
        lambda x: x.compress([False, True], 0),
        lambda x: x.clip(0, 5),
        lambda x: x.round(),
        lambda x: x.mT,
        lambda x: x.argsort(0),
        lambda x: x.nonzero()[0],
        lambda x: x.squeeze(),
        lambda x: x.trace(),
    ):
        assert np.array_equal(method(a).get(), method(HOST))


def test_errors():
    a = gpuarray.to_gpu(HOST)
    for error, call in [
        (ValueError, lambda: gpuarray.broadcast_to(a, (2, 3, 5))),
        (ValueError, lambda: gpuarray.broadcast_to(a, 4)),
        (ValueError, lambda: a.squeeze(0)),
        (ValueError, lambda: gpuarray.moveaxis(a, 0, (1, 2))),
        (ValueError, lambda: gpuarray.flip(a, 3)),
        (ValueError, lambda: gpuarray.split(a, 3)),
        (ValueError, lambda: gpuarray.array_split(a, 0)),
        (ValueError, lambda: gpuarray.repeat(a, -1)),
        (ValueError, lambda: gpuarray.repeat(a, [1, 2], 1)),
        (ValueError, lambda: gpuarray.tile(a, -1)),
        (ValueError, lambda: gpuarray.diff(a, -1)),
        (ValueError, lambda: gpuarray.concatenate([])),
        (TypeError, lambda: gpuarray.concatenate([a, HOST])),
        (TypeError, lambda: gpuarray.concatenate([a, a], dtype="i4")),
        (ValueError, lambda: gpuarray.nonzero(a[0, 0, 0])),
        (IndexError, lambda: gpuarray.take(a, [3], axis=1)),
        (TypeError, lambda: gpuarray.take(a, [0.5], axis=1)),
        (ValueError, lambda: gpuarray.take(a, [0], mode="round")),
        (ValueError, lambda: gpuarray.linspace(0, 1, -1)),
        (ValueError, lambda: gpuarray.diagonal(a, 0, 1, 1)),
        (ValueError, lambda: gpuarray.diagonal(a[0, 0])),
        (ValueError, lambda: gpuarray.meshgrid(a, indexing="x")),
        (TypeError, lambda: gpuarray.sin(HOST)),
        (TypeError, lambda: gpuarray.add(a, HOST)),
        (TypeError, lambda: gpuarray.add(1, 2)),
        (TypeError, lambda: gpuarray.add(a, "x")),
        (TypeError, lambda: gpuarray.add(a, a, out=HOST)),
        (ValueError, lambda: a._strided((99,), (4,))),
        (ValueError, lambda: a._strided((2,), (4, 4))),
    ]:
        with pytest.raises(error):
            call()


def test_spacing_of_every_float16():
    """The result has the argument's sign, as for NumPy's wider floats."""
    every = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    positive = every[: 1 << 15]
    with np.errstate(all="ignore"):
        sizes = np.spacing(positive)
    got = gpuarray.spacing(gpuarray.to_gpu(every)).get()
    assert np.array_equal(got[: 1 << 15], sizes, equal_nan=True)
    negative = got[1 << 15 :]
    assert negative[0] == sizes[0]  # for -0.0, as with wider floats
    assert np.array_equal(negative[1:], -sizes[1:], equal_nan=True)


def test_elements_are_looked_for():
    host = np.array([[1, 2], [3, np.nan]], np.float32)
    device = gpuarray.to_gpu(host)
    row = gpuarray.to_gpu(np.array([1, 9], np.float32))
    for value, there in ((3, True), (4.0, False), (np.nan, False)):
        assert (value in device) == (value in host) == there
    assert row in device and row[1:] not in device
    assert "text" not in device
    assert 0 not in gpuarray.zeros(0, np.int32)
    with pytest.raises(TypeError, match="host array"):
        operator.contains(device, host)


def test_triangles_keep_class_and_allocator():
    class Mine(gpuarray.GPUArray):
        pass

    def allocator(size):
        return drv.mem_alloc(size)

    a = Mine((3, 4), np.float32, allocator).fill(2)
    for function in (gpuarray.tril, gpuarray.triu):
        made = function(a)
        assert type(made) is Mine and made.allocator is allocator


@pytest.mark.parametrize("name", sorted(INSTEAD))
def test_what_refusals_advise(name):
    square = "diagonal" in name or "trace" in name or "matrix" in name
    host = np.array([1.5, -2.5, 3, np.nan if "nan" in name else 4], "f4")
    host = host.reshape(2, 2) if square else host
    a = gpuarray.to_gpu(host)
    function = operator.attrgetter(name.removeprefix("numpy."))(np)
    with pytest.raises(TypeError) as caught:
        function(a)
    said = str(caught.value)
    assert f"use {INSTEAD[name]} on the device, {name}(a.get())" in said
    found = eval(INSTEAD[name], {"a": a, "numpy": np})
    np.testing.assert_allclose(found.get(), function(host), rtol=1e-6)


@pytest.mark.parametrize("name", ["fft.fft", "unwrap", "poly"])
def test_refusals_name_the_host_and_cupy(name):
    a = gpuarray.zeros((4, 4), np.float32)
    with pytest.raises(TypeError) as caught:
        operator.attrgetter(name)(np)(a)
    assert str(caught.value) == (
        f"numpy.{name} is not implemented for GPUArrays: use "
        f"numpy.{name}(a.get()) on the host, or, with a GPU, "
        f"cupy.{name}(cupy.asarray(a)), which shares the memory"
    )
