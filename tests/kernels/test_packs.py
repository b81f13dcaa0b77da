"""Kernels with loops, which run for several neighbouring threads at a time.

Every kernel also runs thread by thread, and must write the same.
Blocks and sizes leave packs of all kinds: wide, single, partial.
"""

# SPDX-License-Identifier: MIT

import re

import numpy as np
import pytest
from compiled_schemes import compile_schemes

import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.compiler import SourceModule
from pycuda.cpu._explain import code, explain

pytestmark = pytest.mark.cpu

SOURCE = """
#define X (blockIdx.x * blockDim.x + threadIdx.x)
#define Y (blockIdx.y * blockDim.y + threadIdx.y)
#define KERNEL(NAME) __global__ void NAME(const int *a, int *out, int n, int m)

KERNEL(product)
{
    int x = X, y = Y;
    if (x < n && y < m) {
        int sum = out[y * n + x];
        for (int k = 0; k < n; k++)
            sum += a[y * n + k] * a[k * n + x];
        out[y * n + x] = sum;
    }
}
/* lanes leave in different iterations, with values from inside the loop */
KERNEL(leave)
{
    int x = X, y = Y;
    if (x >= n || y >= m) return;
    int i, last = -1, sum = 0;
    for (i = x; i < n * m; i += n) {
        int v = a[i];
        if (v % 7 == 3) break;
        last = v;
        if (v & 1) continue;
        sum += v * i;
    }
    out[y * n + x] = sum + 31 * last + 1009 * i + y;
}
/* a break out of two loops, and a return inside of a loop */
KERNEL(far)
{
    int x = X, y = Y, sum = 0, i = 0, k = 0;
    if (x >= n || y >= m) return;
    for (i = 0; i < m; i++) {
        for (k = 0; k < 5; k++) {
            int v = a[(i * n + x + k) % (n * m)];
            if (v % 29 == y % 29) goto done;
            if (v == 77 && k == 3) return;
            sum += v ^ k;
        }
        sum *= 3;
    }
done:
    out[y * n + x] = sum + i * 100 + k;
}
/* indices that are clamped, and rows in descending order */
KERNEL(clamped)
{
    int x = X, y = Y, sum = 0;
    if (x < n && y < m) {
        for (int j = -3; j <= min(m, 3); j++) {
            int c = min(max(x + j, 0), n - 1);
            sum += a[y * n + c] * (j + 5) + a[y * n + n - 1 - x];
            sum += a[y * n + (x + j < 0 ? 0 : x + j >= n ? n - 1 : x + j)];
        }
        out[y * n + n - 1 - x] = sum;
    }
}
/* unsigned indices, of which some lanes' wrap */
KERNEL(wraps)
{
    unsigned x = X, y = Y, w = n, h = m, at = y * w + x;
    if (x < w && y < h) {
        int sum = 0;
        for (unsigned k = 0; k < min(h, 9u); k++) {
            unsigned i = at + k - 5;
            if (i < w * h) sum += a[i] * (k + 1);
        }
        out[at] = sum;
    }
}
/* no guard, pointers that grow, a condition of each lane in the loop */
KERNEL(pointers)
{
    int x = X, y = Y;
    const int *p = a + x % n;
    int *q = out + (y % m) * n + x % n, sum = 0;
    if (x >= n || y >= m) return;
    for (int k = 0; k < m; k++, p += n) {
        if (*p > 40) sum += *p;
        else if (*p > 20) sum -= x;
        else sum ^= k;
    }
    *q = sum;
}
/* effects under conditions; atomics; a store of one lane */
KERNEL(effects)
{
    int x = X, y = Y;
    if (x < n && y < m) {
        for (int k = 0; k < min(m, 4); k++) {
            if ((a[y * n + x] >> k) & 1) {
                atomicAdd(&out[(x * 7 + k) % n], 1);
            }
            if (a[y * n + x] % 5 == k) out[(m + y) * n + x] = k + x;
        }
        if (x == 5 % n) out[2 * m * n + y] = y * 3 + a[y * n];
    }
}
/* switch, other types, a division by zero of lanes that do not execute it */
KERNEL(types)
{
    int x = X, y = Y;
    if (x < n && y < m) {
        const unsigned char *bytes = (const unsigned char *)a;
        double sum = 0;
        long long far = 0;
        for (int k = 0; k < m; k++) {
            int v = a[k * n + x];
            switch (v % 4) {
            case 0: sum += bytes[k * n + x]; break;
            case 1: far += 0x100000001ll * v; break;
            case 3: sum -= v * 0.5; /* falls through */
            default: far ^= k;
            }
            if (v % 6) far += 1000 / (v % 6) + far / (v % 6);
        }
        out[y * n + x] = (int)sum + (int)(far >> 32) * 3 + (int)far;
    }
}
/* loops whose count depends on the lane, nested, with short loops inside */
KERNEL(triangle)
{
    int x = X, y = Y;
    if (x < n && y < m) {
        int sum = 0;
        for (int i = 0; i <= x; i++) {
            int part = 1;
            for (int k = i; k < x && k < i + 3; k++)
                part += a[k] * a[y * n + i];
            while (part > 1000) part /= 3;
            sum += part;
        }
        out[y * n + x] = sum;
    }
}
/* a switch of which many cases share their code, and leave the loop */
KERNEL(cases)
{
    int x = X, y = Y, sum = 0;
    if (x < n && y < m) {
        for (int k = 0; k < min(m, 9); k++) {
            int v = a[(y * n + x * 3 + k) % (n * m)];
            switch (v % 23) {
            case 0: case 4: case 8: case 13: case 17: sum += v; break;
            case 1: case 5: case 9: case 14: case 18: continue;
            case 2: case 6: case 10: case 15: case 19: if (k > 5) goto end;
            case 3: case 7: case 11: case 16: case 20: sum ^= k; break;
            case 12: if (v > 90) return;
            default: sum = 3 * sum + x;
            }
            out[y * n + x] = sum;
        }
    end:
        out[y * n + x] += sum;
    }
}
/* an address that is computed in one block and accessed in three */
KERNEL(shared_address)
{
    int x = X, y = Y, b = 1;
    if (x < n && y < m) {
        for (int k = 0; k < 1 + (x & 3); k++) {
            for (int j = 0; j < 3; j++) {
                if ((x * 7 + b) % 11 < 4)
                    b ^= a[(k + j) % n] + y;
                out[y * n + x] += a[min(max(x - 1 + k, 0), n - 1)] + b;
            }
        }
    }
}
KERNEL(dead_switch)
{
    int x = X, y = Y, b = 1;
    if (x < n && y < m) {
        for (unsigned k = 0, e = (x ^ 21) % 4 + 1; k < e; k++) {
            for (unsigned j = 0; j < 3; j++) {
                switch ((x * 7 + 32u) % 11) {
                case 1: case 6: case 7: b ^= x + 65537; break;
                }
                out[y * n + x] += a[min(max(x - 1 + (int)k, 0), n - 1)];
            }
        }
        if (b == 77777) out[y * n + x] = b;
    }
}
/* lane 0 does not execute what would be negative for it */
KERNEL(negative)
{
    int x = X, y = Y;
    if (x < n && y < m) {
        long long sum = 0;
        for (int k = 0; k < min(m, 3); k++) {
            if (a[y * n + x] % 3 == k && x >= 3) {
                int i = x - 3;
                if (i >= 0) {
                    unsigned long long far = i;
                    sum += far * a[far] + (far >> 3) + a[i];
                }
                unsigned j = (unsigned)x - 2;
                sum += (unsigned long long)j * k + a[j];
            }
        }
        unsigned large = threadIdx.x * 1000003u + 2000000000u;
        for (int k = 0; k < min(m, 3); k++)
            sum = 3 * sum + (long long)(int)large * a[k * n % (n * m) + x];
        out[y * n + x] = (int)sum ^ (int)(sum >> 32);
    }
}
/* sums that would wrap in lane 0, which does not execute them */
KERNEL(extended)
{
    int x = X, y = Y;
    if (x < n && y < m) {
        long long sum = 0;
        int large = 2147483646 + (m > 0), small = -2147483647 - (m > 0);
        for (int k = 0; k < m; k++) {
            sum += a[k * n + x];
            if (x >= 3) {
                int down = large - (x - 3), up = (x - 3) + small;
                sum = 3 * sum + (down - 2147483000LL) * k;
                sum ^= up + 2147483600LL;
                sum += (long long)(down - (large - 1 - (x - 3)));
            }
        }
        out[y * n + x] = (int)sum ^ (int)(sum >> 32);
    }
}
/* exits only at a place that all lanes skip in some iterations */
KERNEL(skipped_exit)
{
    int x = X, y = Y;
    if (x < n && y < m) {
        int sum = 0, last = 0;
        for (int k = 0;; k++) {
            if ((n + k) % 3 == 1) {
                sum += a[y * n + x] * k;
                last = 5;
                if (k > 7) break;
            } else last = a[x];
            sum = 3 * sum + last;
        }
        out[y * n + x] = sum;
    }
}
/* each lane reads the elements of its own row, one after the other */
KERNEL(rows)
{
    int x = X, y = Y;
    if (x < m && y < 2) {
        int sum = 0;
        out[y * m + x] = 0;
        for (int k = y; k < n; k++) {
            out[y * m + x] += a[x * n + k] * k;
            sum = 3 * sum + a[(m - 1 - x) * n + k];
        }
        out[(y + 2) * m + x] = sum;
    }
}
/* rows by unsigned indices, by a pointer that grows, and of 64-bit numbers */
KERNEL(more_rows)
{
    unsigned x = X, w = n, h = m;
    if (x < h && Y == 0) {
        const int *p = a + x * n;
        const long long *q = (const long long *)a + x * (n / 2);
        int sum = 0;
        for (unsigned k = 0; k < w; k++) sum = 3 * sum + a[x * w + k];
        for (int k = 0; k < n; k += 2, p += 2) sum = 5 * sum + p[0];
        for (int k = 0; k < n; k++) sum = 7 * sum + *(a + x * n + k);
        for (unsigned k = 0; k < w / 2; k++)
            sum ^= (int)(q[k] >> 7) * k;
        out[x] = sum;
    }
}
/* a store of the loop changes an element that the lane reads later */
KERNEL(own_rows)
{
    int x = X, count = min(m, 4);
    if (x < max(n * m / 4, 1) && Y == 0) {
        int *p = out + x * 4;
        p[2] = a[x];
        for (int k = 0; k < count; k++) p[2] = 3 * p[2] + p[k];
    }
}
/* slow paths of functions for some lanes */
KERNEL(functions)
{
    int x = X, y = Y;
    if (x < n && y < m) {
        float sum = 0;
        for (int k = 0; k < min(m, 3); k++) {
            float v = a[y * n + x] * (x % 13 == 0 ? 1e30f : 1.0f);
            sum += truncf(1000.0f * sinf(v + k)) + (v > 50 ? expf(k) : 0.5f);
        }
        out[y * n + x] = (int)sum;
    }
}
"""
# Loops that lanes leave only in iterations in which other lanes skip the exit.
SKIPPED = """
KERNEL(skip)
{
    int x = X, y = Y;
    if (x < n && y < m) {
        int sum = 0, last = 0;
        for (int k = 0;; k++) {
            if ((x + k) % 3 == 1) {
                sum += a[y * n + x] * k;
                out[n * m + y * n + x] += k;
                last = 5;
                if (k > 7 + x % 5) break;
            } else last = a[x];
            sum = 3 * sum + last;
        }
        out[y * n + x] = sum;
    }
}
KERNEL(skip_twice)
{
    int x = X, y = Y;
    if (x < n && y < m) {
        int sum = 0;
        for (int j = 0; j < 3; j++)
            for (int k = 0;; k++) {
                if ((x + k) % 3 == 1) {
                    sum += a[y * n + x] * j;
                    if (k < 6 && (sum & 1)) { sum ^= 5; continue; }
                    if (k > 7) break;
                } else if (k % 8 == j) sum += 7 * a[x];
                sum = 3 * sum + k;
            }
        out[y * n + x] = sum;
    }
}
"""
NAMES = [line[7:-1] for line in SOURCE.splitlines() if line[:7] == "KERNEL("]
SHAPES = [
    # block, grid, n, m
    ((256, 1, 1), (1, 9), 200, 9),
    ((32, 4, 1), (5, 3), 150, 11),
    ((16, 16, 1), (3, 1), 48, 16),
    ((64, 1, 2), (2, 5), 65, 5),
    ((5, 3, 1), (9, 4), 43, 10),
    ((100, 2, 1), (1, 4), 1, 7),
]


