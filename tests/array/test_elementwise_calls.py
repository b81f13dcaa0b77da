"""Calls of ElementwiseKernel that PyCUDA does not have.

Types by letter, returned results, and broadcast shapes.
"""

# SPDX-License-Identifier: MIT

import warnings

import numpy as np
import pytest
from layouts import NUMBERS, both, numbers, same

import pycuda.driver as drv
from pycuda import gpuarray
from pycuda.elementwise import ElementwiseKernel
from pycuda.reduction import ReductionKernel
from pycuda.scan import InclusiveScanKernel

pytestmark = pytest.mark.usefixtures("context")


@pytest.fixture(scope="module")
def multiply(context):
    return ElementwiseKernel("T *x, T *y, T *z", "z[i] = x[i] * y[i]")


@pytest.mark.parametrize("dtype", [n for n in NUMBERS if n != "?"])
def test_letters_stand_for_types(multiply, dtype):
    host = np.arange(1, 7).astype(dtype)
    x = gpuarray.to_gpu(host)
    z = gpuarray.empty_like(x)
    assert multiply(x, x, z) is None
    same(z, host * host)


def test_results_are_returned(multiply):
    x = numbers((3, 1, 5), "f4")
    y = numbers((4, 1), "f4", 1)
    got = multiply(gpuarray.to_gpu(x), gpuarray.to_gpu(y), None)
    same(got, x * y)
    for order in "CF":
        host, device = both(numbers((3, 4), "f8"), order, "every second")
        same(multiply(device, device, None), host * host)
    f = gpuarray.to_gpu(np.asfortranarray(numbers((3, 4), "f8")))
    assert multiply(f, f, None).flags.f_contiguous


def test_several_results():
    split = ElementwiseKernel(
        "const C *z, float *re, float *im", "re[i] = z[i].real(); "
        "im[i] = z[i].imag()", name="complex_parts",
    )  # fmt: skip
    host = numbers((6,), "c8")
    re, im = split(gpuarray.to_gpu(host), None, None)
    same(re, host.real)
    same(im, host.imag)


def test_results_take_class_dtype_and_allocator():
    sizes = []

    def allocator(size):
        sizes.append(size)
        return drv.mem_alloc(size)

    x = gpuarray.to_gpu(np.arange(4, dtype=np.float32), allocator)
    above = ElementwiseKernel("float *x, float a, bool *m", "m[i] = x[i] > a")
    mask = above(x, 1.5, None)
    same(mask, np.array([False, False, True, True]))
    assert mask.allocator is allocator
    assert sizes == [16, 4]


def test_the_first_vector_rules_the_shape():
    host = numbers((3, 4), "f4")
    row = np.arange(4, dtype=np.float32)
    add = ElementwiseKernel("float *x, float *y", "x[i] += y[i]")
    x = gpuarray.to_gpu(host)
    for turn in range(1, 4):  # from the second call on, a plan in C is used
        add(x, gpuarray.to_gpu(row))
        same(x, np.add(host, np.float32(turn) * row))
    add(x[0], x[1])
    host = x.get()
    add(x, gpuarray.to_gpu(host[:1, :1]))
    same(x, host + host[0, 0])
    with pytest.raises(ValueError, match=r"'y'.*\(3,\).*\(3, 4\)"):
        add(x, gpuarray.zeros(3, np.float32))


def test_tables_are_not_spread():
    """A vector with free indexing keeps its own length."""
    look = ElementwiseKernel("float *x, float *table", "x[i] = table[i % 2]")
    x = gpuarray.zeros(5, np.float32)
    for _ in range(2):
        look(x, gpuarray.to_gpu(np.array([5, 6], np.float32)))
        same(x, np.array([5, 6, 5, 6, 5], np.float32))


def test_longer_vectors_are_used_in_part():
    add = ElementwiseKernel("float *x, float *y", "x[i] += y[i]")
    x = gpuarray.zeros(3, np.float32)
    for turn in range(1, 3):
        add(x, gpuarray.to_gpu(np.arange(5, dtype=np.float32)))
        same(x, np.float32(turn) * np.arange(3, dtype=np.float32))


