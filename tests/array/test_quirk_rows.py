"""Locations of the tests for each quirk of PyCUDA's arrays, by row.

The rows are those of the project's plan. "fixed": PyCUDA raises or is wrong,
and the tests named fail with it. "better": PyCUDA rejects the call, here it
works. "decided": both behaviors are sensible; docs/compatibility.md names
ours. "kept": programs depend on it. The tests below cover rows that no other
file tests.
"""

# SPDX-License-Identifier: MIT

import re
from pathlib import Path

import numpy as np
import pytest
from layouts import same

from pycuda import cumath, gpuarray
from pycuda.elementwise import ElementwiseKernel
from pycuda.reduction import ReductionKernel
from pycuda.tools import get_or_register_dtype

pytestmark = pytest.mark.usefixtures("context")

TESTS = Path(__file__).parents[1]
to_gpu = gpuarray.to_gpu

# row: (class, PyCUDA's behavior, "file test, file test ...")
ROWS = {
    "D1": (
        "decided",
        "comparisons have the operands' type",
        "operators array_with_array, operators array_with_scalar, "
        "kernels/elementwise types_of_arrays_are_checked",
    ),
    "D2": (
        "better",
        "int / int stays an integer, int / number raises",
        "operators array_with_array, operators array_with_scalar",
    ),
    "D3": (
        "fixed",
        "uint - uint, -uint, uint - 1 raise; bool - bool adds",
        "quirks unsigned_subtraction_and_minus, "
        "quirks subtraction_of_booleans_is_refused",
    ),
    "D4": (
        "decided",
        "a + 0, a - 0, a / 1 ignore the scalar's type",
        "quirk_rows neutral_scalars_promote",
    ),
    "D5": (
        "decided",
        "a / s is a * (1 / s)",
        "quirk_rows quotients_are_rounded_once",
    ),
    "D6": (
        "fixed",
        "C and F order mixed permute elements",
        "quirks c_and_fortran_order_mix",
    ),
    "D7": (
        "better",
        "strided operands are refused, or misread",
        "operators layouts_and_broadcasting, "
        "quirk_rows strided_views_are_read_right, "
        "kernels/random_generators strided_data",
    ),
    "D8": (
        "fixed",
        "copies of strided views have too little memory",
        "quirks copies_of_strided_views_have_their_own_memory",
    ),
    "D9": (
        "fixed",
        "a[2:1] has a row, a[3:1] two",
        "quirks slices_the_wrong_way_are_empty",
    ),
    "D10": (
        "better",
        "views with negative steps cannot be moved",
        "copies round_trips",
    ),
    "D11": (
        "better",
        "empty arrays fail in most operations",
        "edge_cases empty_and_single, edge_cases empty_and_single_methods, "
        "reductions empty, copies fill",
    ),
    "D12": (
        "better",
        "no broadcasting",
        "operators layouts_and_broadcasting, operators shapes_that_do_not_fit",
    ),
    "D13": (
        "better",
        "basic indexing only",
        "advanced_indexing get_and_set",
    ),
    "D14": (
        "decided",
        "a == None and a == ndarray raise AssertionError",
        "operators equality_with_none, operators host_arrays_are_refused",
    ),
    "D15": (
        "decided",
        "reshape and ravel of F order reinterpret memory",
        "copies reshape",
    ),
    "D16": (
        "fixed",
        "stack and concatenate of some layouts are wrong",
        "quirks concatenate_and_stack, functions concatenate_and_stack",
    ),
    "D17": (
        "better",
        "maximum and minimum of integers do not compile, ignore NaN",
        "functions selection, functions maximum_propagates_nan",
    ),
    "D18": (
        "decided",
        "max and min skip NaN",
        "reductions nan_propagates, axes nan",
    ),
    "D19": (
        "decided",
        "sum keeps narrow types",
        "reductions sum, reductions dtype_overrides",
    ),
    "D20": (
        "decided",
        "dot takes any shapes, not mixed precision",
        "reductions dot, reductions dot_shapes",
    ),
    "D21": (
        "fixed",
        "fmod, frexp, modf, ldexp misread float64",
        "quirks two_part_functions_of_doubles",
    ),
    "D22": (
        "better",
        "cumath ignores unknown keywords, refuses integers",
        "kernels/cumath integers_are_promoted, "
        "kernels/cumath what_is_no_gpuarray, "
        "quirk_rows unknown_keywords_are_refused",
    ),
    "D23": (
        "kept",
        "get_async() gives pageable memory, so that it waits",
        "streams results_that_make_their_own_memory_are_there",
    ),
    "D24": (
        "fixed",
        "async= is always a TypeError",
        "quirks the_old_name_of_async",
    ),
    "D25": (
        "fixed",
        "arange refuses stream= and keywords alone",
        "quirks arange_with_keywords_and_stream",
    ),
    "D26": (
        "fixed",
        "broken: logical_not(out=), logical functions of numbers, scans into "
        '"new", multi_take without out, add_timer',
        "quirks out_of_logical_not, quirks logical_functions_of_numbers, "
        "quirks scan_into_a_new_array, quirks multi_take_without_out, "
        "quirks add_timer_of_mul_add",
    ),
    "D27": (
        "better",
        "float16 can only be stored and moved",
        "edge_cases float16, edge_cases float16_functions, "
        "operators float16_rounds_once",
    ),
    "D28": (
        "better",
        "NumPy's arrays mixed in fail in many ways",
        "operators host_arrays_are_refused, "
        "operators numpy_scalars_and_ufuncs_give_gpuarrays",
    ),
    "D29": (
        "kept",
        "gpudata of slices is an int",
        "quirks gpudata_of_whole_arrays_can_be_freed",
    ),
    "D30": ("kept", "bases of slices and transposes", "quirks bases"),
    "D31": (
        "kept",
        "iteration gives views",
        "quirks iteration_gives_views, indexing iteration_gives_views",
    ),
    "D32": (
        "kept",
        "text copies the whole array",
        "quirks text_is_that_of_the_host_copy",
    ),
    "D33": (
        "kept",
        "results without axes are arrays",
        "quirks results_without_axes_stay_on_the_device",
    ),
    "D34": ("kept", "truth of no elements raises", "quirks truth"),
    "D35": (
        "kept",
        "results follow the left operand",
        "quirks results_follow_strides_and_allocator",
    ),
    "D36": (
        "kept",
        "names of builtins are shadowed",
        "quirks names_of_builtins_are_shadowed",
    ),
    "D37": (
        "better",
        "take is unusable on CUDA 12",
        "functions gathering",
    ),
    "D38": (
        "fixed",
        "skipping ahead moves the first block's states only",
        "kernels/random_generators skipping, "
        "kernels/random_generators sequences",
    ),
    "D39": (
        "kept",
        "numpy.random.seed makes runs repeatable",
        "quirks numpys_seed_makes_runs_repeatable",
    ),
    "D40": ("kept", "NumPy's promotion", "quirks numpys_promotion"),
    "D41": (
        "kept",
        "the default stream unless stream= is given",
        "streams streams, streams the_stream_is_really_held",
    ),
    "D42": (
        "better",
        "types and lengths of vectors are not checked",
        "kernels/elementwise types_of_arrays_are_checked, "
        "elementwise_calls the_first_vector_rules_the_shape",
    ),
    "D43": (
        "fixed",
        "range= needs a step",
        "quirks range_without_a_step",
    ),
    "D44": (
        "kept",
        "a and b are tokens; structs need volatile",
        "quirks reduction_expressions_may_use_any_name, "
        "quirk_rows structs_need_nothing_volatile",
    ),
    "D45": (
        "kept",
        "stage 2 of a reduction gets all arguments",
        "kernels/reduction scalars_and_names_in_expressions",
    ),
    "D46": (
        "fixed",
        "generate_direction_vectors needs a direction",
        "kernels/random_generators tables_as_arrays",
    ),
    "D47": (
        "fixed",
        "squeeze drops axes without elements",
        "quirks squeeze_keeps_empty_axes",
    ),
    "D48": (
        "kept",
        "get raises TypeError, set ValueError",
        "quirks mismatches_of_get_and_set",
    ),
    "D49": (
        "decided",
        "NumPy's arrays without axes are no scalars",
        "quirk_rows arrays_without_axes_are_scalars",
    ),
    "D50": (
        "kept",
        "int64 is long in C",
        "quirk_rows the_c_name_of_int64",
    ),
    "D51": (
        "fixed",
        "-a, a * s, a + s lose signed zeros",
        "quirks signed_zeros, operators signed_zeros_and_specials",
    ),
    "D52": (
        "better",
        "integer powers go through double",
        "operators integer_powers_are_exact",
    ),
    "D53": (
        "kept",
        "sums repeat from run to run",
        "quirks sums_are_the_same_each_time, kernels/scan rounded_sums_repeat",
    ),
    "D54": (
        "decided",
        "in-place operators cast silently",
        "operators in_place, quirk_rows in_place_casts_are_of_the_same_kind",
    ),
}


