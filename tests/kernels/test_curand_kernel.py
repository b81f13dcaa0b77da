"""curand_kernel.h: known answers, jumps against steps, distributions."""

import math

import numpy as np
import pytest

import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

# The integers are the papers'; on a GPU the header is NVIDIA's own.
pytestmark = pytest.mark.cpu
HEAD = "#include <curand_kernel.h>\n"
STATES = ["curandState", "curandStateMRG32k3a", "curandStatePhilox4_32_10_t"]


def run(body, shape=1, dtype=np.float64, block=1, head=""):
    """Run `body` with `out` (an array) and `t` (the thread)."""
    ctype = {"f8": "double", "u4": "unsigned", "u8": "unsigned long long"}[
        np.dtype(dtype).str[1:]
    ]
    source = (
        HEAD + head + f"__global__ void k({ctype} *out)"
        f"{{ int t = threadIdx.x; (void)t; {body} }}"
    )
    out = np.zeros(shape, dtype)
    SourceModule(source).get_function("k")(
        cuda.InOut(out), block=(block, 1, 1)
    )
    return out


def xorwow(v, d, count):
    """Marsaglia's generator, from its paper."""
    for _ in range(count):
        t = v[0] ^ (v[0] >> 2)
        last = (v[4] ^ (v[4] << 4) ^ t ^ (t << 1)) & 0xFFFFFFFF
        v = [*v[1:], last]
        d = (d + 362437) & 0xFFFFFFFF
        yield (last + d) & 0xFFFFFFFF


def test_xorwow_is_marsaglias():
    start = [123456789, 362436069, 521288629, 88675123, 5783321]
    words = ", ".join(str(word) + "u" for word in start)
    out = run(
        f"curandState s = {{6615241u, {{{words}}}, 0, 0, 0, 0}};"
        "for (int i = 0; i < 50; i++) out[i] = curand(&s);",
        50,
        np.uint32,
    )
    assert out.tolist() == list(xorwow(start, 6615241, 50))
    assert out[:3].tolist() == [246875399, 3690007200, 1264581005]


def test_mrg32k3a_is_lecuyers():
    a, b, model = [12345] * 3, [12345] * 3, []
    for _ in range(5):
        p = (1403580 * a[1] - 810728 * a[0]) % 4294967087
        q = (527612 * b[2] - 1370589 * b[0]) % 4294944443
        a, b = [*a[1:], p], [*b[1:], q]
        model.append(((p - q) % 4294967087 or 4294967087) / 4294967088)
    # The sum of 10**7 numbers for these seeds is in his paper of 1999.
    out = run(
        "curandStateMRG32k3a s; curand_init(0, 0, 0, &s); out[5] = 0;"
        "for (int i = 0; i < 10000000; i++) {"
        "    double u = curand_uniform_double(&s);"
        "    if (i < 5) out[i] = u;"
        "    out[5] += u;"
        "}",
        6,
    )
    assert np.allclose(out[:5], model, rtol=1e-15)
    assert round(out[5], 2) == 5001090.95


def test_philox_answers_its_authors_vectors():
    # Random123's known answers for zeros, ones and the digits of pi.
    out = run(
        """
        unsigned f = 0xffffffffu;
        uint4 r[3];
        r[0] = curand_Philox4x32_10(make_uint4(0, 0, 0, 0), make_uint2(0, 0));
        r[1] = curand_Philox4x32_10(make_uint4(f, f, f, f), make_uint2(f, f));
        r[2] = curand_Philox4x32_10(
            make_uint4(0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344),
            make_uint2(0xa4093822, 0x299f31d0));
        memcpy(out, r, sizeof r);
        """,
        (3, 4),
        np.uint32,
    )
    assert [[f"{word:08x}" for word in row] for row in out] == [
        ["6627e8d5", "e169c58d", "bc57ac4c", "9b00dbd8"],
        ["408f276d", "41c83b0e", "a20bc7c6", "6d5451fd"],
        ["d16cfe09", "94fdcceb", "5001e420", "24126ea1"],
    ]


@pytest.mark.parametrize("state", STATES)
def test_skipahead_is_as_many_steps(state):
    out = run(
        f"""
        {state} a, b;
        curand_init(77, 3, 0, &a);
        for (int i = 0; i < 1234; i++) curand(&a);
        curand_init(77, 3, 0, &b);
        skipahead(1000, &b); skipahead(234, &b);
        out[0] = curand(&a); out[1] = curand(&b);
        curand_init(77, 3, 1234, &b);
        out[2] = curand(&b);
        // 2^60 twice is 2^61, and sequences commute with offsets
        skipahead(1ull << 60, &a); skipahead(1ull << 60, &a);
        skipahead_sequence(5, &a); skipahead_sequence(4, &a);
        skipahead_sequence(9, &b); skipahead(1ull << 61, &b);
        out[3] = curand(&a); out[4] = curand(&b);
        """,
        5,
        np.uint32,
    )
    assert out[0] == out[1] == out[2]
    assert out[3] == out[4]


