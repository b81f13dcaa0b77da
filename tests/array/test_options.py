"""Each optional argument in interface.toml, passed once, and its effect.

test_streams.py tests that all work follows `stream=`, and that `allocator=` is
called.
"""

# SPDX-License-Identifier: MIT

import fnmatch
import re
import tomllib
import uuid
import warnings
from pathlib import Path

import numpy as np
import pytest
from layouts import same

import pycuda.curandom as curandom
import pycuda.driver as drv
import pycuda.elementwise as elementwise
import pycuda.reduction as reduction
from pycuda import cumath, gpuarray
from pycuda.compiler import SourceModule
from pycuda.elementwise import ElementwiseKernel
from pycuda.reduction import ReductionKernel
from pycuda.scan import ExclusiveScanKernel, InclusiveScanKernel

pytestmark = pytest.mark.usefixtures("context")

TABLE = tomllib.loads(
    Path(__file__).with_name("interface.toml").read_text("utf-8")
)
to_gpu = gpuarray.to_gpu
X = np.array([[0.5, -1.5, 2.25, 3.0], [4.5, 0.25, -0.75, 1.0]], np.float32)
INDEX = np.array([3, 0, 2], np.int32)

# "place.name.argument", with the last part of a module or class name; covered
# by test_streams.py and tests/sparse.
COVERED = {
    "gpuarray.*.stream",
    "gpuarray.*.allocator",
    "GPUArray.*.stream",
    "GPUArray.*.allocator",
    "cumath.*.stream",
    "cg.*",
    "CGStateContainer.*",
    "*SpMV.*",
    "ElementwiseKernel.__call__.stream",
    "*.__call__.stream",
    "*.__call__.allocator",
}


def covers(text):
    """Declare the arguments that a test passes; * matches any."""
    COVERED.update(text.split())
    return lambda test: test


def options():
    for part in ("modules", "classes"):
        for place, lines in TABLE[part].items():
            for name, text in lines.items():
                for argument in re.findall(r"(\w+)=", text):
                    yield f"{place.rpartition('.')[2]}.{name}.{argument}"


def test_every_option_is_given():
    left = [
        option
        for option in options()
        if not any(fnmatch.fnmatchcase(option, name) for name in COVERED)
    ]
    assert not left
    assert len(list(options())) > 250


# --- arrays --------------------------------------------------------------


@covers("""
    gpuarray.GPUArray.* gpuarray.zeros.* gpuarray.ones.*
    gpuarray.*_like.dtype gpuarray.*_like.order
""")
def test_how_arrays_are_made():
    owner = to_gpu(X)
    turned = gpuarray.GPUArray(
        (4, 2), "f4", base=owner, gpudata=owner.gpudata, strides=(4, 16)
    )
    assert turned.base is owner
    same(turned, X.T)
    assert gpuarray.GPUArray((3, 5), "f4", order="F").strides == (4, 12)
    with pytest.raises(ValueError, match="invalid order: A"):
        gpuarray.GPUArray((3, 5), "f4", order="A")
    for make, number in ((gpuarray.zeros, 0), (gpuarray.ones, 1)):
        assert make(3).dtype == np.float64
        made = make((3, 5), "i2", order="F")
        assert made.strides == (2, 6)
        same(made, np.full((3, 5), number, "i2"))
    f = to_gpu(np.asfortranarray(X))
    for name in ("empty_like", "zeros_like", "ones_like"):
        like = getattr(gpuarray, name)
        for order in "CFAK":
            made = like(f, order=order)
            want = np.zeros_like(f.get(), None, order)
            assert made.strides == want.strides
        assert like(f, "i8").dtype == np.int64
        with pytest.raises(ValueError, match="Unsupported order: X"):
            like(f, order="X")


@covers("gpuarray.concatenate.axis gpuarray.stack.axis *.transpose.axes")
def test_axes():
    a = to_gpu(X)
    same(gpuarray.concatenate([a, a], 1), np.concatenate([X, X], 1))
    same(gpuarray.stack([a, a], axis=-1), np.stack([X, X], -1))
    same(gpuarray.transpose(a, (1, 0)), X.T)
    same(a.transpose(axes=[-1, 0]), X.T)
    with pytest.raises(ValueError, match="axes don't match array"):
        a.transpose((0,))


