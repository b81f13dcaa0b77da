"""Kernels whose memory transactions are counted by hand.

A case runs one kernel with arrays of float32 (shapes in ``arrays``), or of the
given dtypes.  ``expected`` has, for each mark in a comment of the source, the
rows of that line: space, access, requests, transactions, ideal, worst.
``uncounted`` is the number of accesses that are not counted.
"""

# SPDX-License-Identifier: MIT

import numpy as np

# 8 warps, 4 turns each: 32 requests per access.  A row of 32 floats is 4
# sectors.  Down a column, all 32 words are in one bank; with one word more per
# row, they are in 32 banks.
_TRANSPOSE = """
__global__ void k(const float *in, float *out) {
    __shared__ float tile[32][%d];
    int x = threadIdx.x;
    for (int y = threadIdx.y; y < 32; y += 8)
        tile[y][x] = in[y * 32 + x];  // load
    __syncthreads();
    for (int y = threadIdx.y; y < 32; y += 8)
        out[y * 32 + x] = tile[x][y];  // store
}
"""


def _transpose(columns, transactions, worst):
    return {
        "source": _TRANSPOSE % columns,
        "arrays": [1024, 1024],
        "block": (32, 8, 1),
        "expected": {
            "load": [
                ("global", "read", 32, 128, 128, 1),
                ("shared", "write", 32, 32, 32, 1),
            ],
            "store": [
                ("global", "write", 32, 128, 128, 1),
                ("shared", "read", 32, transactions, 32, worst),
            ],
        },
    }