def test_scalars_take_the_type_of_the_letter():
    scale = ElementwiseKernel("T *x, T a", "x[i] *= a")
    for dtype in (np.float32, np.int64):
        x = gpuarray.to_gpu(np.arange(4).astype(dtype))
        scale(x, 3)
        same(x, (3 * np.arange(4)).astype(dtype))


def test_letters_in_operation_and_preamble():
    kernel = ElementwiseKernel(
        "T *x, S *y", "y[i] = (S)twice(x[i])",
        preamble="__device__ T twice(T v) { return v + v; }",
    )  # fmt: skip
    y = gpuarray.empty(3, np.int32)
    kernel(gpuarray.to_gpu(np.array([1.5, 2, 3])), y)
    same(y, np.array([3, 4, 6], np.int32))


def test_wrong_calls(multiply):
    f4, f8 = gpuarray.zeros(3, np.float32), gpuarray.zeros(3)
    with pytest.raises(TypeError, match="T stands for float32 in 'x' and for"):
        multiply(f4, f8, None)
    with pytest.raises(TypeError, match="no argument determines the type T"):
        multiply(None, None, None)
    kernel = ElementwiseKernel("T *x, S *y", "y[i] = x[i]")
    with pytest.raises(TypeError, match="no argument determines the type S"):
        kernel(f4, None)
    typed = ElementwiseKernel("float *x", "x[i] = 1")
    with pytest.raises(TypeError, match="no array determines the shape"):
        typed(None)
    with pytest.raises(TypeError, match="must be a GPUArray, not ndarray"):
        multiply(f4, np.zeros(3, np.float32), None)
    with pytest.raises(ValueError, match="broadcast"):
        multiply(f4, gpuarray.zeros(4, np.float32), None)
    with pytest.raises(TypeError, match="3 arguments expected"):
        multiply(f4, f4)


LOOPS = {
    "plain": ("y[i] = x[i]", {}),
    "loop": ("if (x[i] < 0) continue; y[i] = x[i]", {}),
    "before": ("y[i] = x[i]", {"loop_prep": "int one = 1"}),
    "behind": ("y[i] = x[i]", {"after_loop": "i = 0"}),
}


@pytest.mark.parametrize("kind", LOOPS)
def test_short_vectors_are_broadcast_in_every_form(kind):
    operation, texts = LOOPS[kind]
    kernel = ElementwiseKernel("int *y, int *x", operation, **texts)
    y = gpuarray.zeros((3, 1000), np.int32)
    kernel(y, gpuarray.arange(1000, dtype=np.int32))
    same(y, np.broadcast_to(np.arange(1000, dtype=np.int32), (3, 1000)))
    if "if" not in operation:
        with pytest.raises(ValueError, match="'x': an array of shape"):
            kernel(y, gpuarray.zeros(10, np.int32))


@pytest.mark.parametrize(
    "operation",
    [
        "if (i < 10) y[i] = x[i]",
        "x[i] += i < 10 ? y[i] : 0",
        "if (i >= 10) continue; y[i] = x[i]",
    ],
)
def test_conditions_may_keep_to_a_short_vector(operation):
    kernel = ElementwiseKernel("int *x, int *y", operation)
    host = np.arange(1000, dtype=np.int32)
    for _ in range(2):
        x, y = gpuarray.to_gpu(host), gpuarray.ones(10, np.int32)
        kernel(x, y)
        into_x = operation.startswith("x")
        same(y, np.ones(10, np.int32) if into_x else host[:10])
        same(x, host + (host < 10) if into_x else host)


