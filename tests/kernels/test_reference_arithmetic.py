"""PTX arithmetic: operations that C leaves undefined and GPUs define."""

import numpy as np
import reference

import pycuda.driver as cuda

DIVISION = """
__global__ void kernel(int *q, int *r, unsigned *uq, const int *a,
                       const int *b, int n)
{
    int i = threadIdx.x;
    if (i >= n)
        return;
    q[i] = a[i] / b[i];
    r[i] = a[i] % b[i];
    uq[i] = (unsigned)a[i] / (unsigned)b[i];
}
"""


def test_integer_division_by_zero_does_not_trap():
    a = np.array([7, -7, 0, 5, 100, -(2**31), -(2**31)], np.int32)
    b = np.array([2, 2, 0, 0, -7, -1, 2], np.int32)
    q, r = np.empty((2, 7), np.int32)
    uq = np.empty(7, np.uint32)
    reference.kernel(DIVISION)(
        *map(cuda.Out, (q, r, uq)),
        cuda.In(a),
        cuda.In(b),
        np.int32(7),
        block=(32, 1, 1),
    )
    # PTX does not define x / 0; the results of the other threads are right.
    assert q[[0, 1, 4, 5, 6]].tolist() == [3, -3, -14, -(2**31), -(2**30)]
    assert r[[0, 1, 4, 5, 6]].tolist() == [1, -1, 2, 0, 0]
    divisible = b != 0
    assert np.array_equal(
        uq[divisible],
        a.view(np.uint32)[divisible] // b.view(np.uint32)[divisible],
    )


CONVERSION = """
__global__ void kernel(int *i, unsigned *u, long long *l, int *from_double,
                       const float *x, int n)
{
    int t = threadIdx.x;
    if (t >= n)
        return;
    i[t] = (int)x[t];
    u[t] = (unsigned)x[t];
    l[t] = (long long)x[t];
    from_double[t] = (int)(double)x[t];
}
"""


def test_float_to_integer_saturates():
    x = np.array(
        [1.9, -1.9, 3e9, -3e9, 1e20, -1e20, np.inf, -np.inf, 0.5], np.float32
    )
    n = x.size
    i, from_double = np.empty((2, n), np.int32)
    u, wide = np.empty(n, np.uint32), np.empty(n, np.int64)
    reference.kernel(CONVERSION)(
        *map(cuda.Out, (i, u, wide, from_double)),
        cuda.In(x),
        np.int32(n),
        block=(32, 1, 1),
    )
    high, low = 2**31 - 1, -(2**31)
    assert i.tolist() == [1, -1, high, low, high, low, high, low, 0]
    assert from_double.tolist() == i.tolist()
    ones = 2**32 - 1
    assert u.tolist() == [1, 0, 3 * 10**9, 0, ones, 0, ones, 0, 0]
    high, low = 2**63 - 1, -(2**63)
    assert wide.tolist() == [
        1, -1, 3 * 10**9, -3 * 10**9, high, low, high, low, 0,
    ]  # fmt: skip


NAN = """
__global__ void kernel(int *i, unsigned *u, const float *x)
{
    *i = (int)*x;
    *u = (unsigned)*x;
}
"""


def test_nan_becomes_zero():
    i, u = np.full(1, 9, np.int32), np.full(1, 9, np.uint32)
    x = np.array([np.nan], np.float32)
    reference.kernel(NAN)(
        cuda.Out(i), cuda.Out(u), cuda.In(x), block=(1, 1, 1)
    )
    assert i[0] == 0 and u[0] == 0


SHIFTS = """
__global__ void kernel(int *left, int *right, unsigned *unsigned_right,
                       long long *wide, const int *by, int value)
{
    int t = threadIdx.x;
    left[t] = value << by[t];
    right[t] = value >> by[t];
    unsigned_right[t] = (unsigned)value >> by[t];
    wide[t] = (long long)value << by[t];
}
"""


def test_shifts_beyond_the_width_are_defined():
    by = np.array([0, 1, 31, 32, 33, 40, 63, 64, 65, 200], np.int32)
    n, value = by.size, -12345
    left, right = np.empty((2, n), np.int32)
    bits, wide = np.empty(n, np.uint32), np.empty(n, np.int64)
    reference.kernel(SHIFTS)(
        *map(cuda.Out, (left, right, bits, wide)),
        cuda.In(by),
        np.int32(value),
        block=(n, 1, 1),
    )

    def signed(number: int, width: int) -> int:
        number %= 1 << width
        return number - (1 << width if number >> (width - 1) else 0)

    amounts = by.tolist()
    assert left.tolist() == [signed(value << s, 32) for s in amounts]
    assert right.tolist() == [value >> s for s in amounts]
    assert bits.tolist() == [(value % 2**32) >> s for s in amounts]
    assert wide.tolist() == [signed(value << s, 64) for s in amounts]


