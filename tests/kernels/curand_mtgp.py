"""Kernels that draw numbers from a state of MTGP32, which a block shares.

The parameter tables are made up: every table obeys the same recurrence.  The
host runs the threads of a block one after the other, the first thread last,
since it moves the state's offset.

SPDX-License-Identifier: MIT
"""

from curand_calls import ALL, PUT, TABLES, switch

CALLS = {
    **ALL,
    "specific": "curand_mtgp32_specific(s, index, 8)",
    "single": "curand_mtgp32_single(s)",
    "single_specific": "curand_mtgp32_single_specific(s, index, 8)",
}
# The shapes of blocks of 8 threads, and the parameter set of each.
SHAPES = {(8, 1, 1): 0, (4, 2, 1): 199, (2, 2, 2): 73}
DRAWS = 3
THREADS = 8
# A word of 64 bits is two doubles; no call of MTGP32 gives one.
ROW = DRAWS * THREADS

FILL = """
FUNCTION unsigned mixed(unsigned x)
{
    x = (x ^ x >> 16) * 0x85ebca6bu;
    x = (x ^ x >> 13) * 0xc2b2ae35u;
    return x ^ x >> 16;
}
FUNCTION void state_fill(curandStateMtgp32_t *s, mtgp32_kernel_params_t *k,
                         int set)
{
    for (unsigned i = 0; i < 1024; i++) s->s[i] = mixed(i + 77 * set + 1);
    s->offset = 700;
    s->pIdx = set;
    s->k = k;
    k->mask[0] = 0xfff80000u;
    k->pos_tbl[set] = 84 - set % 60;
    k->sh1_tbl[set] = 3 + set % 11;
    k->sh2_tbl[set] = 5 + set % 7;
    for (unsigned i = 0; i < 16; i++) {
        k->param_tbl[set][i] = mixed(i * 3 + 5000 + set);
        k->temper_tbl[set][i] = mixed(i * 5 + 6000 + set);
        k->single_temper_tbl[set][i] =
            (mixed(i * 7 + 8000 + set) & 0x7fffff) | 0x3f800000u;
    }
}
"""

COMMON = f"""{PUT}{TABLES}{FILL}
typedef curandStateMtgp32_t STATE;
#define MORE , unsigned index
"""


def device() -> str:
    """A kernel `draw` of one call, of a block with states of its own."""
    return f"""{COMMON}{switch(CALLS).replace("void draw", "void draw_one")}
extern "C" __global__ void draw(double *out, curandStateMtgp32_t *states,
                                mtgp32_kernel_params_t *params, Tables *t,
                                int set)
{{
    unsigned index = threadIdx.x + blockDim.x
        * (threadIdx.y + blockDim.y * threadIdx.z);
    curandStateMtgp32_t *s = states + blockIdx.x;
    if (index == 0) {{
        tables_fill(t + blockIdx.x);
        state_fill(s, params + blockIdx.x, set);
    }}
    t += blockIdx.x;
    __syncthreads();
    double *to = out + blockIdx.x * {ROW} + index * {DRAWS};
    for (int i = 0; i < {DRAWS}; i++)
        draw_one(s, blockIdx.x, i, t, &to, index);
}}
"""


def host(head: str) -> str:
    """A program that prints what `draw` stores, for each of SHAPES."""
    shapes = ", ".join(
        f"{{{x}, {y}, {z}, {set_}}}" for (x, y, z), set_ in SHAPES.items()
    )
    return f"""
{head}{COMMON}{switch(CALLS).replace("void draw", "void draw_one")}
/* The header declares them as constants of another file. */
asm(".comm blockDim,12\\n"
    ".comm threadIdx,12");
static double out[{len(CALLS) * ROW}];
int main()
{{
    static Tables tables, *t = &tables;
    static curandStateMtgp32_t state, *s = &state;
    static mtgp32_kernel_params_t params;
    const unsigned shapes[][4] = {{{shapes}}};
    tables_fill(t);
    for (auto &shape : shapes) {{
        unsigned *size = (unsigned *)&blockDim;
        unsigned *at = (unsigned *)&threadIdx;
        for (int k = 0; k < 3; k++) size[k] = shape[k];
        for (int c = 0; c < {len(CALLS)}; c++) {{
            state_fill(s, &params, shape[3]);
            for (int i = 0; i < {DRAWS}; i++) {{
                for (int index = {THREADS} - 1; index >= 0; index--) {{
                    at[0] = index % size[0];
                    at[1] = index / size[0] % size[1];
                    at[2] = index / size[0] / size[1];
                    double *to = out + c * {ROW} + index * {DRAWS} + i;
                    draw_one(s, c, i, t, &to, index);
                }}
            }}
        }}
        fwrite(out, sizeof out, 1, stdout);
    }}
}}
"""