def test_an_array_of_another_type_is_named():
    typed = ElementwiseKernel("float *x", "x[i] = 1", "one")
    with pytest.raises(TypeError) as error:
        typed(gpuarray.zeros(3, np.int64))
    assert str(error.value) == (
        "one: argument 'x' is declared 'float *x' (float32), but the array "
        "given has dtype int64; convert it with .astype(np.float32) or "
        "declare 'long *x'"
    )
    record = np.dtype([("a", "i1")])
    with pytest.raises(TypeError, match="a registered type for .*'a'.* [*]x'"):
        typed(gpuarray.zeros(3, record))


@pytest.mark.parametrize(
    ("declared", "given"),
    [
        ("char", "u1"),
        ("unsigned char", "i1"),
        ("int", "u4"),
        ("unsigned long", "i8"),
        ("unsigned short", "f2"),
        ("half", "u2"),
    ],
)
def test_integers_of_the_same_size_are_taken_as_they_are(declared, given):
    host = np.arange(1, 40).astype(given)
    x = gpuarray.to_gpu(host)
    y = gpuarray.zeros_like(x)
    copy = ElementwiseKernel(f"{declared} *x, {declared} *y", "y[i] = x[i]")
    with pytest.warns(UserWarning, match="bits of an array") as seen:
        copy(x, y)
    texts = [str(warning.message) for warning in seen]
    assert len(texts) == 2 and "'x'" in texts[0] and "'y'" in texts[1]
    same(y, host)


def test_other_classes_take_integers_of_the_same_size():
    host = np.arange(1, 200).astype(np.uint32)
    x = gpuarray.to_gpu(host)
    total = ReductionKernel(
        np.int32, "0", "a+b", map_expr="x[i]", arguments="int *x"
    )
    scan = InclusiveScanKernel(np.int32, "a+b")
    with pytest.warns(UserWarning, match="bits of an array of uint32"):
        assert total(x).get() == host.sum()
    with pytest.warns(UserWarning, match="bits of an array of uint32"):
        same(scan(x), np.cumsum(host, dtype=np.uint32))
    with pytest.raises(TypeError, match="float32"):
        total(gpuarray.zeros(3, np.float32))


def test_ranges_and_slices():
    set_ = ElementwiseKernel("T *x, T *y", "x[i] = y[i]")
    x = gpuarray.zeros(6, np.int32)
    y = gpuarray.to_gpu(np.arange(1, 7, dtype=np.int32))
    set_(x, y, slice=slice(1, None, 2))
    same(x, np.array([0, 2, 0, 4, 0, 6], np.int32))
    set_(x, y[:3], range=slice(0, 3, 2))
    same(x, np.array([1, 2, 3, 4, 0, 6], np.int32))


def test_empty_arrays(multiply):
    x = gpuarray.empty((0, 3), np.float32)
    assert multiply(x, x, None).shape == (0, 3)
    y = gpuarray.zeros((1, 3), np.float32)
    assert multiply(x, y, None).shape == (0, 3)


class Counting(ElementwiseKernel):
    """Overrides the call and ends in the standard one."""

    def __init_subclass__(cls, mark=None, **kwargs):
        super().__init_subclass__(**kwargs)
        cls.mark = mark

    def __call__(self, *args, **kwargs):
        self.calls = getattr(self, "calls", 0) + 1
        return super().__call__(*args, **kwargs)


class Marked(Counting, mark="here"):
    """Inherits the call and adds class attributes."""


class Plain(ElementwiseKernel):
    """Inherits the call unchanged."""


def doubled(kernel, turn, **kwargs):
    x = gpuarray.to_gpu(np.arange(6, dtype=np.float32) + turn)
    z = gpuarray.empty_like(x)
    kernel(x, z, **kwargs)
    np.testing.assert_array_equal(z.get(), 2 * x.get())


@pytest.mark.parametrize("kind", [Counting, Marked])
def test_classes_with_a_call_of_their_own(kind):
    kernel = kind("float *x, float *z", "z[i] = 2 * x[i]")
    for turn in range(5):
        doubled(kernel, turn)
        doubled(kernel, turn, stream=drv.Stream())
    assert kernel.calls == 10
    assert Marked.mark == "here"


