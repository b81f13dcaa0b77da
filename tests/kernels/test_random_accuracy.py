"""What distributions make of uniform numbers, against more digits.

The references are in NumPy's longdouble, which mpmath checks here and there.
Each bound holds on each device, so that two devices differ by twice as much
at the most; where nothing but IEEE's operations is used they do not differ.
"""

# SPDX-License-Identifier: MIT

import hashlib

import mpmath
import numpy as np
import pytest
from scipy import special, stats

import pycuda.driver as drv
from pycuda import curandom
from pycuda.compiler import SourceModule

# Kernels are not instrumented, and what calls them here others call, too.
pytestmark = [pytest.mark.usefixtures("context"), pytest.mark.no_sanitizer]

Philox = curandom.PhiloxRandomNumberGenerator
Long = np.longdouble
PI = Long("3.14159265358979323846264338327950288")
N = 400_000
TYPES = [np.float32, np.float64]

needs_digits = pytest.mark.skipif(
    np.finfo(Long).nmant < 63, reason="longdouble has no more digits here"
)


def sine(x):
    """sin(pi x) for x of [0, 3)."""
    quarter = np.rint(2 * x)
    rest = PI * (x - quarter / 2)
    s, c = np.sin(rest), np.cos(rest)
    return np.choose(quarter.astype(int) % 4, [s, c, -s, -c])


def normals(u):
    """Box and Muller's transform, as the generator pairs its numbers."""
    first, second = u[0::2].astype(Long), u[1::2].astype(Long)
    radius = np.sqrt(-2 * np.log(first))
    both = [radius * sine(2 * second), radius * sine(2 * second + Long(0.5))]
    return np.stack(both, 1).ravel()


def ulps(got, exact):
    unit = np.spacing(np.abs(exact).astype(got.dtype)).astype(Long)
    return float((np.abs(got.astype(Long) - exact) / unit).max())


def uniform(dtype, seed=3):
    return Philox(seed).gen_uniform(N, dtype).get()


@needs_digits
@pytest.mark.parametrize("dtype", TYPES)
def test_the_reference(dtype):
    u = uniform(dtype)[:60]
    got = normals(u)
    with mpmath.workdps(40):
        for k in range(0, u.size, 2):
            first, second = (mpmath.mpf(float(x)) for x in u[k : k + 2])
            radius = mpmath.sqrt(-2 * mpmath.log(first))
            exact = [radius * mpmath.sinpi(2 * second),
                     radius * mpmath.cospi(2 * second)]  # fmt: skip
            for mine, theirs in zip(got[k : k + 2], exact, strict=True):
                mine = mpmath.mpf(np.format_float_scientific(mine, 25))
                assert abs(mine / theirs - 1) < 3e-18


@needs_digits
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("place", [(0, 1), (0, 0.3), (1.7, 0.3), (-40, 7)])
def test_normal(dtype, place):
    mean, width = (dtype(x) for x in place)
    got = Philox(3).normal(mean, width, N, dtype).get()
    exact = Long(mean) + Long(width) * normals(uniform(dtype))
    # Where mean and number cancel out, of what cancels out.
    unit = np.spacing(np.maximum(np.abs(exact).astype(dtype), abs(mean)))
    errors = np.abs(got.astype(Long) - exact) / unit.astype(Long)
    assert float(errors.max()) < 4
    if place == (0, 1):
        repeated = Philox(3).gen_normal(N, dtype).get()
        assert (got == repeated).all()


@needs_digits
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("place", [(0, 1), (0.5, 0.25), (-3, 2), (9, 1.5)])
def test_lognormal(dtype, place):
    mean, width = (dtype(x) for x in place)
    got = Philox(3).lognormal(mean, width, N, dtype).get()
    exact = np.exp(Long(mean) + Long(width) * normals(uniform(dtype)))
    assert ulps(got, exact) < 4


@needs_digits
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("scale", [1, 2.3, 1e-5])
def test_exponential(dtype, scale):
    got = Philox(3).exponential(scale, N, dtype).get()
    exact = -np.log(uniform(dtype).astype(Long)) * Long(dtype(scale))
    assert ulps(got, exact) < 1


@needs_digits
@pytest.mark.parametrize("kind", ["XORWOW", "MRG32k3a"])
@pytest.mark.parametrize("dtype", TYPES)
def test_generators_with_states(kind, dtype):
    make = getattr(curandom, f"{kind}RandomNumberGenerator")
    states = make.block_count * make.generators_per_block
    u = make(5).gen_uniform((4, states), dtype).get()
    got = make(5).gen_normal(2 * 2 * states, dtype).get()
    got = got.reshape(2, states, 2)
    for k in range(2):
        pairs = np.stack([u[2 * k], u[2 * k + 1]], 1).ravel()
        assert ulps(got[k].ravel(), normals(pairs)) < 1