@covers("GPUArray.set.* GPUArray.get.* GPUArray.get_async.*")
def test_transfers():
    a, stream = gpuarray.empty((2, 4), np.float32), drv.Stream()
    pinned = drv.pagelocked_empty(X.shape, X.dtype)
    pinned[...] = X
    a.set(pinned, async_=True, stream=stream)
    host = a.get(pagelocked=True, async_=True, stream=stream)
    stream.synchronize()
    np.testing.assert_array_equal(host, X)
    assert isinstance(host.base, drv.PagelockedHostAllocation)
    target = np.empty_like(X)
    assert a.get(target) is target
    np.testing.assert_array_equal(target, X)
    pinned[...] = 0
    assert a.get_async(stream, pinned) is pinned
    stream.synchronize()
    np.testing.assert_array_equal(pinned, X)
    with pytest.raises(TypeError, match="unexpected|invalid|keyword"):
        a.set(X, asynchronous=True)


@covers("""
    GPUArray.reshape.order GPUArray.view.dtype GPUArray._new_like_me.*
""")
def test_views_and_likenesses():
    a = to_gpu(X)
    same(a.reshape(4, 2, order="F"), X.reshape(4, 2, order="F"))
    same(a.view(dtype=np.int32), X.view(np.int32))
    assert a.view().dtype == np.float32
    like = a._new_like_me(np.int16, "F")
    assert (like.dtype, like.strides) == (np.int16, (2, 4))
    assert a._new_like_me().strides == a.strides


Z = (X + 1j * X[::-1]).astype(np.complex64)
OUT = {
    "GPUArray.conj": (Z.conj(), lambda o: to_gpu(Z).conj(out=o)),
    "GPUArray.conjugate": (Z.conj(), lambda o: to_gpu(Z).conjugate(o)),
    "GPUArray.mul_add": (
        5 * X,
        lambda o: to_gpu(X).mul_add(2, to_gpu(X), 3, out=o),
    ),
    "gpuarray.take": (
        X[0][INDEX],
        lambda o: gpuarray.take(to_gpu(X[0]), to_gpu(INDEX), out=o),
    ),
    "gpuarray.multi_take": (
        X[0][INDEX],
        lambda o: gpuarray.multi_take([to_gpu(X[0])], to_gpu(INDEX), [o])[0],
    ),
    "gpuarray.multi_put": (
        X[0][[3, 0, 2, 1]],
        lambda o: gpuarray.multi_put(
            [to_gpu(X[0])], to_gpu(np.array([1, 3, 2, 0])), out=[o]
        )[0],
    ),
    "gpuarray.multi_take_put": (
        X[0][::-1],
        lambda o: gpuarray.multi_take_put(
            [to_gpu(X[0])],
            to_gpu(np.arange(4)),
            to_gpu(np.arange(3, -1, -1)),
            out=[o],
        )[0],
    ),
    "gpuarray.if_positive": (
        np.where(X > 0, X, -X),
        lambda o: gpuarray.if_positive(to_gpu(X), to_gpu(X), to_gpu(-X), o),
    ),
    "gpuarray.where": (
        np.where(X != 0.5, X, 7).astype("f4"),
        lambda o: gpuarray.where(to_gpu(X != 0.5), to_gpu(X), 7, out=o),
    ),
    "gpuarray.maximum": (
        np.maximum(X, 1),
        lambda o: gpuarray.maximum(to_gpu(X), 1, out=o),
    ),
    "gpuarray.minimum": (
        np.minimum(X, 1),
        lambda o: gpuarray.minimum(1, to_gpu(X), out=o),
    ),
    "gpuarray.logical_and": (
        X > 9,
        lambda o: gpuarray.logical_and(to_gpu(X), 0.0, out=o),
    ),
    "gpuarray.logical_or": (
        X < 9,
        lambda o: gpuarray.logical_or(to_gpu(X), 1.0, o),
    ),
    "gpuarray.logical_not": (
        X > 9,
        lambda o: gpuarray.logical_not(to_gpu(X), out=o),
    ),
    "ReductionKernel.__call__": (
        np.array(X.sum()),
        lambda o: ReductionKernel(
            np.float32, "0", "a+b", arguments="float *in"
        )(to_gpu(X), out=o),
    ),
    "InclusiveScanKernel.__call__": (
        np.maximum.accumulate(X[0]),
        lambda o: InclusiveScanKernel(np.float32, "a > b ? a : b")(
            to_gpu(X[0]), output_ary=o
        ),
    ),
    "ExclusiveScanKernel.__call__": (
        np.array([-9, 0.5, 0.5, 2.25], "f4"),
        lambda o: ExclusiveScanKernel(np.float32, "a > b ? a : b", -9)(
            to_gpu(X[0]), o
        ),
    ),
}
FUNCTIONS = TABLE["modules"]["pycuda.cumath"]
UNARY = [name for name in FUNCTIONS if "stream_or_out" in FUNCTIONS[name]]
covers(" ".join(f"{name}.out {name}.output_ary" for name in OUT))
covers("cumath.*.out cumath.*.stream_or_out")


