"""Names from headers of the CUDA toolkit and the C library in kernels."""

import re
from pathlib import Path

import mpmath
import numpy as np
import pytest

import pycuda
import pycuda.driver as cuda
from pycuda.compiler import SourceModule, compile

pytestmark = pytest.mark.usefixtures("context")
KERNEL = "__global__ void kernel(int *p) { *p = 1; }\n"

with mpmath.workdps(60):
    ROOT, LOG, PI = mpmath.sqrt, mpmath.log, +mpmath.pi
    EXACT = {
        "SQRT_HALF": ROOT(0.5),
        "SQRT_TWO": ROOT(2),
        "SQRT_2PI": ROOT(2 * PI),
        "SQRT_PIO2": ROOT(PI / 2),
        "SQRT_2OPI": ROOT(2 / PI),
        "SQRT_2_OVER_PI": ROOT(2 / PI),
        "THIRD": mpmath.mpf(1) / 3,
        "TWOTHIRD": mpmath.mpf(2) / 3,
        "PIO4": PI / 4,
        "PIO2": PI / 2,
        "3PIO4": 3 * PI / 4,
        "2_OVER_PI": 2 / PI,
        "PI": PI,
        "L2E": 1 / LOG(2),
        "L2T": LOG(10) / LOG(2),
        "LG2": LOG(2) / LOG(10),
        "LGE": 1 / LOG(10),
        "LN2": LOG(2),
        "LNT": LOG(10),
        "LNPI": LOG(PI),
        "LN2_X_1024": 1024 * LOG(2),
        "LN2_X_1025": 1025 * LOG(2),
        "LN2_X_1075": 1075 * LOG(2),
        "LG2_X_1024": 1024 * LOG(2) / LOG(10),
        "LG2_X_1075": 1075 * LOG(2) / LOG(10),
    }
# Numbers without logarithms and roots in their names.
PLAIN = {
    "INF": np.inf,
    "NAN": np.nan,
    "NEG_ZERO": -0.0,
    "ZERO": 0.0,
    "ONE": 1.0,
    "MAX_NORMAL_F": np.finfo("f").max,
    "NORM_HUGE_F": np.finfo("f").max,
    "MIN_DENORM_F": np.float32(1e-45),
    "MIN_DENORM": 5e-324,
    "REMQUO_BITS_F": 3,
    "REMQUO_MASK_F": 7,
    "TRIG_PLOSS_F": 105615,
    "TRIG_PLOSS": 2.0**31,
    "DBL2INT_CVT": 1.5 * 2.0**52,
}


def constant(name):
    """Return the value of CUDART_<name>, in its type."""
    dtype = np.float32 if name.endswith("_F") else np.float64
    for known in (name, name.removesuffix("_F")):
        if known in PLAIN:
            return dtype(PLAIN[known])
    name = name.removesuffix("_F")
    if power := re.fullmatch(r"TWO_TO_(M?)(\d+)", name):
        return dtype(2.0 ** (int(power[2]) * (-1 if power[1] else 1)))
    name, part = re.fullmatch(r"(.*?)(_HI|_LO|)", name).groups()
    exact = EXACT[name]
    with mpmath.workdps(60):
        with mpmath.workprec(24 if dtype is np.float32 else 53):
            high = +exact
        return dtype(float(exact - high if part == "_LO" else high))


def test_math_constants():
    header = Path(pycuda.__file__).parent / "cuda/nvrtc/math_constants.h"
    names = re.findall(r"#define CUDART_(\w+)", header.read_text())
    assert len(names) == 95
    body = "".join(
        f"out[{i}] = CUDART_{name}; size[{i}] = sizeof(CUDART_{name});\n"
        for i, name in enumerate(names)
    )
    module = SourceModule(
        "#include <math_constants.h>\n"
        f"__global__ void kernel(double *out, int *size) {{ {body} }}"
    )
    out, size = np.empty(len(names)), np.empty(len(names), np.int32)
    module.get_function("kernel")(
        cuda.Out(out), cuda.Out(size), block=(1, 1, 1)
    )
    want = np.array([constant(name) for name in names], np.float64)
    np.testing.assert_array_equal(out, want)
    real = ~np.isnan(want)
    assert np.array_equal(np.signbit(out[real]), np.signbit(want[real]))
    assert size.tolist() == [4 if n.endswith("_F") else 8 for n in names]


def test_old_names_of_limits():
    values = {
        "MAXSHORT": 2**15 - 1,
        "MININT": "INT_MIN",
        "MAXLONG": "LONG_MAX",
        "HIBITS": -(2**15),
        "LONGBITS": 64,
        "BITSPERBYTE": 8,
        "DMAXEXP": 1024,
        "FMINEXP": -125,
        "MAXFLOAT": "FLT_MAX",
        "MINDOUBLE": "DBL_MIN",
        "MAXDOUBLE": "DBL_MAX",
    }
    for head in (
        "values.h>\n#include <float.h",
        "float.h>\n#include <values.h",
    ):
        checks = "".join(
            f'static_assert({name} == {value}, "{name}");\n'
            for name, value in values.items()
        )
        assert compile(f"#include <{head}>\n" + checks + KERNEL)


def test_words_for_operators():
    assert compile(
        "#include <iso646.h>\n"
        'static_assert((1 and not 0) or (6 xor 3) bitand 1, "");\n' + KERNEL
    )


# Names of the CUDA runtime API; NVRTC declares these without an include.
RUNTIME = {
    "cudaSuccess": 0,
    "cudaErrorMemoryAllocation": 2,
    "cudaErrorIllegalAddress": 700,
    "cudaErrorUnknown": 999,
    "cudaErrorApiFailureBase": 10000,
    "cudaDevAttrWarpSize": 10,
    "cudaMemcpyDeviceToHost": 2,
    "cudaMemcpyDefault": 4,
    "cudaMemoryTypeManaged": 3,
    "cudaChannelFormatKindFloat": 2,
    "cudaResourceTypePitch2D": 3,
    "cudaFuncCachePreferEqual": 3,
    "cudaLimitPrintfFifoSize": 1,
    "CUDA_R_32F": 0,
    "CUDA_R_16BF": 14,
    "CUDA_C_64F": 5,
    "PATCH_LEVEL": 2,
    "cudaEventDisableTiming": 2,
    "cudaCpuDeviceId": -1,
    "sizeof(cudaExtent)": 24,
    "sizeof(cudaPitchedPtr)": 32,
    "sizeof(cudaMemcpy3DParms)": 160,
    "sizeof(cudaLaunchConfig_t)": 56,
}


@pytest.mark.parametrize("header", ["", "driver_types.h", "library_types.h"])
def test_values_of_the_runtime_api(header):
    source = f"#include <{header}>\n" if header else ""
    for name, value in RUNTIME.items():
        source += f'static_assert({name} == {value}, "{name}");\n'
    assert compile(source + KERNEL)


PARTS = [
    "discrete", "globals", "lognormal", "mrg32k3a", "normal",
    "philox4x32_x", "poisson", "precalc", "uniform",
]  # fmt: skip


@pytest.mark.cpu
@pytest.mark.parametrize("no_extern_c", [False, True])
def test_each_part_of_curand_has_it_all(no_extern_c):
    use = """
    __global__ void kernel(float *x)
    {
        curandState state;
        curand_init(1, 2, 3, &state);
        *x = curand_uniform(&state) + curand_log_normal(&state, 0, 1);
    }
    """
    includes = [f"#include <curand_{part}.h>\n" for part in PARTS]
    for head in [*includes, "".join([*includes, "#include <curand.h>\n"])]:
        assert compile(head + use, no_extern_c=no_extern_c)