def test_no_row_is_missing():
    assert list(ROWS) == [f"D{k}" for k in range(1, 55)]
    fixed = {row for row, entry in ROWS.items() if entry[0] == "fixed"}
    assert fixed == {
        f"D{k}" for k in (3, 6, 8, 9, 16, 21, 24, 25, 26, 38, 43, 46, 47, 51)
    }


@pytest.mark.parametrize("row", ROWS)
def test_the_tests_are_there(row):
    for entry in ROWS[row][2].split(", "):
        place, name = entry.split()
        folder, _, file = place.rpartition("/")
        text = (TESTS / (folder or "array") / f"test_{file}.py").read_text()
        assert re.search(rf"^def test_{name}\(", text, re.M), entry


# --- rows without a test in another file -----------------------------------


def test_neutral_scalars_promote():
    a = to_gpu(np.array([1, 2], np.int32))
    for result in (a + 0.0, a - 0.0, a / 1):
        assert result.dtype == np.float64
    assert (to_gpu(np.ones(2, np.float32)) + 0j).dtype == np.complex64


def test_quotients_are_rounded_once():
    x = np.arange(1, 2000, dtype=np.float32)
    assert (x / np.float32(3) != x * (1 / np.float32(3))).any()
    same(to_gpu(x) / 3, x / np.float32(3))
    same(to_gpu(x) / 2, x / np.float32(2))
    same(2 / to_gpu(x), np.float32(2) / x)