INTRINSICS = """
__global__ void kernel(int *out, unsigned a, unsigned b)
{
    int k = 0;
    out[k++] = __popc(a);
    out[k++] = __popcll(((unsigned long long)a << 32) | b);
    out[k++] = __clz(a);
    out[k++] = __clz(0);
    out[k++] = __ffs(a);
    out[k++] = __ffs(0);
    out[k++] = __brev(a);
    out[k++] = __byte_perm(a, b, 0x5140);
    out[k++] = __umulhi(a, b);
    out[k++] = __mulhi((int)a, (int)b);
    out[k++] = __mul24(1000, 3000);
    out[k++] = __float2int_rn(2.5f);
    out[k++] = __float2int_ru(2.1f);
    out[k++] = __float_as_int(1.0f);
    out[k++] = __funnelshift_l(a, b, 8);
    out[k++] = __sad(3, 10, 4u);
    out[k++] = min(3, -4) + max(7u, 2u);
    out[k++] = abs(-9);
}
"""


def test_integer_intrinsics():
    a, b = 0x00F0A5C3, 0x89ABCDEF
    out = np.empty(18, np.int32)
    reference.kernel(INTRINSICS)(
        cuda.Out(out), np.uint32(a), np.uint32(b), block=(1, 1, 1)
    )

    def as_signed(number: int) -> int:
        return (number + 2**31) % 2**32 - 2**31

    assert out.tolist() == [
        a.bit_count(),
        a.bit_count() + b.bit_count(),
        32 - a.bit_length(),
        32,
        1,
        0,
        as_signed(int(f"{a:032b}"[::-1], 2)),
        as_signed(0xCDA5EFC3),
        a * b >> 32,
        a * as_signed(b) >> 32,
        3_000_000,
        2,
        3,
        0x3F800000,
        as_signed((b << 8 | a >> 24) % 2**32),
        11,
        3,
        9,
    ]


ROUNDING = """
__global__ void kernel(float *out, const float *x)
{
    out[0] = __fadd_rn(x[0], x[1]);
    out[1] = __fadd_rd(x[0], x[1]);
    out[2] = __fadd_ru(x[0], x[1]);
    out[3] = __fdiv_rn(x[0], 3.0f);
    out[4] = fmaf(x[0], x[1], -x[1]);
    out[5] = rintf(2.5f) + roundf(2.5f);
    out[6] = copysignf(3.0f, -x[0]);
    out[7] = fminf(x[0], nanf(""));
    out[8] = remainderf(10.0f, 4.0f) + fmodf(-7.5f, 2.0f);
    out[9] = ldexpf(0.75f, 4);
}
"""


def test_rounding():
    x = np.array([1, 2**-30], np.float32)
    out = np.empty(10, np.float32)
    reference.kernel(ROUNDING)(cuda.Out(out), cuda.In(x), block=(1, 1, 1))
    one = np.float32(1)
    assert out.tolist() == [
        1, 1, np.nextafter(one, np.float32(2)), one / np.float32(3), 0,
        2 + 3, -3, 1, 2 - 1.5, 12,
    ]  # fmt: skip


WRAP = """
__global__ void kernel(int *out, const int *x)
{
    int t = threadIdx.x;
    out[t] = x[t] + 1 > x[t];
    out[blockDim.x + t] = (int)((unsigned)x[t] * 2654435761u);
    out[2 * blockDim.x + t] = (char)x[t];
    out[3 * blockDim.x + t] = (unsigned short)x[t];
}
"""


def test_unsigned_arithmetic_wraps():
    x = np.array([0, 1, -1, 300, 70000, 2**31 - 2], np.int32)
    out = np.empty((4, 6), np.int32)
    reference.kernel(WRAP)(cuda.Out(out), cuda.In(x), block=(6, 1, 1))
    assert np.all(out[0] == 1)
    assert np.array_equal(
        out[1].view(np.uint32), x.view(np.uint32) * np.uint32(2654435761)
    )
    assert np.array_equal(out[2], x.astype(np.int8))
    assert np.array_equal(out[3], x.astype(np.uint16))
