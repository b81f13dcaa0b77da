"""Kernels that draw numbers from every generator of curand_kernel.h.

The same functions are compiled for a device by the tests and for the host by
tools/record_curand.py, which writes the numbers of NVIDIA's header down.
Poisson numbers are not among them, since their sequences differ.
Each call stores doubles, which hold words of 32 bits exactly; words of 64
bits are stored as two.

SPDX-License-Identifier: MIT
"""

from dataclasses import dataclass
from typing import Any

PUT = """
FUNCTION void put(double **to, unsigned x) { *(*to)++ = x; }
FUNCTION void put(double **to, float x) { *(*to)++ = x; }
FUNCTION void put(double **to, double x) { *(*to)++ = x; }
FUNCTION void put(double **to, unsigned long long x)
{ put(to, (unsigned)(x >> 32)); put(to, (unsigned)x); }
FUNCTION void put(double **to, float2 x) { put(to, x.x); put(to, x.y); }
FUNCTION void put(double **to, double2 x) { put(to, x.x); put(to, x.y); }
FUNCTION void put(double **to, uint4 x)
{ put(to, x.x); put(to, x.y); put(to, x.z); put(to, x.w); }
FUNCTION void put(double **to, float4 x)
{ put(to, x.x); put(to, x.y); put(to, x.z); put(to, x.w); }
template <class T> FUNCTION void put_four(double **to, T x)
{ put(to, x.x); put(to, x.y); put(to, x.z); put(to, x.w); }
"""

# A histogram of 5 columns: numbers of Marsaglia, Tsang and Wang's method.
TABLES = """
struct Tables {
    double v[5], steps[5];
    unsigned k[5];
    curandHistogramM2_st histogram;
    curandDistributionM2Shift_st shifted;
    curandDiscreteDistribution_st square, normal;
    curandDistributionShift_st cumulative;
};
FUNCTION void tables_fill(Tables *t)
{
    for (int i = 0; i < 5; i++) {
        t->v[i] = 0.2 * i + 0.03 * (5 - i);
        t->steps[i] = (i + 1) * (i + 1) / 25.0;
        t->k[i] = (i * 3 + 2) % 5;
    }
    t->histogram.V = t->v;
    t->histogram.K = t->k;
    t->shifted.histogram = &t->histogram;
    t->shifted.shift = 1000;
    t->shifted.length = 5;
    t->square.M2 = &t->shifted;
    t->square.method = CURAND_M2;
    t->normal.M2 = 0;
    t->normal.method = CURAND_DISCRETE_GAUSS;
    t->normal.mean = 2500.25;
    t->normal.stddev = 50.125;
    t->cumulative.probability = t->steps;
    t->cumulative.shift = 70;
    t->cumulative.length = 5;
}
"""

ALL = {
    "words": "curand(&s)",
    "uniform": "curand_uniform(&s)",
    "uniform_double": "curand_uniform_double(&s)",
    "normal": "curand_normal(&s)",
    "normal_double": "curand_normal_double(&s)",
    "log_normal": "curand_log_normal(&s, 0.5f, 0.25f)",
    "log_normal_double": "curand_log_normal_double(&s, -1.0, 0.5)",
    "histogram": ("curand_discrete(&s, mean ? &t->normal : &t->square)", 0.0),
    "gauss": ("curand_discrete(&s, mean ? &t->normal : &t->square)", 1.0),
    "search": "curand_binary_search_double(&s, &t->cumulative)",
}
PAIRS = {
    "normal2": "curand_normal2(&s)",
    "normal2_double": "curand_normal2_double(&s)",
    "log_normal2": "curand_log_normal2(&s, 0.5f, 0.25f)",
    "log_normal2_double": "curand_log_normal2_double(&s, -1.0, 0.5)",
    # A number of another distribution drops the one that was kept.
    "mixed": "(i % 3 ? curand_normal(&s)"
    " : curand_log_normal(&s, 0.25f * i, 0.5f))",
    "mixed_double": "(i % 3 ? curand_log_normal_double(&s, 0.25 * i, 0.5)"
    " : curand_normal_double(&s))",
    "mixed_types": "(i & 1 ? curand_normal_double(&s)"
    " : (double)curand_normal(&s))",
}
FOURS = {
    "words4": "curand4(&s)",
    "uniform4": "curand_uniform4(&s)",
    "uniform2_double": "curand_uniform2_double(&s)",
    "normal4": "curand_normal4(&s)",
    "log_normal4": "curand_log_normal4(&s, 0.5f, 0.25f)",
    "histogram4": (
        "curand_discrete4(&s, mean ? &t->normal : &t->square)",
        0.0,
    ),
    "gauss4": ("curand_discrete4(&s, mean ? &t->normal : &t->square)", 1.0),
    "unaligned4": "(i & 1 ? curand4(&s) : make_uint4(curand(&s), 0, 0, 0))",
    "uniform4_double": "PUT4 curand_uniform4_double(&s)",
    "normal4_double": "PUT4 curand_normal4_double(&s)",
    "log_normal4_double": "PUT4 curand_log_normal4_double(&s, -1.0, 0.5)",
}
# MRG32k3a has 2^51 subsequences.
SEEDED = {
    "first": "curand_init(0, 0, 0, &s);",
    "seed": "curand_init(0x123456789abcdefull, 0, 0, &s);",
    "sequence": "curand_init(42, 123456789, 0, &s);",
    "offset": "curand_init(42, 3, 987654321987ull, &s);",
    "last": "curand_init(~0ull, ~0ull >> 13, ~0ull, &s);",
}
JUMPS = {
    "skipahead": "curand_init(7, 1, 5, &s); skipahead(12345678901ull, &s);",
}
SEQUENCES = {
    "skipahead_sequence": "curand_init(7, 1, 5, &s);"
    " skipahead_sequence(1234567890123ull, &s); skipahead(3, &s);",
}
SUBSEQUENCES = {
    "skipahead_subsequence": "curand_init(7, 1, 5, &s);"
    " skipahead_subsequence(98765432109ull, &s);",
}
QUASI = {
    "first": "curand_init(v, SCRAMBLE 0, &s);",
    "offset": "curand_init(v, SCRAMBLE 123456789, &s);",
    "far": "curand_init(v, SCRAMBLE (WORD)98765432109ull, &s);",
    "skipahead": "curand_init(v, SCRAMBLE 17, &s); skipahead(1000003, &s);",
}


