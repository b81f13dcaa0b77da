"""Names in generated kernels against the program's names.

Only the names that PyCUDA documents are reserved: other names in a template
must not capture arguments, constants or macros of that name.
"""

# SPDX-License-Identifier: MIT

import re

import numpy as np
import pytest

from pycuda import gpuarray, reduction, scan, tools
from pycuda._kernels import building, reduction_axes
from pycuda._kernels.scan import Shape
from pycuda.reduction import ReductionKernel
from pycuda.scan import ExclusiveScanKernel, InclusiveScanKernel
from pycuda.tools import get_or_register_dtype

pytestmark = pytest.mark.usefixtures("context")

LANGUAGE = """
    alignas alignof bool break char class const define do double else endif
    enum extern false float for if inline int long pragma reinterpret_cast
    return short signed sizeof static static_cast struct template true typedef
    typename unroll unsigned void volatile while
    atomicAdd memcpy size_t uint2 uint4 threadIdx blockIdx blockDim gridDim x
    C
"""
REDUCTION = """
    BLOCK_SIZE READ_AND_MAP REDUCE out_type out seq_count n i tid acc sdata
    a b
"""
SCAN = "a b SCAN_EXPR"
FIELD = r"\{\{|\}\}|\{\w+\}|\$\w+|//.*|__\w+|#include.*|\b\d\w*"


def own_names(text, reserved):
    """Return the names that a template defines, without the prefix."""
    words = re.findall(r"[A-Za-z_]\w*", re.sub(FIELD, " ", text))
    names = {word.removeprefix("pycuda_") for word in words}
    return sorted(names - {*LANGUAGE.split(), *reserved.split()})


REDUCED = own_names(reduction._KERNEL + reduction_axes._KERNEL, REDUCTION)
SCANNED = own_names(
    "".join(
        building.load_template(f"scan/{name}").template
        for name in (
            "state.cuh", "tile.cu", "tile_thread.cu", "total_plain.cuh"
        )
    ),
    SCAN,
)  # fmt: skip


@pytest.fixture(params=["this device's shape", "many threads"])
def shape(request, monkeypatch):
    """Run each test also with the launch shapes for a GPU."""
    tools.clear_context_caches()
    if request.param == "many threads":
        many = reduction._Shape(512, 4, 4, 64)
        monkeypatch.setattr(reduction, "_shape", lambda: many)
        monkeypatch.setattr(scan, "_SHAPES", lambda: Shape(block=128))
        monkeypatch.setattr(
            reduction_axes, "threads_of", lambda length: min(length, 64)
        )


def test_the_names_are_found():
    assert {"half", "end", "rows"} <= set(REDUCED)
    assert {"combine", "Parts", "TILE", "first"} <= set(SCANNED)
    assert not {"x", "for", "BLOCK_SIZE"} & {*REDUCED, *SCANNED}


@pytest.mark.parametrize("kind", ["argument", "constant", "macro"])
@pytest.mark.parametrize("name", REDUCED)
def test_reductions_leave_names_alone(shape, name, kind):
    preamble = {
        "argument": "",
        "constant": f"__device__ const int {name} = 3;",
        "macro": f"#define {name} 3",
    }[kind]
    is_argument = kind == "argument"
    kernel = ReductionKernel(
        np.float32,
        f"({name} - 3)",
        f"a + b * ({name} - 2)",
        f"v[i] * {name}",
        arguments="float *v" + f", int {name}" * is_argument,
        preamble=preamble,
    )
    values = gpuarray.to_gpu(np.ones((4, 2000), np.float32))
    more = (3,) * is_argument
    assert kernel(values, *more).get() == 24000
    assert kernel(values, *more, axis=1).get().tolist() == [6000] * 4


def test_a_field_called_i(shape):
    pair = np.dtype([("i", np.int32), ("j", np.int32)])
    get_or_register_dtype("pair_of_ij", pair)
    kernel = ReductionKernel(
        np.int32, "0", "a + b", "v[i].i * v[i].j", "pair_of_ij *v",
        preamble="struct pair_of_ij { int i, j; };",
    )  # fmt: skip
    host = np.zeros(5000, pair)
    host["i"], host["j"] = np.arange(5000) % 7, np.arange(5000) % 5
    expected = (host["i"] * host["j"]).sum()
    assert kernel(gpuarray.to_gpu(host)).get() == expected


