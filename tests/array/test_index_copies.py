"""Elements of a row, read and written by index.

Frequent cases run in C (`src/array/gather.c`). The tests compare results with
NumPy and check the path.
"""

# SPDX-License-Identifier: MIT

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from layouts import both, numbers, same
from test_fast_calls import frames, runs_in_c

import pycuda.driver as drv
from pycuda import gpuarray

pytestmark = pytest.mark.usefixtures("context")

RECORD = np.dtype([("a", "i2"), ("b", "f8"), ("c", "u1")])
TYPES = ["?", "i1", "u2", "f2", "i4", "f4", "u8", "f8", "c8", "c16", "g",
         ">f4", "V3", RECORD]  # fmt: skip
INTEGERS = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", ">i4"]

many = settings(max_examples=200, deadline=None)


def elements(n, dtype, seed=0):
    """Return elements of any type, made of different bytes."""
    dtype = np.dtype(dtype)
    if dtype.kind in "Vg" or dtype.byteorder == ">":
        whole = numbers((n,), "i1", seed)
        if dtype.kind != "V":
            return whole.astype(dtype)
        random = np.random.default_rng(seed)
        return random.integers(0, 256, n * dtype.itemsize, np.uint8).view(
            dtype
        )
    return numbers((n,), dtype, seed)


def row(n, dtype, offset):
    """Return a contiguous row on both sides, at an offset in elements."""
    host = elements(n + offset, dtype)
    return host[offset:], gpuarray.to_gpu(host)[offset:]


def as_key(which, kind, dtype):
    """Return the key for the host and for the device."""
    if kind == "list":
        return which.tolist(), which.tolist()
    if kind == "device":
        dtype = np.dtype(dtype).newbyteorder("=")
    host = which.astype(dtype)
    return host, host if kind == "host" else gpuarray.to_gpu(host)


keys = {
    "kind": st.sampled_from(["list", "host", "device"]),
    "index": st.sampled_from(INTEGERS),
    "dtype": st.sampled_from(TYPES),
    "n": st.integers(1, 100),
    "offset": st.integers(0, 3),
    "data": st.data(),
}


def drawn(data, n, index, distinct):
    """Return random indices of one or two axes, negative ones if signed."""
    signed = np.dtype(index).kind == "i"
    places = data.draw(
        st.lists(
            st.integers(-n if signed else 0, n - 1),
            max_size=24,
            unique_by=(lambda k: k % n) if distinct else None,
        )
    )
    which = np.array(places, np.int64)
    if which.size and which.size % 2 == 0 and data.draw(st.booleans()):
        which = which.reshape(2, -1)
    return which


@many
@given(**keys)
def test_got(kind, index, dtype, n, offset, data):
    host, device = row(n, dtype, offset)
    mine, its = as_key(drawn(data, n, index, False), kind, index)
    if isinstance(mine, list) and not mine:
        mine = np.empty(0, int)
    same(device[its], host[mine])


@many
@given(
    **keys,
    value=st.sampled_from(
        [
            "array",
            "number",
            "float",
            "scalar",
            "other type",
            "host",
            "one",
            "itself",
        ]  # fmt: skip
    ),
)
def test_set(kind, index, dtype, n, offset, data, value):
    host, device = row(n, dtype, offset)
    host = host.copy()
    which = drawn(data, n, index, True)
    mine, its = as_key(which, kind, index)
    if isinstance(mine, list) and not mine:
        mine = np.empty(0, int)
    given_ = elements(which.size, dtype, 5).reshape(which.shape)
    if value == "array":
        theirs = gpuarray.to_gpu(given_)
    elif value == "host":
        theirs = given_
    elif value == "one" or host.dtype.kind == "V" or dtype in ("g", ">f4"):
        theirs = given_ = elements(1, dtype, 5)
    elif value == "other type":
        given_ = numbers(which.shape, "i1", 5)
        theirs = gpuarray.to_gpu(given_)
    elif value == "itself":  # overlaps itself, at other positions
        given_ = host[: which.size].copy().reshape(which.shape)
        theirs = device[: which.size].reshape(which.shape)
    else:
        theirs = given_ = {
            "number": 1, "float": 0.0, "scalar": np.int16(1)
        }[value]  # fmt: skip
    host[mine] = given_
    device[its] = theirs
    same(device, host)