def test_a_sequence_of_xorwow_is_two_to_the_67():
    # 32 jumps of 2^62 numbers.
    out = run(
        """
        curandState a, b;
        curand_init(5, 0, 0, &a);
        for (int i = 0; i < 32; i++) skipahead(1ull << 62, &a);
        curand_init(5, 1, 0, &b);
        for (int i = 0; i < 4; i++) {
            out[i] = curand(&a); out[4 + i] = curand(&b);
        }
        """,
        8,
        np.uint32,
    )
    assert out[:4].tolist() == out[4:].tolist()


def test_subsequences_of_mrg32k3a():
    # 2^76 is 2^12 jumps of 2^63 and twice; 2^127 is 2^51 subsequences.
    out = run(
        """
        curandStateMRG32k3a a, b;
        curand_init(5, 0, 0, &a);
        for (int i = 0; i < 8192; i++) skipahead(1ull << 63, &a);
        curand_init(5, 1, 0, &b);
        out[0] = curand(&a); out[1] = curand(&b);
        skipahead_sequence(1, &a);
        skipahead_subsequence(1ull << 51, &b);
        out[2] = curand(&a); out[3] = curand(&b);
        """,
        4,
        np.uint32,
    )
    assert out[0] == out[1] and out[2] == out[3]


def test_threads_have_sequences_of_their_own():
    out = run(
        "curandState s; curand_init(1, t, 0, &s); out[t] = curand(&s);",
        256,
        np.uint32,
        block=256,
    )
    assert len(set(out.tolist())) == 256


N = 20000


@pytest.mark.parametrize("state", STATES)
def test_uniform_and_normal(state):
    uniform, double, normal, wide, logs = run(
        f"""
        {state} s; curand_init(42, 0, 0, &s);
        for (int i = 0; i < {N}; i++) {{
            out[i] = curand_uniform(&s);
            out[i + {N}] = curand_uniform_double(&s);
            out[i + 2 * {N}] = curand_normal(&s);
            out[i + 3 * {N}] = curand_normal_double(&s);
            out[i + 4 * {N}] = curand_log_normal(&s, 0.5f, 0.25f);
        }}
        """,
        (5, N),
    )
    for x in (uniform, double):
        assert 0 < x.min() < 1e-3 and 1 - 1e-3 < x.max() <= 1
        assert abs(x.mean() - 0.5) < 0.01 and abs(x.var() - 1 / 12) < 0.003
        counts = np.histogram(x, 50, (0, 1))[0]
        chi = ((counts - N / 50) ** 2 / (N / 50)).sum()
        assert 20 < chi < 100, chi  # 49 degrees of freedom
    for x in (normal, wide, (np.log(logs) - 0.5) / 0.25):
        assert abs(x.mean()) < 0.03 and abs(x.std() - 1) < 0.02
        assert abs((x**3).mean()) < 0.1 and abs((x**4).mean() - 3) < 0.25
        assert abs(np.corrcoef(x[:-1], x[1:])[0, 1]) < 0.03


def test_vectors_of_philox():
    out = run(
        """
        curandStatePhilox4_32_10_t a, b;
        curand_init(9, 1, 2, &a); b = a;
        uint4 four = curand4(&a);
        float4 u = curand_uniform4(&a);
        double2 d = curand_uniform2_double(&a);
        out[0] = four.x; out[1] = four.y; out[2] = four.z; out[3] = four.w;
        out[4] = u.x; out[5] = u.y; out[6] = u.z; out[7] = u.w;
        out[8] = d.x; out[9] = d.y;
        for (int i = 0; i < 4; i++) out[10 + i] = curand(&b);
        for (int i = 0; i < 4; i++) out[14 + i] = curand_uniform(&b);
        for (int i = 0; i < 2; i++) {
            unsigned low = curand(&b), high = curand(&b);
            out[18 + i] = _curand_uniform_double_hq(low, high);
        }
        float4 n = curand_normal4(&a);
        double4 w = curand_normal4_double(&a);
        float4 l = curand_log_normal4(&a, 0, 1);
        float2 m = curand_normal2(&a);
        uint4 p = curand_poisson4(&a, 3.0);
        out[20] = isfinite(n.x + n.w + w.x + w.w + l.x + l.w + m.x + m.y)
            && p.x < 20 && p.w < 20;
        """,
        21,
    )
    assert out[:10].tolist() == out[10:20].tolist()
    assert out[20] == 1