@pytest.mark.parametrize("name", OUT)
def test_results_go_where_out_says(name):
    want, call = OUT[name]
    out = gpuarray.empty(want.shape, want.dtype)
    assert call(out) is out
    same(out, want)


@pytest.mark.parametrize("name", UNARY)
def test_results_of_functions_go_where_out_says(name):
    function = getattr(cumath, name)
    a = to_gpu(np.array([0.25, 0.5, 0.75], np.float32))
    out = gpuarray.empty_like(a)
    assert function(a, out=out) is out
    same(out, function(a).get())
    with pytest.warns(DeprecationWarning):
        same(function(a, drv.Stream()), out.get())


@covers("gpuarray.multi_*.dest_shape gpuarray.multi_take_put.src_offsets")
def test_gathering():
    back = to_gpu(np.array([1, 0], np.int32))
    one = gpuarray.multi_put([to_gpu(X[0, :2])], back, dest_shape=(2,))[0]
    same(one, X[0, 1::-1].copy())
    two = gpuarray.multi_take_put(
        [to_gpu(X[0])], back, back, dest_shape=(2,), src_offsets=[2]
    )[0]
    same(two, X[0, 2:].copy())


@covers("""
    gpuarray.sum.dtype gpuarray.dot.dtype gpuarray.subset_*.dtype
    reduction.get_subset_dot_kernel.*
""")
def test_accumulators():
    a = to_gpu(np.full(300, 100, np.int8))
    index = to_gpu(np.arange(200))
    for result, want in (
        (gpuarray.sum(a, dtype=np.int16), np.int16(30000)),
        (gpuarray.sum(a, dtype=np.float32), np.float32(30000)),
        (gpuarray.dot(a, a, dtype=np.float64), np.float64(3e6)),
        (gpuarray.subset_sum(index, a, np.int32), np.int32(20000)),
        (gpuarray.subset_dot(index, a, a, np.int64), np.int64(2_000_000)),
    ):
        same(result, np.asarray(want))
    kernel = reduction.get_subset_dot_kernel(
        np.dtype("f8"), np.dtype("i8"), np.dtype("i1"), np.dtype("i1")
    )
    same(kernel(index, a, a), np.asarray(2e6))


@covers("gpuarray.splay.dev gpuarray._memcpy_discontig.*")
def test_helpers():
    device = drv.Context.get_device()
    assert gpuarray.splay(1000, dev=device) == gpuarray.splay(1000)
    stream, target = drv.Stream(), gpuarray.zeros((4, 2), np.float32)
    gpuarray._memcpy_discontig(target, to_gpu(X).T, async_=True, stream=stream)
    stream.synchronize()
    same(target, X.T)


@covers("GPUArray.*.add_timer")
def test_timers_are_ignored():
    a = to_gpu(X)
    same(a.mul_add(2, a, 3, add_timer=lambda *_: 1 / 0), 5 * X)
    out = gpuarray.empty_like(a)
    a._axpbyz(2, a, 3, out, add_timer=lambda *_: 1 / 0)
    same(out, 5 * X)