@pytest.fixture(scope="module")
def modules():
    """Return the kernels as packs, and as loops over single threads."""
    return compile_schemes(SOURCE + SKIPPED)


def test_all_kernels_run_in_packs(tmp_path):
    path = tmp_path / "kernels.cu"
    path.write_text(f'extern "C" {{\n{SOURCE}}}\n')
    levels = {k["name"]: k["level"] for k in explain(path)["kernels"]}
    assert levels == dict.fromkeys(NAMES, "packs")


ROW_SUMS = """
extern "C" __global__ void sums(const float *a, const float *x, float *out,
                                int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    if (i < n) {
        for (int j = 0; j < n; j++) sum += a[i * n + j] * x[j];
        out[i] = sum;
    }
}
"""


def test_sums_of_rows_run_in_packs_of_two_vectors(tmp_path):
    # With one vector, each addition would wait for the one before.
    path = tmp_path / "kernels.cu"
    path.write_text(ROW_SUMS)
    text = code(path, "ir")
    wide = max(map(int, re.findall(r"<(\d+) x float>", text)))
    half = wide // 2
    assert re.search(rf"load <{half} x float>", text)
    assert re.search(rf"llvm.fma[.\w]*{wide}f32", text)


def test_loops_that_carry_many_values():
    count, n, m = 300, 40, 5
    numbers = range(count)
    source = f"""
    __global__ void many(float *out, const float *a, int n, int m)
    {{
        int i = threadIdx.x;
        {"".join(f"float s{j} = {j};" for j in numbers)}
        for (int k = 0; k < m; k++) {{
            float v = a[k * n + i];
            {"".join(f"s{j} = s{j} * 0.5f + v;" for j in numbers)}
        }}
        {"".join(f"out[{j} * n + i] = s{j};" for j in numbers)}
    }}"""
    a = np.arange(n * m, dtype=np.float32).reshape(m, n)
    out = np.empty((count, n), np.float32)
    SourceModule(source).get_function("many")(
        cuda.Out(out), cuda.In(a), np.int32(n), np.int32(m), block=(n, 1, 1)
    )
    wanted = np.repeat(np.arange(count, dtype=np.float32)[:, None], n, 1)
    for row in a:
        wanted = wanted * np.float32(0.5) + row
    assert np.array_equal(out, wanted)