# --- rows ----------------------------------------------------------------

SHAPES_OF_ROWS = [(5, 3), (7, 1), (1, 4), (9, 2, 3), (4, 1, 5), (3, 16, 2)]


@pytest.mark.parametrize("kind", ["list", "host", "device"])
@pytest.mark.parametrize("dtype", TYPES, ids=str)
@pytest.mark.parametrize("shape", SHAPES_OF_ROWS, ids=str)
def test_rows(shape, dtype, kind):
    size = int(np.prod(shape))
    for offset in (0, 1):
        host, device = row(size, dtype, offset)
        host, device = host.reshape(shape).copy(), device.reshape(shape)
        n = shape[0]
        for which in (np.arange(n - 1, -n - 1, -1), np.array([[0], [-1]]),
                      np.array([-n])):  # fmt: skip
            mine, its = as_key(which, kind, "i4")
            same(device[its], host[mine])
            if kind == "device":
                same(gpuarray.take(device, its, axis=0), host[mine])
            values = elements(which.size * size // n, dtype, 9)
            values = values.reshape(*which.shape, *shape[1:])
            if len({k % n for k in which.flat}) == which.size:
                host[mine] = values
                device[its] = gpuarray.to_gpu(values)
                same(device, host)
            one = elements(1, dtype, 4)
            if host.dtype.kind != "V" and dtype not in ("g", ">f4"):
                one = host.dtype.type(1)
            host[mine] = one
            device[its] = one
            same(device, host)


@pytest.mark.parametrize(
    ("shape", "dtype"),
    [((9001, 3), "f4"), ((20000, 1), "u1"), ((3, 600_001), "u1"),
     ((2, 140_000), "f8"), ((300, 257), "f4"), ((70_000, 2), "f8")],
)  # fmt: skip
def test_many_rows_and_long_ones(shape, dtype):
    random = np.random.default_rng(5)
    host = random.integers(0, 200, shape).astype(dtype)
    device = gpuarray.to_gpu(host)
    order = random.permutation(shape[0])
    key = gpuarray.to_gpu(order)
    same(device[key], host[order])
    values = host[::-1].copy()
    device[key] = gpuarray.to_gpu(values)
    host[order] = values
    same(device, host)
    device[key[:2]] = 7
    host[order[:2]] = 7
    same(device, host)


def test_rows_out_of_range():
    device = gpuarray.zeros((4, 3), "i4") + 1
    key = gpuarray.to_gpu(np.array([1, 4, -1, -5]))
    got = device[key]
    with pytest.raises(IndexError, match=r"(4|-5) is out of .* 0 with size 4"):
        got.get()
    same(got, np.array([[1] * 3, [0] * 3, [1] * 3, [0] * 3], "i4"))
    device[key] = 5
    with pytest.raises(IndexError, match=r"(4|-5) is out of .* 0 with size 4"):
        device.get()
    same(device, np.array([[1] * 3, [5] * 3, [1] * 3, [5] * 3], "i4"))
    with pytest.raises(IndexError, match="index 4 is out of bounds"):
        device[[4]]
    with pytest.raises(IndexError, match="index -5 is out of bounds"):
        device[[-5]] = 1
    with pytest.raises(ValueError, match="could not be broadcast"):
        device[[1, 2]] = gpuarray.zeros((3, 3), "i4")
    with pytest.raises(ValueError, match="at most 32 axes"):
        device[np.zeros((1,) * 32, int)]


@pytest.mark.parametrize("order", ["F", "stepped"])
def test_rows_that_are_not_packed(order):
    host = numbers((6, 8), "f4")
    device = gpuarray.to_gpu(host)
    host, device = (
        (a.T if order == "F" else a[:, ::2]) for a in (host, device)
    )
    same(device[[1, -1]], host[[1, -1]])
    host = host.copy()
    device[gpuarray.to_gpu(np.array([2, 0]))] = 3
    host[[2, 0]] = 3
    same(device, host)
    packed = gpuarray.zeros((4, 3), "f4")
    values, theirs = both(numbers((3, 2), "f4"), "F")
    packed[[1, 2]] = theirs.T
    packed[0] = 1
    want = np.zeros((4, 3), "f4")
    want[[1, 2]], want[0] = values.T, 1
    same(packed, want)


def test_rows_of_values_that_overlap():
    host = numbers((6, 2), "f4")
    device = gpuarray.to_gpu(host)
    device[gpuarray.to_gpu(np.array([1, 2, 3]))] = device[:3]
    host[[1, 2, 3]] = host[:3].copy()
    same(device, host)


def test_rows_without_a_frame():
    host = numbers((6, 5), "f4")
    device = gpuarray.to_gpu(host)
    key = gpuarray.to_gpu(np.array([2, -1]))
    runs_in_c(lambda: device[key], host[[2, -1]])
    runs_in_c(lambda: device[[2, -1]], host[[2, -1]])
    runs_in_c(lambda: gpuarray.take(device, key, axis=0), host[[2, -1]])
    values = gpuarray.to_gpu(host[:2] * 2)
    for value in (values, 3, 0.5):
        device[key] = value
        count, _ = frames(lambda v=value: device.__setitem__(key, v))
        assert count == 0


# --- fast paths -----------------------------------------------------------


@pytest.mark.parametrize("value", [1.5, 3, True, np.float32(2), "array"])
@pytest.mark.parametrize("dtype", ["i2", "f4", "c8"])
def test_no_frame_of_pythons(dtype, value):
    host = np.arange(1, 9).astype(dtype)
    device = gpuarray.to_gpu(host)
    which = np.array([1, -2, 5])
    want = host.copy()
    want[which] = [7, 8, 9] if value == "array" else value
    if value == "array":
        value = gpuarray.to_gpu(np.array([7, 8, 9], dtype))
    for key in (which, which.tolist(), gpuarray.to_gpu(which)):
        runs_in_c(lambda at=key: device[at], host[which])
        target = gpuarray.to_gpu(host)
        target[key] = value
        count, _ = frames(lambda to=target, at=key: to.__setitem__(at, value))
        assert count == 0
        same(target, want)


@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("dtype", ["?", "u1", "f2", "i4", "f8", "c16"])
def test_masks_are_filled_without_a_frame(dtype, order):
    host = np.asarray(numbers((6, 7), dtype), order=order)
    mask = numbers((6, 7), "?", 3)
    for value in (0, 1, True, host.dtype.type(1), 0.0):
        device, flags = gpuarray.to_gpu(host), gpuarray.to_gpu(mask)
        device[flags] = value
        count, _ = frames(
            lambda to=device, at=flags, v=value: to.__setitem__(at, v)
        )
        assert count == 0
        want = host.copy()
        want[mask] = value
        same(device, want)


def test_masks_that_need_more():
    host = numbers((6, 7), "f4")
    for mask, value in (
        (numbers((6,), "?", 3), 2),
        (numbers((6, 7), "?", 3), np.array([2])),
        (np.zeros((6, 7), bool), 2),
        (numbers((6, 7), "?", 4), np.float64(0.5)),
    ):
        device, want = gpuarray.to_gpu(host), host.copy()
        device[gpuarray.to_gpu(mask)] = value
        want[mask] = value
        same(device, want)
    with pytest.raises(IndexError, match="did not match"):
        device[gpuarray.to_gpu(numbers((7, 6), "?"))] = 1
    for dtype in ("g", ">f4"):
        device = gpuarray.to_gpu(np.arange(8).astype(dtype))
        device[gpuarray.to_gpu(np.arange(8) % 3 == 0)] = 0.5
        same(device, np.array([0.5, 1, 2, 0.5, 4, 5, 0.5, 7], dtype))


@pytest.mark.parametrize("key", [[0, 8], [-9], np.array([3, 8]), [1 << 70]])
def test_out_of_range_on_the_host(key):
    device = gpuarray.zeros(8, "f4")
    for call in (
        lambda: device[key],
        lambda: device.__setitem__(key, 1),
        lambda: device.__setitem__(key, device[:1]),
    ):
        with pytest.raises((IndexError, OverflowError)):
            call()
    same(device, np.zeros(8, "f4"))


@pytest.mark.parametrize(
    "key", [[0.0], ["a"], [None], [True, False], [[1], [1, 2]], np.ones(2)]
)
def test_lists_that_are_no_indices(key):
    host = np.arange(3, dtype="f4")
    device = gpuarray.to_gpu(host)
    try:
        want = host[key]
    except (IndexError, ValueError):
        want = None
    if want is None:
        with pytest.raises((IndexError, ValueError)):
            device[key]
        with pytest.raises((IndexError, ValueError)):
            device[key] = 1
    else:
        same(device[key], want)


@pytest.mark.parametrize("step", [2, -1])
def test_values_that_are_not_packed(step):
    host = np.arange(12, dtype="f4")
    device = gpuarray.zeros(12, "f4")
    values, theirs = host[::step][:6], gpuarray.to_gpu(host)[::step][:6]
    for key in ([5, 1, 3, 7, -1, 6], [[5, 1, 3], [7, -1, 6]]):
        want = np.zeros(12, "f4")
        shape = np.shape(key)
        for mine, its in (
            (values.reshape(shape), theirs.reshape(shape)),
            (values.reshape(shape[::-1]).T, theirs.reshape(shape[::-1]).T),
        ):
            want[key] = mine
            device[key] = its
            same(device, want)


@pytest.mark.parametrize("dtype", ["V8", "V12", "V2"])
def test_values_at_odd_addresses(dtype):
    size = np.dtype(dtype).itemsize
    raw = np.arange(4 * size + 1, dtype="u1")
    values, theirs = (a[1:].view(dtype) for a in (raw, gpuarray.to_gpu(raw)))
    host = np.zeros(6, dtype)
    for place in (gpuarray.to_gpu(host), gpuarray.zeros(6 * size + 1, "u1")[
            1:].view(dtype)):  # fmt: skip
        host = np.zeros(6, dtype)
        host[[4, 1, -6, 2]] = values
        place[[4, 1, -6, 2]] = theirs
        same(place, host)
        same(place[[1, 4]], host[[1, 4]])
        same(theirs[[1, 3]], values[[1, 3]])


def test_indices_of_many_axes():
    host = np.arange(5, dtype="f4")
    device = gpuarray.to_gpu(host)
    for ndim in (31, 32):
        key = np.full((1,) * ndim, 3)
        same(device[key], host[key])
        same(device[gpuarray.to_gpu(key)], host[key])
        device[key] = ndim
        host[key] = ndim
        same(device, host)
    key = np.full((1,) * 32, 3)[..., None]
    with pytest.raises(ValueError, match="at most 32 axes"):
        device[key]
    with pytest.raises(ValueError, match="at most 32 axes"):
        device[key] = 1


def test_huge_unsigned_indices_do_not_wrap():
    device = gpuarray.zeros(4, "f4")
    key = np.array([(1 << 64) - 1], np.uint64)
    with pytest.raises(IndexError):
        device[key]
    with pytest.raises(IndexError):
        device[key] = 1
    same(device, np.zeros(4, "f4"))


def test_indices_on_the_device_of_another_byte_order():
    device = gpuarray.zeros(8, "f4")
    key = gpuarray.to_gpu(np.array([1], ">i4"))
    for call in (
        lambda: device[key],
        lambda: device.__setitem__(key, 1),
        lambda: device.__setitem__(key, device[:1]),
        lambda: gpuarray.take(device, key),
    ):
        with pytest.raises(TypeError, match="byte order, not >i4"):
            call()


@pytest.mark.parametrize("value", [5, "array"])
def test_out_of_range_on_the_device(value):
    device = gpuarray.zeros(8, "i4")
    key = gpuarray.to_gpu(np.array([1, 8, -1, -9], "i4"))
    if value == "array":
        value = gpuarray.to_gpu(np.full(4, 5, "i4"))
    device[key] = value
    with pytest.raises(IndexError, match=r"(8|-9) is out of bounds .* size 8"):
        device.get()
    same(device, np.array([0, 5, 0, 0, 0, 0, 0, 5], "i4"))


@pytest.mark.parametrize(
    ("dtype", "value", "error"),
    [("i1", 300, OverflowError), ("f4", 1j, TypeError),
     ("u4", -1, OverflowError)],
)  # fmt: skip
def test_values_that_do_not_fit(dtype, value, error):
    device = gpuarray.zeros(8, dtype)
    mask = gpuarray.to_gpu(np.ones(8, bool))
    for key in ([1], gpuarray.to_gpu(np.array([1])), mask):
        with pytest.raises(error):
            device[key] = value
    same(device, np.zeros(8, dtype))


def test_values_of_another_shape():
    device = gpuarray.zeros(8, "f4")
    for values in (device[:2], gpuarray.zeros((3, 1), "f4")):
        with pytest.raises(ValueError, match="could not be broadcast"):
            device[[1, 2, 3]] = values
    device[[1, 2, 3]] = gpuarray.zeros((1, 3), "f4") + 1
    device[[[4], [5]]] = gpuarray.zeros((2, 1), "f4") + 2
    same(device, np.array([0, 1, 1, 1, 2, 2, 0, 0], "f4"))


def test_an_allocator_is_used_for_the_result_alone():
    asked = []

    def allocate(size):
        asked.append(size)
        return drv.mem_alloc(size)

    device = gpuarray.GPUArray(8, "f4", allocate).fill(1)
    asked.clear()
    same(device[[1, 2]], np.ones(2, "f4"))
    device[[1, 2]] = 4
    assert asked == [8]


def test_the_current_stream_is_used():
    stream = drv.Stream()
    device = gpuarray.arange(8, dtype="f4")
    key = gpuarray.to_gpu(np.array([1, 2]))
    values = gpuarray.to_gpu(np.array([7, 8], "f4"))
    mask = gpuarray.to_gpu(np.arange(8) == 5)
    device[key] = values
    device[key] = 0
    device[mask] = 0
    drv.Context.synchronize()
    with stream.capture() as graph, stream.use():
        device[key] = values
        device[mask] = 9
    same(device, np.array([0, 0, 0, 3, 4, 0, 6, 7], "f4"))
    graph.launch(stream)
    stream.synchronize()
    same(device, np.array([0, 7, 8, 3, 4, 9, 6, 7], "f4"))


class Own(gpuarray.GPUArray):
    """A subclass, whose results have that class."""


def test_subclasses():
    host = np.arange(8, dtype="f4")
    device = Own(8, "f4")
    device.set(host)
    assert type(device[[1, 2]]) is Own
    device[[1, 2]] = 5
    device[gpuarray.to_gpu(host == 7)] = 3
    host[[1, 2]], host[7] = 5, 3
    same(device, host)


# --- created arrays --------------------------------------------------------

SHAPES = [5, (), (0,), (3, 4), [2, 3], np.int32(3), (2, 0), -1, "a", None,
          (1 << 40, 1 << 40), 1.5]  # fmt: skip
NEW = ["f4", np.float32, float, "?", "i1", "f2", "c16", "g", ">f4", RECORD,
       "V3", "O", None, "no type"]  # fmt: skip


def outcome(call):
    """Return an array's layout and elements, or the exception."""
    try:
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            made = call()
    except Exception as error:
        return type(error), str(error)
    return (
        type(made), made.shape, made.strides, made.dtype,
        repr(made.get().tolist()), [str(one.message) for one in seen],
    )  # fmt: skip


def alike(function, *args, **named):
    """Assert that C code and the Python function behind it give the same."""
    want = outcome(lambda: function.__wrapped__(*args, **named))
    assert outcome(lambda: function(*args, **named)) == want


@pytest.mark.parametrize("dtype", NEW, ids=str)
@pytest.mark.parametrize("function", ["zeros", "ones"])
def test_zeros_and_ones(function, dtype):
    function = getattr(gpuarray, function)
    for shape in SHAPES:
        alike(function, shape, dtype)
        alike(function, shape, dtype=dtype)
        alike(function, shape)
    alike(function, (2, 3), dtype, drv.mem_alloc, "F")
    alike(function, 3, dtype, dtype=dtype)
    alike(function)
    alike(function, dtype=dtype)


def layouts_of(a):
    """Return an array of three axes in several layouts, and of a subclass."""
    return (a, a.T, a.transpose(1, 0, 2), a[:, ::2], a[:0],
            Own((2, 3), "f4").fill(0))  # fmt: skip


@pytest.mark.parametrize("dtype", NEW, ids=str)
@pytest.mark.parametrize("function", ["zeros_like", "ones_like"])
def test_like(function, dtype):
    function = getattr(gpuarray, function)
    host = numbers((3, 4, 5), "i2")
    device = gpuarray.to_gpu(host)
    for other in (*layouts_of(device), host, None):
        alike(function, other)
        alike(function, other, dtype)
        alike(function, other, dtype=dtype)
        alike(function, other, order="F")


def test_empty_like():
    device = gpuarray.to_gpu(numbers((3, 4, 5), "i2"))
    for other in layouts_of(device):
        want = gpuarray.empty_like.__wrapped__(other)
        made = gpuarray.empty_like(other)
        assert type(made) is type(want)
        assert (made.shape, made.strides, made.dtype, made.flags.forc) == (
            want.shape, want.strides, want.dtype, want.flags.forc
        )  # fmt: skip
        assert made.allocator == want.allocator
    assert gpuarray.empty_like(device, "f8").dtype == np.float64
    assert gpuarray.empty_like(device, dtype="f8").dtype == np.float64
    with pytest.raises(TypeError, match="expected a GPUArray"):
        gpuarray.empty_like(np.zeros(3))


ENDS = st.one_of(
    st.integers(-60, 60),
    st.floats(-60, 60, allow_nan=False),
    st.sampled_from([1 << 53, -(1 << 60), 1 << 70, float("inf"), float("nan"),
                     None, True, np.float32(7), np.int8(5), "a"]),
)  # fmt: skip
STEPS = st.one_of(
    st.integers(-9, 9), st.floats(0.3, 9), st.sampled_from([-0.7, None, "a"])
)


@settings(max_examples=300, deadline=None)
@given(
    start=ENDS,
    stop=ENDS,
    step=STEPS,
    given_=st.integers(1, 3),
    dtype=st.sampled_from(["f4", np.float64, "i4", "u1", "f2", "c8", "?",
                           ">f4", None, "V3", "no type"]),
)  # fmt: skip
def test_arange(start, stop, step, given_, dtype):
    args = {1: (stop,), 2: (start, stop), 3: (start, stop, step)}[given_]
    numbers_ = [abs(x) for x in args if isinstance(x, (int, float))]
    if max(numbers_, default=0) > 1 << 40 and max(numbers_) < 1 << 62:
        return  # too many elements, or strides too large, to allocate
    alike(gpuarray.arange, *args, dtype=dtype)
    alike(gpuarray.arange, *args)


def test_arange_of_ints_that_a_double_rounds():
    for far in (1 << 53, -(1 << 53), 1 << 62):
        alike(gpuarray.arange, far, far + 3, dtype="f8")
        alike(gpuarray.arange, far, far + 3, 1, dtype="i8")
        assert gpuarray.arange(far, far + 3, dtype="i8").size == 3


def test_made_without_a_frame():
    device = gpuarray.to_gpu(numbers((3, 4), "f4"))
    runs_in_c(lambda: gpuarray.zeros((3, 4), "f4"), np.zeros((3, 4), "f4"))
    runs_in_c(lambda: gpuarray.ones(3, dtype=np.int32), np.ones(3, "i4"))
    runs_in_c(lambda: gpuarray.zeros_like(device), np.zeros((3, 4), "f4"))
    runs_in_c(
        lambda: gpuarray.ones_like(device, dtype="f8"), np.ones((3, 4), "f8")
    )
    runs_in_c(
        lambda: gpuarray.arange(2, 9, 0.5, dtype=np.float32),
        np.arange(2, 9, 0.5, np.float32),
    )
    count, _ = frames(lambda: gpuarray.empty_like(device))
    assert count == 0