CASES = {
    "transpose": _transpose(32, 1024, 32),
    "transpose_padded": _transpose(33, 32, 1),
    # Two warps; every second float of 256 bytes: 8 sectors instead of 4.
    "strided_copy": {
        "source": """
__global__ void k(const float *a, float *b) {
    int i = threadIdx.x;
    b[i] = a[2 * i];  // copy
}
""",
        "arrays": [128, 64],
        "block": (64, 1, 1),
        "expected": {
            "copy": [
                ("global", "read", 2, 16, 8, 2),
                ("global", "write", 2, 8, 8, 1),
            ]
        },
    },
    # Lanes are 12 bytes apart: 31 * 12 + 4 = 376 bytes, in 12 sectors.
    "array_of_structs": {
        "source": """
struct point { float x, y, z; };
__global__ void k(const point *p, float *out) {
    out[threadIdx.x] = p[threadIdx.x].x;  // read
}
""",
        "arrays": [96, 32],
        "block": (32, 1, 1),
        "expected": {
            "read": [
                ("global", "read", 1, 12, 4, 3),
                ("global", "write", 1, 4, 4, 1),
            ]
        },
    },
    "struct_of_arrays": {
        "source": """
__global__ void k(const float *x, float *out) {
    out[threadIdx.x] = x[threadIdx.x];  // read
}
""",
        "arrays": [32, 32],
        "block": (32, 1, 1),
        "expected": {
            "read": [
                ("global", "read", 1, 4, 4, 1),
                ("global", "write", 1, 4, 4, 1),
            ]
        },
    },
    # Step s has 32 / s active lanes whose words are 2 * s apart: two words in
    # each used bank for s = 1, 2, 4, 8, 16, and one lane for s = 32.  That is
    # 5 * 2 + 1 = 11 transactions for each of the three accesses in 6 requests.
    "interleaved_reduction": {
        "source": """
__global__ void k(const float *a, float *out) {
    __shared__ float sum[64];
    int t = threadIdx.x;
    sum[t] = a[t];
    __syncthreads();
    for (int s = 1; s < 64; s *= 2) {
        int i = 2 * s * t;
        if (i + s < 64)
            sum[i] += sum[i + s];  // add
        __syncthreads();
    }
    if (t == 0)
        *out = sum[0];  // result
}
""",
        "arrays": [64, 1],
        "block": (64, 1, 1),
        "expected": {
            "add": [
                ("shared", "read", 12, 22, 12, 2),
                ("shared", "write", 6, 11, 6, 2),
            ],
            "result": [
                ("global", "write", 1, 1, 1, 1),
                ("shared", "read", 1, 1, 1, 1),
            ],
        },
    },
    # The first half of the threads adds the second half: no conflicts.  64
    # threads: 32, 16, 8, 4, 2 and 1 active lanes of warp 0.
    "sequential_reduction": {
        "source": """
__global__ void k(const float *a, float *out) {
    __shared__ float sum[64];
    int t = threadIdx.x;
    sum[t] = a[t];
    __syncthreads();
    for (int s = 32; s > 0; s /= 2) {
        if (t < s)
            sum[t] += sum[t + s];  // add
        __syncthreads();
    }
    if (t == 0)
        *out = sum[0];
}
""",
        "arrays": [64, 1],
        "block": (64, 1, 1),
        "expected": {
            "add": [
                ("shared", "read", 12, 12, 12, 1),
                ("shared", "write", 6, 6, 6, 1),
            ],
        },
    },
    # 32 * 16 bytes are 16 sectors; shared memory serves 8 lanes at a time.
    "float4": {
        "source": """
__global__ void k(const float4 *a, float4 *b) {
    __shared__ float4 s[32];
    float4 v = a[threadIdx.x];  // load
    v.x += 1;
    s[threadIdx.x] = v;  // shared
    __syncthreads();
    b[threadIdx.x] = s[31 - threadIdx.x];  // store
}
""",
        "arrays": [128, 128],
        "block": (32, 1, 1),
        "expected": {
            "load": [("global", "read", 1, 16, 16, 1)],
            "shared": [("shared", "write", 1, 4, 4, 1)],
            "store": [
                ("global", "write", 1, 16, 16, 1),
                ("shared", "read", 1, 4, 4, 1),
            ],
        },
    },
    # Half a warp at a time: lane t uses words 4 * t and 4 * t + 1, so lanes t
    # and t + 8 use the same banks.
    "float2_stride": {
        "source": """
__global__ void k(const float2 *a, float2 *b) {
    __shared__ float2 s[64];
    int t = threadIdx.x;
    s[2 * t] = a[t];  // strided
    __syncthreads();
    float2 v = s[t & ~1];  // pairs
    b[t] = make_float2(v.y, v.x);  // store
}
""",
        "arrays": [64, 64],
        "block": (32, 1, 1),
        "expected": {
            "strided": [
                ("global", "read", 1, 8, 8, 1),
                ("shared", "write", 1, 4, 2, 2),
            ],
            "pairs": [("shared", "read", 1, 2, 2, 1)],
            "store": [("global", "write", 1, 8, 8, 1)],
        },
    },
    "broadcast": {
        "source": """
__global__ void k(const float *a, float *b) {
    __shared__ float s[4];
    if (threadIdx.x == 0)
        s[2] = a[0];  // one
    __syncthreads();
    b[threadIdx.x] = s[2] + a[1];  // all
}
""",
        "arrays": [32, 64],
        "block": (64, 1, 1),
        "expected": {
            "one": [
                ("global", "read", 1, 1, 1, 1),
                ("shared", "write", 1, 1, 1, 1),
            ],
            "all": [
                ("global", "read", 2, 2, 2, 1),
                ("global", "write", 2, 8, 8, 1),
                ("shared", "read", 2, 2, 2, 1),
            ],
        },
    },
    # 8 lanes update each of 4 words, one after the other; the words are in
    # different banks.
    "histogram": {
        "source": """
__global__ void k(const int *a, int *out) {
    __shared__ int bins[4];
    if (threadIdx.x < 4)
        bins[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&bins[a[threadIdx.x] % 4], 1);  // count
    __syncthreads();
    if (threadIdx.x < 4)
        atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);  // total
}
""",
        "arrays": [np.arange(64, dtype=np.int32), np.zeros(4, np.int32)],
        "block": (64, 1, 1),
        "expected": {
            "count": [
                ("global", "read", 2, 8, 8, 1),
                ("shared", "atomic operation", 2, 16, 2, 8),
            ],
            "total": [
                ("global", "atomic operation", 1, 1, 1, 1),
                ("shared", "read", 1, 1, 1, 1),
            ],
        },
    },
    # Elements 0-31 are 4 sectors; elements 1-32 and 2-33 are in 5.
    "stencil": {
        "source": """
__global__ void k(const float *a, float *b) {
    int i = threadIdx.x + 1;
    b[i] = a[i - 1] + a[i] + a[i + 1];  // sum
}
""",
        "arrays": [34, 34],
        "block": (32, 1, 1),
        "expected": {
            "sum": [
                ("global", "read", 3, 14, 12, 1),
                ("global", "write", 1, 5, 4, 1),
            ]
        },
    },
    # Each lane reads another sector; 128 bytes need 4.  The write of bytes is
    # one sector.
    "column": {
        "source": """
__global__ void k(const float *a, unsigned char *b) {
    b[threadIdx.x] = a[threadIdx.x * 32];  // column
}
""",
        "arrays": [1024, np.zeros(32, np.uint8)],
        "block": (32, 1, 1),
        "expected": {
            "column": [
                ("global", "read", 1, 32, 4, 8),
                ("global", "write", 1, 1, 1, 1),
            ]
        },
    },
    # 16 lanes of every second float; warp 1 of a block of 40 threads has 8
    # lanes, of which 4 are active.
    "divergence": {
        "source": """
__global__ void k(const float *a, float *b) {
    int i = threadIdx.x;
    if (i % 2)
        b[i] = a[i];  // odd
}
""",
        "arrays": [64, 64],
        "block": (40, 1, 1),
        "expected": {
            "odd": [
                ("global", "read", 2, 5, 3, 2),
                ("global", "write", 2, 5, 3, 2),
            ]
        },
    },
    # Lane t runs t + 1 turns: turn n has lanes n to 31 and reads one word.
    # The warp's words of a turn are contiguous, but begin at word n.
    "loop_of_lanes": {
        "source": """
__global__ void k(const float *a, float *b) {
    float sum = 0;
    for (int n = 0; n <= (int)threadIdx.x; n++)
        sum += a[n];  // turn
    b[threadIdx.x] = sum;
}
""",
        "arrays": [32, 32],
        "block": (32, 1, 1),
        "expected": {"turn": [("global", "read", 32, 32, 32, 1)]},
    },
    # Warps that exchange values run on fibers; several blocks add up.
    "shuffle_blocks": {
        "source": """
__global__ void k(const float *a, float *b) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = a[i];  // load
    v += __shfl_xor_sync(0xffffffff, v, 1);
    b[i] = v;  // store
}
""",
        "arrays": [256, 256],
        "block": (64, 1, 1),
        "grid": (4, 1),
        "expected": {
            "load": [("global", "read", 8, 32, 32, 1)],
            "store": [("global", "write", 8, 32, 32, 1)],
        },
    },
    # Arrays of a thread and constant memory are not counted.
    "not_counted": {
        "source": """
__constant__ float c[32];
__global__ void k(float *out) {
    float own[32];
    for (int i = 0; i < 32; i++)
        own[i] = c[i] + threadIdx.x;  // own
    out[threadIdx.x] = own[threadIdx.x];  // out
}
""",
        "arrays": [32],
        "block": (32, 1, 1),
        "expected": {
            "own": [],
            "out": [("global", "write", 1, 4, 4, 1)],
        },
    },
    # Only the first 4096 of 5000 turns are counted, for 32 lanes each.
    "long_loop": {
        "source": """
__global__ void k(const float *a, float *b) {
    float sum = 0;
    for (int n = 0; n < 5000; n++)
        sum += a[threadIdx.x];  // turn
    b[threadIdx.x] = sum;
}
""",
        "arrays": [32, 32],
        "block": (32, 1, 1),
        "uncounted": 32 * (5000 - 4096),
        "expected": {
            "turn": [("global", "read", 4096, 4 * 4096, 4 * 4096, 1)]
        },
    },
    # A double is 8 bytes: two transactions for a warp, also without conflicts.
    "double": {
        "source": """
__global__ void k(const double *a, double *b) {
    __shared__ double s[32];
    s[threadIdx.x] = a[threadIdx.x];  // copy
    __syncthreads();
    b[threadIdx.x] = s[threadIdx.x ^ 1];
}
""",
        "arrays": [np.zeros(32), np.zeros(32)],
        "block": (32, 1, 1),
        "expected": {
            "copy": [
                ("global", "read", 1, 8, 8, 1),
                ("shared", "write", 1, 2, 2, 1),
            ]
        },
    },
}