def test_names_that_maps_see_along_an_axis(shape):
    kernel = ReductionKernel(
        np.int32, "0", "a + b", "v[i] + 0 * (int)(tid + n + acc)", "int *v"
    )
    values = gpuarray.to_gpu(np.ones((3, 100), np.int32))
    assert kernel(values, axis=1).get().tolist() == [100] * 3


DECLARED = {
    "macros": "#define {} 3 +",
    "macros with arguments": "#define {}(x) 3 + x +",
    "functions": "__device__ inline int {}(int v) {{ return v; }}",
    "structs": "struct {} {{ int of_mine; }};",
    "constants": "__device__ const int {} = 3;",
}


@pytest.mark.parametrize("segments", [False, True])
@pytest.mark.parametrize("kind", DECLARED)
def test_scans_leave_names_alone(shape, kind, segments):
    """All names in one kernel; NVRTC has functions `all` and `any`."""
    names = [*SCANNED, "Element", "Segmented", "combine_elements", "head"]
    names += ["heads", "heads_pack", "v"]
    if kind == "constants":
        names = [name for name in names if name not in ("all", "any")]
    lines = [DECLARED[kind].format(name) for name in dict.fromkeys(names)]
    preamble = "\n".join(lines) + "\n"
    host = np.arange(20_000) % 11
    heads = np.zeros(20_000, np.uint8)
    heads[7000] = segments
    expected = np.cumsum(host)
    expected[7000:] -= expected[6999] if segments else 0
    more = {"segments": gpuarray.to_gpu(heads)} if segments else {}
    given = gpuarray.to_gpu(host)
    kernel = InclusiveScanKernel(np.int64, "a + b", preamble=preamble)
    assert (kernel(given, "new", **more).get() == expected).all()
    kernel = ExclusiveScanKernel(np.int64, "a + b", 0, preamble=preamble)
    assert (kernel(given, "new", **more).get() == expected - host).all()


@pytest.mark.parametrize("segments", [False, True])
def test_what_scans_offer(shape, segments):
    """The preamble and the expression can use WG_SIZE, K and scan_type."""
    kernel = InclusiveScanKernel(
        np.int32,
        "plus(a, b) + NOTHING + 0 * (K + WG_SIZE) + (scan_type)0",
        preamble="""
            #if WG_SIZE < 1
            #error
            #endif
            #define NOTHING (0 * (K - WG_SIZE))
            __device__ int size() { return K * WG_SIZE + LID_0; }
            __device__ scan_type plus(scan_type x, scan_type y)
            { return size() >= 0 ? x + y : 0; }
            __device__ scan_type together(scan_type x, scan_type y)
            { return SCAN_EXPR(x, y); }
            template <int K> __device__ int of_its_own() { return K; }
        """,
    )
    more = {"segments": gpuarray.zeros(9000, np.uint8)} if segments else {}
    got = kernel(gpuarray.to_gpu(np.ones(9000, np.int32)), **more)
    assert (got.get() == np.arange(1, 9001)).all()


def test_what_scans_say_of_their_shape(shape):
    kernel = InclusiveScanKernel(np.int32, "K * 10000 + WG_SIZE")
    got = kernel(gpuarray.zeros(2, np.int32)).get()
    batches, size = kernel.scan_wg_seq_batches, kernel.scan_wg_size
    assert got[1] == batches * 10000 + size


def test_the_type_of_a_scan_of_structs(shape):
    pair = np.dtype([("low", np.int32), ("high", np.int32)])
    get_or_register_dtype("scanned_pair", pair)
    kernel = InclusiveScanKernel(
        pair, "combine(a, b)",
        preamble="""
            struct scanned_pair { int low, high; };
            __device__ scan_type combine(scan_type a, scan_type b)
            {
              scan_type both = {min(a.low, b.low), max(a.high, b.high)};
              return both;
            }
        """,
    )  # fmt: skip
    host = np.zeros(3000, pair)
    host["low"] = host["high"] = np.random.randint(0, 1 << 30, 3000)
    got = kernel(gpuarray.to_gpu(host), "new").get()
    assert (got["low"] == np.minimum.accumulate(host["low"])).all()
    assert (got["high"] == np.maximum.accumulate(host["high"])).all()