@dataclass(frozen=True)
class Generator:
    """A state with the ways to begin and the calls that it has."""

    state: str
    starts: dict[str, str]
    calls: dict[str, Any]
    word: str = ""
    bits: int = 0
    scramble: str = ""


def sobol(bits: int, scrambled: bool) -> Generator:
    """A generator of Sobol' points, with made-up direction vectors."""
    word = "unsigned" if bits == 32 else "unsigned long long"
    name = f"{'Scrambled' if scrambled else ''}Sobol{bits}"
    scramble = "(WORD)0x9e3779b97f4a7c15ull," if scrambled else ""
    return Generator(f"curandState{name}_t", QUASI, ALL, word, bits, scramble)


GENERATORS = {
    "XORWOW": Generator(
        "curandStateXORWOW_t", SEEDED | JUMPS | SEQUENCES, ALL | PAIRS
    ),
    "MRG32k3a": Generator(
        "curandStateMRG32k3a_t",
        SEEDED | JUMPS | SEQUENCES | SUBSEQUENCES,
        ALL | PAIRS,
    ),
    "Philox": Generator(
        "curandStatePhilox4_32_10_t",
        SEEDED | JUMPS | SEQUENCES,
        ALL | PAIRS | FOURS,
    ),
    "Test": Generator(
        "curandStateTest_t",
        SEEDED | JUMPS,
        {name: ALL[name] for name in ("words", "uniform", "uniform_double")},
    ),
    "Sobol32": sobol(32, False),
    "ScrambledSobol32": sobol(32, True),
    "Sobol64": sobol(64, False),
    "ScrambledSobol64": sobol(64, True),
}
DRAWS = 6
# No call stores more for a draw.
WIDTH = 4 * DRAWS


def switch(calls: dict[str, Any]) -> str:
    """A function that makes draw `i` of a call; equal code is there once."""
    cases: dict[str, list[int]] = {}
    means = []
    for number, call in enumerate(calls.values()):
        text, mean = (call, 0.0) if isinstance(call, str) else call
        cases.setdefault(text, []).append(number)
        means.append(repr(mean))
    lines = [
        "FUNCTION void draw(STATE *s, int call, int i, Tables *t, double **to",
        f"MORE) {{ const double means[] = {{ {', '.join(means)} }};",
        "double mean = means[call]; (void)mean; switch (call) {",
    ]
    for text, numbers in cases.items():
        labels = " ".join(f"case {number}:" for number in numbers)
        put = "put_four" if text.startswith("PUT4") else "put"
        text = text.removeprefix("PUT4 ").replace("&s", "s")
        lines.append(f"{labels} {put}(to, {text}); break;")
    return "\n".join([*lines, "} }", ""])


def body(name: str) -> str:
    """`draw_row(row, out, t)`: the numbers of one start and call."""
    generator = GENERATORS[name]
    word, bits = generator.word or "unsigned", generator.bits or 1
    starts = "\n".join(
        f"case {number}: {start} break;"
        for number, start in enumerate(generator.starts.values())
    )
    return f"""{PUT}{TABLES}
typedef {generator.state} STATE;
typedef {word} WORD;
#define MORE
#define SCRAMBLE {generator.scramble}
{switch(generator.calls)}
FUNCTION void draw_row(int row, double *out, Tables *t)
{{
    WORD v[{bits}], bit = (WORD)1 << ({bits} - 1);
    for (int k = 0; k < {bits}; k++)
        v[k] = (bit >> k) ^ (((bit >> k) - 1)
            & (WORD)0xbf58476d1ce4e5b9ull * (k + 1));
    (void)v;
    double *to = out + row * {WIDTH};
    STATE s;
    switch (row / {len(generator.calls)}) {{
    {starts}
    }}
    for (int i = 0; i < {DRAWS}; i++)
        draw(&s, row % {len(generator.calls)}, i, t, &to);
}}
"""


def rows(name: str) -> list[str]:
    """The keys of the rows that `body` fills, in order."""
    generator = GENERATORS[name]
    return [
        f"{name} {start} {call}"
        for start in generator.starts
        for call in generator.calls
    ]