def test_what_a_class_does_not_take():
    with pytest.raises(TypeError):
        type("Wrong", (ElementwiseKernel,), {}, mark=1)


@pytest.mark.parametrize("kind", [ElementwiseKernel, Plain])
def test_a_call_that_is_set_later(kind, monkeypatch):
    kernel = kind("float *x, float *z", "z[i] = 2 * x[i]")
    seen = []
    original = ElementwiseKernel.__call__
    for turn in range(3):
        doubled(kernel, turn)
        with monkeypatch.context() as patch:
            patch.setattr(
                ElementwiseKernel,
                "__call__",
                lambda self, *args, **kwargs: (
                    seen.append(self),
                    original(self, *args, **kwargs),
                )[1],
            )
            doubled(kernel, turn)
            doubled(kernel, turn, stream=drv.Stream())
        assert len(seen) == 2 * turn + 2
        doubled(kernel, turn)
    assert len(seen) == 6


def test_a_mask_that_is_changed():
    """A bool array for a numeric parameter, as comparisons used to return."""
    host = np.arange(6, dtype=np.float32)
    for operation in (
        "m[i] = 1 - m[i]",
        "float *p = m + i; *p = !*p",
        "invert(m[i])",
    ):
        kernel = ElementwiseKernel(
            "float *m", operation,
            preamble="__device__ void invert(float &v) { v = 1 - v; }",
        )  # fmt: skip
        mask = gpuarray.to_gpu(host) > 2
        for turn in range(1, 4):
            kernel(mask)
            same(mask, (host > 2) ^ (turn % 2 == 1))
    letters = ElementwiseKernel("T *x, float *m", "m[i] = 2 * x[i]")
    mask = gpuarray.to_gpu(host) > 9
    letters(gpuarray.to_gpu(host), mask)
    same(mask, host != 0)


def test_masks_with_strides_slices_and_streams():
    host = np.arange(24).reshape(4, 6) % 5 > 2
    kernel = ElementwiseKernel("int *m", "m[i] = 1 - m[i]")
    device = gpuarray.to_gpu(host)
    kernel(device[::2, 1:], stream=drv.Stream())
    drv.Context.synchronize()
    host[::2, 1:] ^= True
    same(device, host)
    kernel(device, slice=slice(0, 24, 7))
    host.ravel()[::7] ^= True
    same(device, host)


def test_a_mask_that_is_given_twice():
    kernel = ElementwiseKernel("float *x, float *z", "z[i] = 1 - x[i]")
    for view in (slice(None), slice(1, None, 2)):
        host = np.arange(6) > 2
        mask = gpuarray.to_gpu(host)
        kernel(mask[view], mask[view])
        host[view] ^= True
        same(mask, host)


def test_masks_that_are_only_read(monkeypatch):
    from pycuda import elementwise

    stored = []
    monkeypatch.setattr(elementwise, "_apply", lambda *a: stored.append(a))
    mask = gpuarray.zeros(6, np.bool_)
    z = gpuarray.zeros(6, np.float32)
    for declared in ("float *m", "const T *m"):
        ElementwiseKernel(f"{declared}, float *z", "z[i] = m[i]")(mask, z)
    ElementwiseKernel(
        "const float *m, float *z", "f(m, z)",
        preamble="__device__ void f(const float *, float *) {}",
    )(mask, z)  # fmt: skip
    assert not stored