@needs_digits
@pytest.mark.parametrize("place", [(0, 1), (0.5, 0.25), (-3, 2), (9, 1.5)])
@pytest.mark.parametrize("kind", ["XORWOW", "MRG32k3a"])
@pytest.mark.parametrize("dtype", TYPES)
def test_lognormal_of_generators_with_states(kind, dtype, place):
    make = getattr(curandom, f"{kind}RandomNumberGenerator")
    mean, width = (dtype(x) for x in place)
    states = make.block_count * make.generators_per_block
    u = make(5).gen_uniform((2, states), dtype).get()
    exact = normals(u.T.ravel())
    exact = np.exp(Long(mean) + Long(width) * exact)
    got = make(5).gen_log_normal(2 * states, dtype, mean, width).get()
    assert ulps(got, exact) < 4
    # An odd number is made one by one: of each state the first of its pair.
    got = make(5).gen_log_normal(states - 1, dtype, mean, width).get()
    assert ulps(got, exact[::2][:-1]) < 4


ONE_BY_ONE = """
#include <curand_kernel.h>
#define U2 curand_uniform2_double
typedef %(state)s State;
extern "C" __global__ void k(%(real)s *u, %(real)s *made, int n)
{
    State state;
    double2 two;
    (void)two;
    curand_init(7, 0, 0, &state);
    for (int i = 0; i < n; i++) {
        u[i] = %(uniform)s;
    }
    curand_init(7, 0, 0, &state);
    for (int i = 0; i < n; i++) {
        made[i] = curand_log_normal%(double)s(&state, -3, 2);
    }
    %(mixed)s
}
"""
# Numbers of one type leave the other type's kept number alone.
MIXED = """
    curand_init(7, 0, 0, &state);
    curand_normal%(other)s(&state);
    u[0] = u[1] = curand_log_normal%(double)s(&state, -3, 2);
    curand_normal%(other)s(&state);
    curand_normal%(other)s(&state);
    u[1] = curand_log_normal%(double)s(&state, -3, 2);
"""


def one_by_one(kind, dtype, mixed):
    names = {
        "state": f"curandState{kind}",
        "real": "double" if dtype is np.float64 else "float",
        "double": "_double" if dtype is np.float64 else "",
        "other": "" if dtype is np.float64 else "_double",
    }
    # Philox makes doubles of one word, and normal doubles of two each.
    names["uniform"] = f"curand_uniform{names['double']}(&state)"
    if kind.startswith("Philox") and dtype is np.float64:
        names["uniform"] = "i & 1 ? two.y : (two = U2(&state)).x"
    names["mixed"] = MIXED % names if mixed else ""
    kernel = SourceModule(ONE_BY_ONE % names, no_extern_c=True)
    u, made = np.empty(2000, dtype), np.empty(2000, dtype)
    kernel.get_function("k")(
        drv.Out(u), drv.Out(made), np.int32(2000), block=(1, 1, 1)
    )
    return u, made


@needs_digits
@pytest.mark.cpu
@pytest.mark.parametrize("kind", ["XORWOW", "MRG32k3a", "Philox4_32_10"])
@pytest.mark.parametrize("dtype", TYPES)
def test_lognormal_one_by_one(kind, dtype):
    """With cuRAND's header on a GPU these are cuRAND's numbers."""
    u, made = one_by_one(kind, dtype, False)
    exact = np.exp(Long(2) * normals(u) - 3)
    assert ulps(made, exact) < 4
    pair, repeated = one_by_one(kind, dtype, True)
    assert (repeated == made).all()
    assert (pair[:2] > 0).all() and np.isfinite(pair[:2]).all()


def exact_inverse(u):
    """The normal distribution's inverse by mpmath, as Longs."""
    with mpmath.workdps(40):
        found = [mpmath.sqrt(2) * mpmath.erfinv(2 * mpmath.mpf(float(x)) - 1)
                 for x in u]  # fmt: skip
        return np.array([Long(mpmath.nstr(x, 25)) for x in found])


