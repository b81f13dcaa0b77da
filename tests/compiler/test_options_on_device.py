"""Effects of nvcc's options on a compilation for the current device."""

# SPDX-License-Identifier: MIT

import warnings

import numpy as np
import pytest

import pycuda.driver as drv
from pycuda import _driver, compiler

VALUE = """
__global__ void value(int *out)
{
    *out = VALUE;
}
"""

pytestmark = pytest.mark.usefixtures("context")


def value(source=VALUE, **kwargs):
    """Return the output of a source's kernel `value`."""
    module = compiler.SourceModule(source, cache_dir=False, **kwargs)
    out = np.zeros(1, np.int32)
    module.get_function("value")(drv.Out(out), block=(1, 1, 1))
    return int(out[0])


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["-DVALUE=3"], 3),
        (["-D", "VALUE=4"], 4),
        (["--define-macro=VALUE=5"], 5),
        (["-DVALUE"], 1),
        (["-DVALUE=6", "-DOTHER", "-UOTHER"], 6),
        (["-DVALUE=__cplusplus/100", "-std=c++14"], 2014),
        (["-DVALUE=__cplusplus/100", "--std", "c++17"], 2017),
        (["-DVALUE=sizeof(void*)", "-m64"], 8),
    ],
)
def test_macros_and_language(options, expected):
    assert value(options=options) == expected


def test_pre_included_headers(tmp_path):
    (tmp_path / "first.h").write_text("#define VALUE 7\n")
    options = ["-include", "first.h", f"-I{tmp_path}"]
    assert value(options=options) == 7
    options = [f"--pre-include={tmp_path}/first.h"]
    assert value(options=options) == 7


def test_a_file_of_options(tmp_path):
    (tmp_path / "options").write_text('-DVALUE=8 "-DOTHER=a b"\n')
    assert value(options=["-optf", str(tmp_path / "options")]) == 8
    with pytest.raises(drv.CompileError, match="nowhere"):
        value(options=["-optf", "nowhere"])


WITHOUT_EFFECT = [
    ["-O0"], ["-O3"], ["-g"], ["-G"], ["-lineinfo"], ["-use_fast_math"],
    ["-maxrregcount=32"], ["-maxrregcount", "32"], ["-Xptxas", "-O2"],
    ["--ptxas-options=-O1"], ["-w"], ["-rdc=false"], ["-restrict"],
    ["-ftz=true"], ["-prec-div=false"], ["-prec-sqrt=false"], ["-fmad=false"],
    ["-expt-relaxed-constexpr"], ["--expt-relaxed-constexpr"],
    ["-extended-lambda"], ["-Xcompiler", "-fPIC,-O2"], ["-ccbin", "g++"],
    ["-lcudadevrt"], ["-L/usr/lib"], ["-Wno-deprecated-gpu-targets"],
    ["--use_fast_math=false"], ["-diag-suppress", "177"],
    ["-default-stream", "per-thread"],
]  # fmt: skip


@pytest.mark.parametrize("options", WITHOUT_EFFECT, ids=" ".join)
def test_options_without_effect_on_the_result(options):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert value(options=["-DVALUE=9", *options]) == 9


LOOP = """
extern "C" __global__ void sum(int *out, int n)
{
    int s = 0;
    for (int i = 0; i < n; ++i)
        s = s * 3 + out[i];
    *out = s;
}
"""


def test_the_level_of_optimisation_is_the_assemblers():
    images = [
        compiler.compile(LOOP, options=["-Xptxas", level], cache_dir=False)
        for level in ("-O0", "-O3", "-v,-O3")
    ]
    assert len(images[0]) != len(images[1])
    assert len(images[1]) == len(images[2])