@covers("GPUArray.bind_to_texref*")
def test_textures():
    module = SourceModule("""
    texture<float, 1> plain;
    texture<int2, 1> pairs;
    __global__ void read(float *x, int offset)
    {
        x[threadIdx.x] = tex1Dfetch(plain, threadIdx.x + offset);
    }
    __global__ void read_pairs(double *x, int offset)
    {
        const int2 v = tex1Dfetch(pairs, threadIdx.x + offset);
        x[threadIdx.x] = __hiloint2double(v.y, v.x);
    }
    """)
    a = to_gpu(X)
    for bind in ("bind_to_texref", "bind_to_texref_ext"):
        texture = module.get_texref("plain")
        offset = getattr(a[1], bind)(texture, allow_offset=True)
        got = gpuarray.zeros(4, np.float32)
        module.get_function("read")(
            got, np.int32(offset), block=(4, 1, 1), texrefs=[texture]
        )
        same(got, X[1])
    doubles = to_gpu(X.astype(np.float64))
    texture = module.get_texref("pairs")
    with pytest.raises(TypeError, match="allow_double_hack"):
        doubles.bind_to_texref_ext(texture)
    with pytest.raises(ValueError, match="channels must be 1"):
        doubles.bind_to_texref_ext(texture, 2, allow_double_hack=True)
    doubles.bind_to_texref_ext(texture, allow_double_hack=True)
    got = gpuarray.zeros(8, np.float64)
    module.get_function("read_pairs")(
        got, np.int32(0), block=(8, 1, 1), texrefs=[texture]
    )
    same(got, X.astype(np.float64).ravel())
    to_gpu(Z).bind_to_texref_ext(texture, allow_complex_hack=True)
    wide = to_gpu(Z.astype(np.complex128))
    with pytest.raises(TypeError, match="allow_complex_hack"):
        wide.bind_to_texref_ext(texture, allow_double_hack=True)
    wide.bind_to_texref_ext(texture, allow_complex_hack=True)


# --- kernel classes ------------------------------------------------------


def fresh():
    """Return a unique comment, so that the source misses every cache."""
    return f"/* {uuid.uuid4()} */"


@covers("elementwise.ElementwiseKernel.* elementwise.get_elwise_*")
def test_texts_of_elementwise_kernels(capfd):
    texts = {
        "preamble": "#define TWICE(x) (2 * (x) + EXTRA)\n",
        "loop_prep": "float kept = 1",
        "after_loop": "if (tid == 0 && cta_start == 0) { z[0] += kept; }",
    }
    given = {"name": "named", "options": ["-DEXTRA=3"], **texts}
    operation = "z[i] = TWICE(x[i]); if (i == 0) { kept = 100; }"
    want = 2 * X.ravel() + 3
    want[0] += 100
    x, z = to_gpu(X.ravel()), gpuarray.zeros(8, np.float32)
    kernel = ElementwiseKernel("float *x, float *z", operation, **given)
    kernel(x, z)
    same(z, want)
    assert capfd.readouterr().out == ""
    capfd.readouterr()
    ElementwiseKernel("float *x", f"x[i] = 5 {fresh()}", keep=True)(x.copy())
    assert "compiler output in" in capfd.readouterr().out
    arguments = elementwise.parse_arguments("float *x, float *z")
    sizes = [elementwise.ScalarArg(np.uintp, "n")]
    module = elementwise.get_elwise_module(
        [*arguments, *sizes], operation, keep=False, **given
    )
    assert module.get_function("named")
    ranges = [elementwise.ScalarArg(np.intp, n)
              for n in ("start", "stop", "step")]  # fmt: skip
    module = elementwise.get_elwise_range_module(
        [*arguments, *ranges], operation, keep=False, **given
    )
    assert module.get_function("named")
    function = elementwise.get_elwise_kernel(
        "float *x, float *z", operation, keep=False, **given
    )
    z.fill(0)
    function.prepared_async_call(
        (1, 1), (32, 1, 1), None, x.gpudata, z.gpudata, 8
    )
    same(z, want)
    _, function, types = elementwise.get_elwise_kernel_and_types(
        "float *x, float *z", operation, use_range=True, keep=False, **given
    )
    assert [t.name for t in types[2:]] == ["start", "stop", "step"]
    z.fill(0)
    function.prepared_async_call(
        (1, 1), (32, 1, 1), None, x.gpudata, z.gpudata, 4, 8, 2
    )
    same(z[1:], np.where(np.arange(8) % 2 + (np.arange(8) < 4), 0, want)[1:])


@covers("ElementwiseKernel.get_texref.* ElementwiseKernel.__call__.*")
def test_which_elements():
    x = gpuarray.zeros(10, np.float32)
    kernel = ElementwiseKernel("float *x", "x[i] += 1")
    kernel(x, range=slice(2, 8, 3))
    kernel(x, slice=slice(-1, None, -4))
    same(x, np.array([0, 1, 1, 0, 0, 2, 0, 0, 0, 1], np.float32))
    with pytest.raises(TypeError, match="both range and slice"):
        kernel(x, range=slice(2, 8, 3), slice=slice(2))
    textured = ElementwiseKernel(
        "float *z", "z[i] = tex1Dfetch(t, i)", preamble="texture<float, 1> t;"
    )
    for use_range in (False, True):
        to_gpu(X).bind_to_texref(textured.get_texref("t", use_range))
        z = gpuarray.zeros(8, np.float32)
        if use_range:
            textured(z, range=slice(0, 8, 1))
        else:
            textured(z)
        same(z, X.ravel())