@pytest.mark.parametrize("mean", [0.5, 4, 30, 800, 20000])
def test_poisson(mean):
    x = run(
        f"curandState s; curand_init(8, 0, 0, &s);"
        f"for (int i = 0; i < {N}; i++) out[i] = curand_poisson(&s, {mean});",
        N,
    )
    assert abs(x.mean() - mean) < 5 * math.sqrt(mean / N)
    assert abs(x.var() / mean - 1) < 0.06
    k = int(mean)
    p = math.exp(k * math.log(mean) - mean - math.lgamma(k + 1))
    share = (x == k).mean()
    assert abs(share - p) < 5 * math.sqrt(p / N)


def directions(bits):
    """Van der Corput's: the first dimension of a Sobol' sequence."""
    return [1 << (bits - 1 - i) for i in range(bits)]


@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize("scramble", [None, 0x1234567])
def test_sobol(bits, scramble):
    ctype = "unsigned int" if bits == 32 else "unsigned long long"
    words = ", ".join(f"{word}ull" for word in directions(bits))
    name = "Scrambled" if scramble is not None else ""
    given = f"{scramble}u, " if scramble is not None else ""
    out = run(
        f"""
        curandState{name}Sobol{bits}_t s, late;
        curand_init(v, {given}0, &s);
        for (int i = 0; i < 64; i++) out[i] = curand(&s);
        curand_init(v, {given}64, &late);
        out[64] = curand(&s); out[65] = curand(&late);
        skipahead(100, &s);
        for (int i = 0; i < 100; i++) curand(&late);
        out[66] = curand(&s); out[67] = curand(&late);
        """,
        68,
        np.uint32 if bits == 32 else np.uint64,
        head=f"__constant__ {ctype} v[{bits}] = {{ {words} }};\n",
    )
    expected = []
    for i in range(64):
        gray, x = i ^ (i >> 1), scramble or 0
        for k, word in enumerate(directions(bits)):
            x ^= word if gray >> k & 1 else 0
        expected.append(x)
    assert out[:64].tolist() == expected
    assert out[64] == out[65] and out[66] == out[67]


def test_distributions_of_sobol():
    words = ", ".join(f"{word}u" for word in directions(32))
    uniform, normal, poisson = run(
        """
        curandStateSobol32_t a, b, c;
        curand_init(v, 1, &a); curand_init(v, 1, &b); curand_init(v, 1, &c);
        for (int i = 0; i < 4095; i++) {
            out[i] = curand_uniform(&a);
            out[i + 4095] = curand_normal_double(&b);
            out[i + 2 * 4095] = curand_poisson(&c, 6.0);
        }
        """,
        (3, 4095),
        head=f"__constant__ unsigned v[32] = {{ {words} }};\n",
    )
    assert np.allclose(np.sort(uniform), np.arange(1, 4096) / 4096, atol=1e-6)
    assert abs(normal.mean()) < 1e-3 and abs(normal.std() - 1) < 5e-3
    assert abs(poisson.mean() - 6) < 0.01


def test_sizes_are_curands():
    out = run(
        "out[0] = sizeof(curandState);"
        "out[1] = sizeof(curandStatePhilox4_32_10_t);",
        2,
    )
    assert out.tolist() == [48, 64]


def test_extern_c_and_pycudas_wrap():
    """A program as PyCUDA's documentation has it: states in memory."""
    module = SourceModule(
        HEAD
        + """
        extern "C" {
        __global__ void setup(curandState *states, int seed)
        { int i = threadIdx.x; curand_init(seed, i, 0, &states[i]); }
        __global__ void draw(curandState *states, float *out)
        {
            int i = threadIdx.x;
            curandState local = states[i];
            out[i] = curand_uniform(&local);
            states[i] = local;
        }
        }
        """,
        no_extern_c=True,
    )
    states = cuda.mem_alloc(48 * 64)
    module.get_function("setup")(states, np.int32(7), block=(64, 1, 1))
    first, second = np.empty((2, 64), np.float32)
    draw = module.get_function("draw")
    draw(states, cuda.Out(first), block=(64, 1, 1))
    draw(states, cuda.Out(second), block=(64, 1, 1))
    together = np.concatenate([first, second])
    assert len(set(together.tolist())) == 128
    assert 0.4 < together.mean() < 0.6