def test_constexpr_functions():
    source = "constexpr int nine(int x) { return x * x; }\n" + VALUE
    options = ["-DVALUE=nine(3)", "--expt-relaxed-constexpr"]
    assert value(source, options=options) == 9


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--preprocess"], "--preprocess asks nvcc for something else"),
        (["-dlink"], "-dlink asks nvcc"),
        (["-dlto"], "link-time optimiser"),
        (["-D"], "-D lacks its value"),
        (["-maxrregcount"], "-maxrregcount lacks its value"),
        (["--unheard-of"], "unheard-of"),
        (["-std=c++98"], "98"),
    ],
)
def test_options_that_cannot_be(options, reason):
    with pytest.raises(drv.CompileError) as caught:
        value(options=["-DVALUE=1", *options])
    assert reason in str(caught.value)
    assert options[0] in str(caught.value)


def test_warnings_as_errors():
    source = '#warning "take care"\n' + VALUE
    options = ["-DVALUE=1", "-Werror", "all-warnings"]
    with pytest.raises(drv.CompileError, match="-Werror"):
        value(source, options=options)
    assert value(options=options) == 1


def test_the_default_options(monkeypatch):
    monkeypatch.setattr(compiler, "DEFAULT_NVCC_FLAGS", ["-DVALUE=11"])
    assert value() == 11
    with pytest.raises(drv.CompileError):
        value(options=[])


@pytest.mark.parametrize("target", ["cubin", "ptx", "fatbin"])
def test_targets(target):
    image = compiler.compile(
        VALUE, options=["-DVALUE=12"], target=target, cache_dir=False
    )
    out = np.zeros(1, np.int32)
    module = drv.module_from_buffer(image)
    module.get_function("value")(drv.Out(out), block=(1, 1, 1))
    assert out[0] == 12


def test_a_name_of_ours_in_the_users_folder(tmp_path, monkeypatch):
    (tmp_path / "prelude.h").write_text("#error not this one\n")
    monkeypatch.chdir(tmp_path)
    assert value(options=["-DVALUE=13"]) == 13


def test_templates_inside_extern_c_are_explained():
    with pytest.raises(drv.CompileError, match="no_extern_c=True"):
        value("template <class T> __device__ T one() { return 1; }\n" + VALUE)


@pytest.mark.cpu
@pytest.mark.parametrize(
    "header", ["cub/none.cuh", "cub/warp/none.cuh", "thrust/none.h"]
)
def test_libraries_that_are_for_gpus_alone(header):
    with pytest.raises(
        drv.CompileError, match="run from host code|nvidia-cuda-cccl"
    ):
        compiler.compile(f"#include <{header}>\n", no_extern_c=True)


def test_a_kernel_that_launches_a_kernel():
    source = """
    __global__ void child(int *out) { *out = 14; }
    __global__ void value(int *out) { child<<<1, 1>>>(out); }
    """
    try:
        module = compiler.DynamicSourceModule(source)
    except RuntimeError as error:
        pytest.skip(str(error))  # no libcudadevrt.a here
    out = np.zeros(1, np.int32)
    module.get_function("value")(drv.Out(out), block=(1, 1, 1))
    assert out[0] == 14


def test_headers_in_memory():
    """`_driver._compile` also takes headers in memory instead of files."""
    major, minor = drv.Context.get_device().compute_capability()
    source = '#include "mine.h"\nextern "C"' + VALUE
    options = [f"--gpu-architecture=sm_{major}{minor}"]
    headers = {
        "mine.h": '#include "deep/one.h"',
        "deep/one.h": "#define VALUE 9",
    }
    status, image, log, _ = _driver._compile(
        source, "kernel.cu", options, headers, "cubin", []
    )
    assert status == 0, log
    out = np.zeros(1, np.int32)
    function = drv.module_from_buffer(image).get_function("value")
    function(drv.Out(out), block=(1, 1, 1))
    assert out[0] == 9
    status, image, log, _ = _driver._compile(
        source, "kernel.cu", options, {}, "cubin", []
    )
    assert status != 0 and not image and "mine.h" in log
    with pytest.raises(TypeError):
        _driver._compile(source, "k.cu", options, {"mine.h": 5}, "cubin", [])