@pytest.mark.parametrize(
    "operation", ["z[i] = x[i]", "z[i] += x[i]", "atomicAdd(&z[i], x[i])"]
)
def test_what_is_changed_limits_the_elements(operation):
    """The output's size limits the elements; a shorter output warns once."""
    kernel = ElementwiseKernel("float *x, float *z", operation)
    x = gpuarray.to_gpu(np.arange(1, 11, dtype=np.float32).reshape(2, 5))
    memory = gpuarray.zeros(16, np.float32)
    with pytest.warns(UserWarning, match="'z' .* 1 elements, 'x' has 10"):
        kernel(x, memory[3:4])
    assert memory.get().tolist() == [0] * 3 + [1] + [0] * 12
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for shape in ((1,), (5,), (2, 2), (3,), (0,)):
            memory.fill(0)
            size = int(np.prod(shape))
            z = memory[2 : 2 + size].reshape(shape)
            kernel(x, z)
            expected = np.zeros(16, np.float32)
            expected[2 : 2 + size] = np.arange(1, size + 1)
            assert memory.get().tolist() == expected.tolist()
            strided = gpuarray.zeros((4, 2), np.float32)
            kernel(x, strided[:, 1])
            assert strided.get()[:, 1].tolist() == [1, 2, 3, 4]
            assert not strided.get()[:, 0].any()
        kernel(x, gpuarray.zeros((2, 5), np.float32))
        kernel(x, gpuarray.zeros(11, np.float32))
    with pytest.raises(ValueError, match="since the kernel changes it"):
        ElementwiseKernel(
            "float *x, float *y, float *z", "z[i] = y[i] = x[i]"
        )(x, gpuarray.zeros(1, np.float32), None)


def test_the_shortest_of_what_is_changed_limits_the_elements():
    x = gpuarray.to_gpu(np.arange(10, dtype=np.float32) ** 2)
    step = ElementwiseKernel("float *a, float *b", "b[i] = a[i+1] - a[i]")
    found = gpuarray.zeros(9, np.float32)
    with pytest.warns(UserWarning, match="'b' is written to"):
        step(x, found)
    same(found, np.diff(x.get()))
    two = ElementwiseKernel(
        "float *x, float *y, float *one, float *z, float *w",
        "z[i] = x[i] + y[i]; w[i] = z[i] * one[i]",
    )
    y = x[:8] + 1  # longer than the output, shorter than x
    one = gpuarray.to_gpu(np.array([2], np.float32))
    z, w = gpuarray.zeros(9, np.float32), gpuarray.zeros(7, np.float32)
    with pytest.warns(UserWarning, match="'w' .* 7 elements, 'x' has 10"):
        two(x, y, one, z, w)
    sums = x.get()[:7] + y.get()[:7]
    same(w, 2 * sums)
    same(z, np.append(sums, np.zeros(2, np.float32)))
    with pytest.raises(ValueError, match="'y': an array of shape"):
        two(x, y[:6], one, z, w)


@pytest.mark.parametrize(
    "operation",
    [
        "z[i] = x[i] > 3 ? 1 : -1",
        "float t = 0; if (x[i] > 3) t = 2; z[i] = t - 1",
        "// if it is\nz [ i ] = (x[i] > 3 && x[i] < 99) * 2 - 1;",
        "for (int k = 0; k < 2; k++) { ; } z[i] = 2 * (x[i] > 3) - 1",
        "z[i] += x[i] > 3 ? 1 : -1",
        "atomicAdd(&z[i], x[i] > 3 ? 1.f : -1.f)",
        "float c; modff(x[i], &z[i]); z[i] = x[i] > 3 ? 1 : -1",
        "float c; sincosf(0.f, &c, &z[i]); c = x[i] > 3 ? 1 : -1; z[i] *= c",
    ],
)
def test_conditions_on_values_are_no_limits(operation):
    kernel = ElementwiseKernel("float *x, float *z", operation)
    memory = gpuarray.zeros(12, np.float32)
    with pytest.warns(UserWarning, match="'z' is written to"):
        kernel(gpuarray.arange(12, dtype=np.float32), memory[:6])
    assert memory.get().tolist() == [-1] * 4 + [1] * 2 + [0] * 6


