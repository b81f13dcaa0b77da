"""Operations that C leaves undefined and GPUs define: results of an H100.

They are division by zero, conversions out of range, and shifts by at least the
width.
"""

import numpy as np
import pytest

pytestmark = pytest.mark.usefixtures("context")

C_NAMES = {
    "i1": "signed char", "u1": "unsigned char",
    "i2": "short", "u2": "unsigned short",
    "i4": "int", "u4": "unsigned int",
    "i8": "long long", "u8": "unsigned long long",
}  # fmt: skip
ONES = {"i4": -1, "u4": 2**32 - 1, "i8": -1, "u8": 2**64 - 1}
LOW = 2**32 - 1


def call(source, inputs, out, threads=None):
    """Run kernel `k` of `source` on arrays, one thread per element."""
    import pycuda.driver as drv
    from pycuda.compiler import SourceModule

    kernel = SourceModule(source).get_function("k")
    arguments = [drv.In(array) for array in inputs]
    kernel(*arguments, drv.Out(out), block=(threads or len(out), 1, 1))
    return out.tolist()


def divide(dtype, operator, a, b):
    name = C_NAMES[dtype]
    source = f"""
    __global__ void k({name} *a, {name} *b, {name} *out)
    {{
        int i = threadIdx.x;
        out[i] = a[i] {operator} b[i];
    }}
    """
    a, b = np.array(a, dtype), np.array(b, dtype)
    return call(source, (a, b), np.empty_like(a))


@pytest.mark.parametrize("operator", ["/", "%"])
@pytest.mark.parametrize("dtype", ["i4", "u4", "i8", "u8"])
def test_division_by_zero(dtype, operator):
    x = [0, 1, 5, np.iinfo(dtype).max, np.iinfo(dtype).min]
    # 64-bit division takes a 32-bit fast path if the operands fit.
    want = [
        LOW if dtype[1] == "8" and 0 <= n <= LOW else ONES[dtype] for n in x
    ]
    assert divide(dtype, operator, x, [0] * 5) == want


@pytest.mark.parametrize("dtype", ["i4", "i8"])
def test_least_number_by_minus_one(dtype):
    least = np.iinfo(dtype).min
    assert divide(dtype, "/", [least, 7], [-1, -2]) == [least, -3]
    assert divide(dtype, "%", [least, 7], [-1, -2]) == [0, 1]


def converted(value, source, target):
    """Return the H100's result of (target)value."""
    wide = target if target[1] in "48" else "i4" if target[0] == "i" else "u4"
    limits = np.iinfo(wide)
    bits = 8 * int(wide[1])
    if np.isnan(value):
        top = source == "f8" or bits == 64
        result = 1 << (bits - 1) if top else 0
    elif np.isinf(value):
        result = limits.max if value > 0 else limits.min
    else:
        result = min(max(int(value), limits.min), limits.max)
    result &= (1 << 8 * int(target[1])) - 1
    unsigned = np.array(result, f"u{target[1]}")
    return int(unsigned.view(target))


@pytest.mark.parametrize("target", sorted(C_NAMES))
@pytest.mark.parametrize("source", ["f4", "f8"])
def test_conversions(source, target):
    values = np.array(
        [np.nan, np.inf, -np.inf, 3e9, -3e9, 1e20, -1e20, -1.0, 300.7, -200.5,
         70000.9, 255.99],
        source,
    )  # fmt: skip
    code = f"""
    __global__ void k({"float" if source == "f4" else "double"} *a,
                      {C_NAMES[target]} *out)
    {{
        out[threadIdx.x] = ({C_NAMES[target]})a[threadIdx.x];
    }}
    """
    want = [converted(float(value), source, target) for value in values]
    assert call(code, (values,), np.empty(len(values), target)) == want


@pytest.mark.parametrize("dtype", ["i4", "u4", "i8", "u8"])
def test_shifts_by_the_width_or_more(dtype):
    counts = np.array([0, 31, 32, 63, 64, 100], np.int32)
    a = np.full(counts.shape, -3 if dtype[0] == "i" else 3, dtype)
    bits, value = 8 * int(dtype[1]), int(a[0])
    for operator in ("<<", ">>"):
        source = f"""
        __global__ void k({C_NAMES[dtype]} *a, int *n, {C_NAMES[dtype]} *out)
        {{
            int i = threadIdx.x;
            out[i] = a[i] {operator} n[i];
        }}
        """
        left = [value << n if n < bits else 0 for n in counts.tolist()]
        mask = (1 << bits) - 1
        want = (
            np.array([x & mask for x in left], f"u{dtype[1]}").view(dtype)
            if operator == "<<"
            else np.array([value >> n for n in counts.tolist()], dtype)
        )
        got = call(source, (a, counts), np.empty_like(a))
        assert got == want.tolist()


@pytest.mark.parametrize("suffix", ["", "f"])
def test_conversions_of_constants(suffix):
    values = (1e10, -1e10, 3e9, 1e30, -1.0, 300.5)
    rows = [(value, target) for value in values for target in ONES]
    lines = (
        f"""
        {C_NAMES[target]} v{i} = {value}{suffix};
        out[2 * {i}] = v{i};
        out[2 * {i} + 1] = ({C_NAMES[target]}){value}{suffix};"""
        for i, (value, target) in enumerate(rows)
    )
    code = f"__global__ void k(long long *out) {{ {''.join(lines)} }}"
    out = call(code, (), np.zeros(2 * len(rows), np.int64), threads=1)
    narrow = np.float32 if suffix else np.float64
    for i, (value, target) in enumerate(rows):
        want = converted(float(narrow(value)), "f4", target)
        want = int(np.array(want, target).astype(np.int64))
        assert out[2 * i + 1] == want, rows[i]
        # NVRTC truncates values that are too large for an unsigned variable.
        if target[0] == "i" or value <= converted(np.inf, "f4", target):
            assert out[2 * i] == want, rows[i]


@pytest.mark.parametrize(
    "a, b", [("*a", "*b"), ("(-2147483647 - 1)", "(-9223372036854775807 - 1)")]
)
def test_abs_of_the_least_number(a, b):
    code = f"""
    __global__ void k(int *a, long long *b, long long *out)
    {{
        int x = {a};
        out[0] = abs({a});
        out[1] = x < 0 ? -x : x;
        out[2] = llabs({b});
        out[3] = labs({b});
        out[4] = abs({b});
    }}
    """
    inputs = np.array([-(2**31)], np.int32), np.array([-(2**63)], np.int64)
    found = call(code, inputs, np.zeros(5, np.int64), threads=1)
    assert found == [-(2**31)] * 2 + [-(2**63)] * 3