@pytest.mark.sweep(most=2)
@needs_digits
@pytest.mark.parametrize("kind", ["Sobol", "ScrambledSobol"])
@pytest.mark.parametrize("bits", [32, 64])
def test_sobols_normal_numbers(kind, bits):
    make = getattr(curandom, f"{kind}{bits}RandomNumberGenerator")
    integer = np.uint32 if bits == 32 else np.uint64
    words = make(offset=7).gen_uniform(200_000, integer).get()
    for dtype, bound in ((np.float32, 1), (np.float64, 3)):
        middle, sign = middles(words, dtype)
        got = make(offset=7).gen_normal(words.size, dtype).get()
        assert np.isfinite(got).all()
        order = np.argsort(0.5 - middle, kind="stable")
        some = np.concatenate([order[:100], order[::1000], order[-100:]])
        exact = sign[some] * exact_inverse(middle[some])
        assert ulps(got[some], exact) < bound
        if dtype is np.float32:
            shape = words.shape, dtype, np.float32(-3), np.float32(2)
            logs = make(offset=7).gen_log_normal(*shape).get()
            assert ulps(logs[some], np.exp(2 * exact - 3)) < 4


def middles(words, dtype):
    """Middles of words' intervals, mirrored into (0, 0.5], and signs."""
    if words.dtype == np.uint64:
        shift = 32 if dtype is np.float32 else 11
        words = words >> np.uint64(shift)
        bits = 64 - shift
    else:
        bits = 32
    words = words.astype(np.int64)
    upper = words > 1 << (bits - 1)
    words = np.where(upper, (1 << bits) - 1 - words, words)
    middle = words.astype(dtype) * dtype(2.0**-bits) + dtype(2.0**-bits / 2)
    return middle, np.where(upper, -1, 1)


def reals(count):
    """The pairs of reals that Poisson numbers take."""
    return Philox(3).gen_uniform((count, 2), np.float64).get().T


@pytest.mark.sweep(most=2)
@pytest.mark.parametrize("mean", [1e-3, 0.5, 3.5, 9.99])
def test_small_poisson(mean):
    got = Philox(3).poisson(mean, N).get()
    exact = stats.poisson.ppf(reals(N)[0], mean)
    assert (got == exact).mean() > 0.9999


@pytest.mark.parametrize("mean", [10, 50, 1234.5, 1e6, 1e9])
def test_large_poisson(mean):
    """Hormann's first attempts."""
    u, v = reals(N)
    u -= 0.5
    s, b = 0.5 - np.abs(u), 0.931 + 2.53 * np.sqrt(mean)
    a = -0.059 + 0.02483 * b
    k = np.floor((2 * a / s + b) * u + mean + 0.43)
    quick = (s >= 0.07) & (v <= 0.9277 - 3.6224 / (b - 2))
    never = ~quick & ((k < 0) | ((s < 0.013) & (v > s)))
    with np.errstate(all="ignore"):
        left = np.log(v * (1.1239 + 1.1328 / (b - 3.4)) / (a / s**2 + b))
        right = k * np.log(mean) - mean - special.gammaln(k + 1)
    taken = quick | (~never & (left <= right))
    got = Philox(3).poisson(mean, N).get()
    assert taken.mean() > 0.6
    assert (got[taken] == k[taken]).mean() > 0.9999
    assert abs(got[~taken].mean() / mean - 1) < 0.3


@pytest.mark.parametrize("k", [0, 1, 5, 30, 1000, 12345678])
def test_factorials(k):
    kernel = SourceModule(
        """
        #include <pycuda-random/transform.h>
        extern "C" __global__ void k(double *x)
        { *x = __pycuda_log_factorial(*x); }
        """,
        no_extern_c=True,
    ).get_function("k")
    x = np.array([k], np.float64)
    kernel(drv.InOut(x), block=(1, 1, 1))
    assert abs(x[0] - special.gammaln(k + 1)) < 3e-13 + 4e-15 * x[0]


# The same bits on every device.
SUMS = {
    "standard_normal float32": "9ef0e67961994b50",
    "standard_normal float64": "54ed1102824050a5",
    "standard_exponential float32": "c5d3fe05575b177e",
    "standard_exponential float64": "97352b5690658014",
    "poisson small": "a2c87001557d5d9e",
    "poisson large": "e61c3c56f57fd4d2",
    "gamma": "54628c1c9d22dc2d",
}


DRAWS = {
    "standard_normal float32": {"dtype": np.float32},
    "standard_normal float64": {},
    "standard_exponential float32": {"dtype": np.float32},
    "standard_exponential float64": {},
    "poisson small": {"lam": 3.5},
    "poisson large": {"lam": 47.5},
    "gamma": {"shape": 2.5},
}


def kept_sum(name):
    draw = getattr(Philox(20261121, 4), name.split()[0])
    got = draw(size=100_003, **DRAWS[name])
    return hashlib.sha256(got.get().tobytes()).hexdigest()[:16]


@pytest.mark.parametrize("name", sorted(DRAWS))
def test_sums_of_other_devices(name):
    assert kept_sum(name) == SUMS[name]