@pytest.mark.parametrize(
    "operation",
    [
        "z[i].x = x[i]; z[i].y = -x[i]",
        "z[i] . x = x[i]; z[i].y = x[i] > 99 ? 1 : -x[i]",
        "modff(x[i], &z[i].x); z[i].y = -x[i]",
    ],
)
def test_members_of_elements_limit_too(operation):
    kernel = ElementwiseKernel("float *x, float2 *z", operation)
    memory = gpuarray.zeros(8, gpuarray.vec.float2)
    with pytest.warns(UserWarning, match="'z' is written to"):
        kernel(gpuarray.arange(8, dtype=np.float32), memory[:5])
    found = memory.get().view(np.float32).reshape(8, 2)
    assert found[:, 0].tolist() == [0, 1, 2, 3, 4, 0, 0, 0]
    assert (found[:, 1] == -found[:, 0]).all()


def test_conditions_may_keep_what_is_changed_short():
    x = gpuarray.to_gpu(np.arange(12, dtype=np.float32).reshape(3, 4))
    kernel = ElementwiseKernel("float *x, float *z", "if (i < 3) z[i] = x[i]")
    z = gpuarray.zeros((3, 1), np.float32)
    kernel(x, z)
    assert z.get().ravel().tolist() == [0, 1, 2]
    found = ElementwiseKernel("float *x, int *z", "if (x[i] > 5) z[i] = 1")
    flag = gpuarray.zeros(1, np.int32)
    found(x, flag)
    assert flag.get().tolist() == [1]
    for operation in (
        "if (i >= 3) return; z[i] = x[i]",
        "if (i < 3) { z[i] = 0; z[i] += x[i]; }",
        "switch (int(i < 3)) { case 1: z[i] = x[i]; }",
        "if (i >= 3) ; else z[i] = x[i]",
    ):
        z.fill(9)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            ElementwiseKernel("float *x, float *z", operation)(x, z)
        assert z.get().ravel().tolist() == [0, 1, 2]


class Flags:
    """The array flags that PyCUDA reads."""

    def __init__(self, forc):
        self.forc = forc


class Likeness:
    """An array-like object that is not a GPUArray."""

    def __init__(self, array, *names, forc=True):
        self.flags = Flags(forc)
        self.gpudata, self.size = array.gpudata, array.size
        for name in names:
            setattr(self, name, getattr(array, name))
        self.remaining_items = array


WHOLE = ("shape", "strides", "dtype", "flags")


@pytest.mark.parametrize("names", [WHOLE, ("dtype",), ("shape",), ()])
def test_what_is_like_an_array(names):
    x = gpuarray.to_gpu(np.arange(1000, dtype=np.float32))
    z = gpuarray.empty_like(x)
    double = ElementwiseKernel("float *x, float *z", "z[i] = 2 * x[i]")
    total = ReductionKernel(np.float32, "0", "a+b", arguments="float *in")
    expected = 2 * x.get()
    for _ in range(2):
        double(Likeness(x, *names), Likeness(z, *names))
        same(z, expected)
        z.fill(0)
        double(x, Likeness(z, *names))
        same(z, expected)
        assert total(Likeness(x, *names)).get() == x.get().sum()
    if "dtype" in names:
        with pytest.raises(TypeError, match="float32.*float64"):
            double(Likeness(gpuarray.zeros(3), *names), z)


def test_likenesses_with_strides():
    host = np.arange(60, dtype=np.float32).reshape(6, 10)
    x = gpuarray.to_gpu(host)
    double = ElementwiseKernel("T *x, T *z", "z[i] = 2 * x[i]")
    for view, expected in ((x[::2, 1:], host[::2, 1:]), (x.T, host.T)):
        same(double(Likeness(view, *WHOLE), None), 2 * expected)
        total = ReductionKernel("T", "0", "a+b", arguments="T *in")
        assert total(Likeness(view, *WHOLE)).get() == expected.sum()
        by_row = total(Likeness(view, *WHOLE), axis=1).get()
        np.testing.assert_array_equal(by_row, expected.sum(1))
    with pytest.raises(RuntimeError, match="non-contiguous"):
        double(Likeness(x[::2], "shape", "dtype", forc=False), x)