# test_canned_kernels.py has a case for each of these options.
covers("""
    elementwise.get_*.vec_count elementwise.get_*.x_is_scalar
    elementwise.get_*.y_is_scalar elementwise.get_unary_func_kernel.out_dtype
""")


@covers("reduction.ReductionKernel.* reduction.get_reduction_*")
def test_texts_of_reductions(capfd):
    given = {
        "map_expr": "SQUARE(x[i])",
        "arguments": "const float *x",
        "name": "named",
        "options": ["-DPOWER=2"],
        "preamble": "#define SQUARE(x) (POWER == 2 ? (x) * (x) : 0)\n",
    }
    kernel = ReductionKernel(np.float32, "0", "a+b", keep=False, **given)
    assert float(kernel(to_gpu(X)).get()) == (X * X).sum()
    with pytest.raises(TypeError, match="named: 1 arguments"):
        kernel()
    capfd.readouterr()
    ReductionKernel("f4", "0", "a+b", f"x[i]{fresh()}", "float *x", keep=True)
    assert "compiler output in" in capfd.readouterr().out
    size = kernel.block_size
    module = reduction.get_reduction_module(
        "float", size, "0", "a+b", given["map_expr"], given["arguments"],
        name="named", keep=False, options=given["options"],
        preamble=given["preamble"],
    )  # fmt: skip
    assert module.get_function("named")
    function, types = reduction.get_reduction_kernel_and_types(
        1, "float", size, "0", "a+b", keep=False, **given
    )
    assert [t.name for t in types] == ["x"]
    out = gpuarray.zeros(1, np.float32)
    function.prepared_async_call(
        (1, 1), (size, 1, 1), None, out.gpudata, to_gpu(X).gpudata,
        -(-8 // size), 8, shared_size=4 * size,
    )  # fmt: skip
    assert float(out.get()[0]) == (X * X).sum()


@covers("ReductionKernel.__call__.kernel_wrapper")
def test_wrapped_launches():
    calls = []

    def wrapper(launch):
        def run(*args, **kwargs):
            calls.append(args[0])
            return launch(*args, **kwargs)

        return run

    kernel = ReductionKernel(np.float32, "0", "a+b", arguments="float *in")
    ones = gpuarray.ones(1_000_000, np.float32)
    assert float(kernel(ones, kernel_wrapper=wrapper).get()) == 1e6
    assert len(calls) == 2


@covers("scan.*")
def test_texts_of_scans():
    sums = np.cumsum(X[0])
    cases = {InclusiveScanKernel: sums, ExclusiveScanKernel: sums - X[0]}
    for kind, want in cases.items():
        kernel = kind(
            np.float32, "ADD(a, b)", neutral="ZERO", name_prefix="mine",
            options=["-DZERO=0"], preamble="#define ADD(a, b) (a + b)\n",
            devices=[drv.Context.get_device()],
        )  # fmt: skip
        same(kernel(to_gpu(X[0]), output_ary="new"), want.astype("f4"))
        with pytest.raises(TypeError, match="mine: "):
            kernel(gpuarray.zeros(3, np.int32))


# --- random numbers ------------------------------------------------------

GENERATORS = [n for n in TABLE["modules"]["pycuda.curandom"]
              if n.endswith("Generator")]  # fmt: skip


def _generator(name, offset=0):
    """Return a generator with fixed seeds."""
    make = getattr(curandom, name)
    if "Sobol" in name:
        return make(None, offset=offset)
    return make(curandom.seed_getter_unique, offset=offset)


@covers("curandom.*.offset curandom.*.seed_getter")
@pytest.mark.parametrize("name", GENERATORS)
def test_offsets(name):
    drawn = []
    for offset in (0, 2):
        np.random.seed(3)
        generator = _generator(name, offset)
        drawn.append(generator.gen_uniform(30_000, np.float32).get())
    states = generator.generators_per_block * generator.block_count
    assert not np.array_equal(*drawn)
    shared = 30_000 - 2 * states
    if "Sobol" in name and shared > 0:
        whole = drawn[0][2 * states :]
        np.testing.assert_array_equal(drawn[1][:shared], whole)


@covers(
    "curandom.*.dir_vector curandom.*.scramble_vector curandom.*.direction"
)
@pytest.mark.parametrize("name", [n for n in GENERATORS if "Sobol" in n])
def test_directions(name):
    bits = 64 if "64" in name else 32
    model = _generator(name)
    states = model.generators_per_block * model.block_count
    scrambled = name.startswith("Scrambled")
    kind = getattr(
        curandom.direction_vector_set,
        ("SCRAMBLED_" if scrambled else "") + f"VECTOR_{bits}",
    )
    table = curandom.generate_direction_vectors(states, direction=kind)
    assert table.shape == (states, bits)
    given = {"dir_vector": table}
    if scrambled:
        constants = getattr(curandom, f"generate_scramble_constants{bits}")
        given["scramble_vector"] = constants(states)
    make, n = getattr(curandom, name), 3 * states
    one = make(**given).gen_uniform(n, np.float32).get()
    given["dir_vector"] = table[::-1].copy("C")
    two = make(**given).gen_uniform(n, np.float32).get()
    assert not np.array_equal(one, two)


_STREAMED = {
    "fill_uniform": lambda g, **s: _filled(g.fill_uniform, "f4", **s),
    "gen_uniform": lambda g, **s: g.gen_uniform(50, "f8", **s),
    "fill_normal": lambda g, **s: _filled(g.fill_normal, "f4", **s),
    "gen_normal": lambda g, **s: g.gen_normal(50, "f8", **s),
    "fill_log_normal": lambda g, **s: _filled(
        lambda d, **s: g.fill_log_normal(d, 0.5, 0.25, **s), "f4", **s
    ),
    "gen_log_normal": lambda g, **s: g.gen_log_normal(50, "f8", 1, 2, **s),
    "fill_poisson": lambda g, **s: _filled(
        lambda d, **s: g.fill_poisson(d, lambda_value=3.5, **s), "u4", **s
    ),
    "gen_poisson": lambda g, **s: g.gen_poisson(50, "u4", 3.5, **s),
    "call_skip_ahead": lambda g, **s: g.call_skip_ahead(5, **s),
    "call_skip_ahead_array": lambda g, **s: g.call_skip_ahead_array(
        _steps(g), **s
    ),
    "call_skip_ahead_sequence": lambda g, **s: g.call_skip_ahead_sequence(
        2, **s
    ),
    "call_skip_ahead_sequence_array": lambda g, **s: (
        g.call_skip_ahead_sequence_array(_steps(g), **s)
    ),
    "call_skip_ahead_subsequence": lambda g, **s: (
        g.call_skip_ahead_subsequence(2, **s)
    ),
    "call_skip_ahead_subsequence_array": lambda g, **s: (
        g.call_skip_ahead_subsequence_array(_steps(g), **s)
    ),
}


def _filled(fill, dtype, **stream):
    data = gpuarray.zeros(50, dtype)
    fill(data, **stream)
    return data


def _steps(generator):
    states = generator.generators_per_block * generator.block_count
    wide = "Sobol32" not in type(generator).__name__
    dtype = np.uint64 if wide else np.uint32
    return to_gpu(np.arange(states).astype(dtype))


@covers("""
    *RandomNumberGenerator.*.stream *RandomNumberGenerator.*.lambda_value
    curandom.rand.*
""")
@pytest.mark.parametrize("name", GENERATORS)
def test_random_numbers_in_a_stream(name):
    """The numbers are the same as without a stream, call after call."""
    found = []
    for stream in ({}, {"stream": drv.Stream()}):
        np.random.seed(3)
        generator, drawn = _generator(name), []
        for method in TABLE["classes"][f"pycuda.curandom.{name}"]:
            result = _STREAMED[method](generator, **stream)
            if stream:
                stream["stream"].synchronize()
            if result is not None:
                drawn.append(result.get())
        drawn.append(generator.gen_uniform(50, np.float32).get())
        found.append(drawn)
    for plain, streamed in zip(*found, strict=True):
        np.testing.assert_array_equal(plain, streamed)
    np.random.seed(3)
    one = curandom.rand((5, 7), np.float64).get()
    np.random.seed(3)
    two = curandom.rand((5, 7), dtype=np.float64, stream=drv.Stream())
    drv.Context.synchronize()
    np.testing.assert_array_equal(one, two.get())


def test_nothing_warns_by_itself():
    """No warnings except for names that the table calls deprecated."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name in UNARY:
            getattr(cumath, name)(to_gpu(X[:, 1:3] * 0 + 1))