def test_strided_views_are_read_right():
    x = np.arange(-12, 12, dtype=np.float32).reshape(4, 6)
    z = (x + 1j * x[::-1]).astype(np.complex64)
    same(abs(to_gpu(x)[::2, ::-3]), abs(x[::2, ::-3]))
    same(to_gpu(z)[1::2, ::2].real, z[1::2, ::2].real)
    same(to_gpu(z).T[::-1].imag, z.T[::-1].imag)
    same(to_gpu(z)[:, 1::3].conj(), z[:, 1::3].conj())
    device = to_gpu(x)
    device[:, ::2].fill(7)
    x[:, ::2] = 7
    same(device, x)


def test_unknown_keywords_are_refused():
    with pytest.raises(TypeError, match="strem"):
        cumath.sin(gpuarray.zeros(3, np.float32), strem=None)


def test_structs_need_nothing_volatile():
    # A dtype that no other test uses.
    pair = np.dtype([("bottom", np.float32), ("top", np.float32)])
    get_or_register_dtype("quirk_pair", pair)
    for operator in (
        "",
        "__device__ quirk_pair(float a, float b) : bottom(a), top(b) {}\n"
        "__device__ quirk_pair() {}\n"
        "__device__ quirk_pair(quirk_pair const volatile &o)"
        " : bottom(o.bottom), top(o.top) {}\n"
        "__device__ quirk_pair(quirk_pair const &o)"
        " : bottom(o.bottom), top(o.top) {}\n"
        "__device__ volatile quirk_pair &operator=(quirk_pair const &o)"
        " volatile { bottom = o.bottom; top = o.top; return *this; }\n"
        "__device__ quirk_pair &operator=(quirk_pair const &o)"
        " { bottom = o.bottom; top = o.top; return *this; }\n",
    ):
        make = "quirk_pair(x[i], x[i])" if operator else "make_pair(x[i])"
        preamble = (
            f"struct quirk_pair {{\nfloat bottom, top;\n{operator}}};\n"
            "__device__ quirk_pair make_pair(float x)\n"
            "{ quirk_pair p; p.bottom = p.top = x; return p; }\n"
            "__device__ quirk_pair both(quirk_pair a, quirk_pair b)\n"
            "{ quirk_pair p; p.bottom = fminf(a.bottom, b.bottom);"
            " p.top = fmaxf(a.top, b.top); return p; }\n"
        )
        kernel = ReductionKernel(
            pair, "make_pair(0)", "both(a, b)", make, "const float *x",
            preamble=preamble,
        )  # fmt: skip
        x = np.random.default_rng(0).normal(size=5000).astype(np.float32)
        got = kernel(to_gpu(x)).get()
        assert got["bottom"] == x.min()
        assert got["top"] == x.max()


def test_arrays_without_axes_are_scalars():
    x = np.array([1, 2, 3], np.float32)
    a, two = to_gpu(x), np.array(2, np.float32)
    same(a == two, x == two)
    same(a < two, x < two)
    same(a * two, x * two)
    same(two - a, two - x)
    a[1] = two * 5
    assert a.get()[1] == 10


def test_the_c_name_of_int64():
    """A preamble may use long or long long for the same bits."""
    a = to_gpu(np.arange(5))
    kernel = ElementwiseKernel(
        "long *x", "put((long long *)x, i)",
        preamble="__device__ void put(long long *x, size_t i) { x[i] *= 3; }",
    )  # fmt: skip
    kernel(a)
    ElementwiseKernel("long long *x, int64_t *y", "x[i] += y[i]")(a, a)
    same(a, np.arange(5) * 6)


def test_in_place_casts_are_of_the_same_kind():
    a = to_gpu(np.ones(3, np.float32))
    a += to_gpu(np.full(3, 0.5))
    same(a, np.full(3, 1.5, np.float32))
    whole = to_gpu(np.ones(3, np.int32))
    for other in (a, 1.5, np.float64(1)):
        with pytest.raises(TypeError, match="same_kind"):
            whole += other
    same(whole, np.ones(3, np.int32))