FLUSHED = """
extern "C" __global__ void f(float *o, const float *a, double *d, int n)
{
    int i = threadIdx.x;
    float x = a[i], y = a[i + n];
    o[i] = x + y;
    o[i + n] = x - y;
    o[i + 2 * n] = x * y;
    o[i + 3 * n] = x / y;
    o[i + 4 * n] = fmaf(x, y, a[i]);
    o[i + 5 * n] = (float)(x < y) + 2 * (x == y);
    o[i + 6 * n] = (float)(d[i] * d[i + n]);
    o[i + 7 * n] = x * y + a[i];
    d[i + 2 * n] = d[i] * d[i + n];
}
"""


def flushed_results(options):
    """Return the kernel's and NumPy's results for pairs of numbers."""
    low, least = np.float32(1e-40), np.float32(1.2e-38)
    numbers = np.array([0, low, -low, least, -least, 1, -1, 1e-20], "f")
    x, y = (m.ravel().copy() for m in np.meshgrid(numbers, numbers))
    n = len(x)
    doubles = np.concatenate([x, y]).astype(float)
    doubles[0], doubles[n] = 1e-200, 1e-115
    d = np.concatenate([doubles, np.zeros(n)])
    out = np.zeros(8 * n, "f")
    module = compiler.SourceModule(
        FLUSHED, options=options, no_extern_c=True, cache_dir=False
    )
    module.get_function("f")(
        drv.Out(out), drv.In(np.concatenate([x, y])), drv.InOut(d),
        np.int32(n), block=(n, 1, 1),
    )  # fmt: skip
    return x, y, out.reshape(8, n), d.reshape(3, n)


def flush(x):
    least = np.finfo(np.float32).tiny
    return np.where(np.abs(x) < least, np.copysign(x.dtype.type(0), x), x)


@pytest.mark.parametrize(
    "options",
    [["-ftz=true"], ["--ftz", "true"], ["-ftz=false", "--ftz=true"],
     ["-ftz=true", "-Xptxas", "-O0"], ["-ftz=true", "-fmad=false"]],
    ids=" ".join,
)  # fmt: skip
@pytest.mark.filterwarnings("ignore:The CUDA compiler")
def test_subnormal_numbers_are_flushed(options):
    x, y, out, d = flushed_results(options)
    a, b = flush(x), flush(y)
    with np.errstate(all="ignore"):
        exact = a.astype(float) * b + a
        expected = [
            a + b, a - b, a * b, a / b, exact.astype("f"),
            (a < b) + 2 * (a == b), (d[0] * d[1]).astype("f"),
        ]  # fmt: skip
    for row, (have, want) in enumerate(zip(out, expected, strict=False)):
        np.testing.assert_allclose(
            have, flush(np.float32(want)), rtol=3e-7, atol=0,
            err_msg=str(row), equal_nan=True,
        )  # fmt: skip
    tiny = np.finfo(np.float32).tiny
    assert not np.any((np.abs(out) > 0) & (np.abs(out) < tiny))
    assert d[2, 0] == 1e-200 * 1e-115 > 0, "doubles are not"


def test_subnormal_numbers_are_kept_otherwise():
    x, y, out, d = flushed_results(["-ftz=false"])
    assert np.array_equal(out[0], x + y) and np.array_equal(out[1], x - y)
    assert np.any((np.abs(out[2]) > 0) & (np.abs(out[2]) < 1e-39))


@pytest.mark.parametrize("target", ["ptx", "cubin"])
def test_linked_code_is_flushed_too(target):
    source = (
        'extern "C" __global__ void f(float *x) { x[0] *= 0.5f; '
        "x[1] += x[2]; }"
    )
    image = compiler.compile(
        source,
        options=["-ftz=true", *(["-rdc=true"] if target == "cubin" else [])],
        no_extern_c=True,
        target=target,
        cache_dir=False,
    )
    kinds = drv.jit_input_type
    linker = drv.Linker()
    linker.add_data(
        image, kinds.PTX if target == "ptx" else kinds.CUBIN, "flushed"
    )
    x = np.array([1.5e-38, 1e-40, 1e-40], "f")
    linker.link_module().get_function("f")(drv.InOut(x), block=(1, 1, 1))
    assert x[0] == 0 and x[1] == 0