@pytest.mark.parametrize("name", [*NAMES, "skip", "skip_twice"])
def test_packs_and_single_threads_agree(modules, name):
    random = np.random.default_rng(5)
    for block, grid, n, m in SHAPES:
        if name == "product" and n * n > 2000 * m:
            m = n  # the array is read as n rows
        a = random.integers(0, 100, max(n * m, n * n)).astype(np.int32)
        outs = [np.full(3 * a.size + 64, 9, np.int32) for _ in modules]
        for module, out in zip(modules, outs, strict=True):
            module.get_function(name)(
                cuda.In(a),
                cuda.InOut(out),
                np.int32(n),
                np.int32(m),
                block=block,
                grid=grid,
            )
        wrong = np.flatnonzero(outs[0] != outs[1])
        assert not wrong.size, (block, grid, n, m, wrong[:9])
        assert (outs[0] != 9).any()


def test_product_is_right(modules):
    random = np.random.default_rng(6)
    n = 67
    a = random.integers(0, 100, (n, n)).astype(np.int32)
    out = np.zeros((n, n), np.int32)
    modules[0].get_function("product")(
        cuda.In(a),
        cuda.InOut(out),
        np.int32(n),
        np.int32(n),
        block=(16, 16, 1),
        grid=(5, 5),
    )
    assert np.array_equal(out, a @ a)
