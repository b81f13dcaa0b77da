// A block computes a tile of the product of 16 DOWN by 16 ACROSS elements, and
// each of its 256 threads DOWN by ACROSS of them, from strips of both matrices
// in shared memory; the next strips are loaded while the current ones are
// used.
enum { DOWN = $down, ACROSS = $across, DEEP = $deep };
enum { HIGH = 16 * DOWN, WIDE = 16 * ACROSS };
enum { GROUP_A = DOWN < 4 ? DOWN : 4, GROUP_B = ACROSS < 4 ? ACROSS : 4 };
enum { LOADS_A = HIGH * DEEP / 256, LOADS_B = WIDE * DEEP / 256 };
enum { PAD = 16 / sizeof(Value) > 1 ? 16 / sizeof(Value) : 1 };

struct Shape {
    long long rows, columns, inner, batches;
    long long a_row, a_column, b_row, b_column, c_row, c_column; // elements
    long long shape[$ndim], a[$ndim], b[$ndim], c[$ndim]; // of the batch
};

#include "numbers/words.cuh"
template <int N>
struct alignas(N * sizeof(Value) < 16 ? N * sizeof(Value) : 16) Group {
    Value at[N];
};

__device__ inline Value zero_value()
{
    return Value(0);
}

extern "C" __global__ void __launch_bounds__(256)
matmul(Out *c, const StoredA *a, const StoredB *b, const Shape s)
{
    __shared__ __align__(16) unsigned char
        memory[2 * DEEP * (HIGH + WIDE + 2 * PAD) * sizeof(Value)];
    Value(*strip_a)[DEEP][HIGH + PAD] =
        reinterpret_cast<Value(*)[DEEP][HIGH + PAD]>(memory);
    Value(*strip_b)[DEEP][WIDE + PAD] =
        reinterpret_cast<Value(*)[DEEP][WIDE + PAD]>(
            memory + 2 * DEEP * (HIGH + PAD) * sizeof(Value));

    const long long across = (s.columns + WIDE - 1) / WIDE;
    const long long down = (s.rows + HIGH - 1) / HIGH;
    const long long batch = blockIdx.x / (across * down);
    const long long tile = blockIdx.x % (across * down);
    // Tiles are processed in groups of eight rows of tiles, for cache
    // locality.
    const long long band = tile / (8 * across), within = tile % (8 * across);
    const long long band_rows = down - 8 * band < 8 ? down - 8 * band : 8;
    const long long row0 = (8 * band + within % band_rows) * HIGH;
    const long long column0 = within / band_rows * WIDE;
    const long long deep = s.inner;
    a = (const StoredA *)((const char *)a +
                          offset_of<$ndim>(batch, s.shape, s.a));
    b = (const StoredB *)((const char *)b +
                          offset_of<$ndim>(batch, s.shape, s.b));
    c = (Out *)((char *)c + offset_of<$ndim>(batch, s.shape, s.c));

    const int x = threadIdx.x % 16, y = threadIdx.x / 16;
    Value sums[DOWN][ACROSS], next_a[LOADS_A], next_b[LOADS_B];
#pragma unroll
    for (int i = 0; i < DOWN; i++) {
#pragma unroll
        for (int j = 0; j < ACROSS; j++) {
            sums[i][j] = zero_value();
        }
    }

    // Position of load `n` of this thread in a strip: adjacent threads load
    // adjacent elements.
#define PLACE_A(n, i, k)                                                     \
    const int at_a = threadIdx.x + 256 * (n);                                \
    const int i = $a_deep ? at_a / DEEP : at_a % HIGH;                       \
    const int k = $a_deep ? at_a % DEEP : at_a / HIGH
#define PLACE_B(n, j, k)                                                     \
    const int at_b = threadIdx.x + 256 * (n);                                \
    const int j = $b_deep ? at_b / DEEP : at_b % WIDE;                       \
    const int k = $b_deep ? at_b % DEEP : at_b / WIDE

    for (long long k0 = -DEEP, turn = 1; k0 < deep; k0 += DEEP, turn ^= 1) {
        // The first iteration has no loaded strip to use.
        const long long next_k0 = k0 + DEEP;
        if (next_k0 < deep) {
#pragma unroll
            for (int n = 0; n < LOADS_A; n++) {
                PLACE_A(n, i, k);
                const long long row = row0 + i, at = next_k0 + k;
                next_a[n] = zero_value();
                if (row < s.rows && at < deep) {
                    const StoredA v = a[row * s.a_row + at * s.a_column];
                    next_a[n] = $cast_a;
                }
            }
#pragma unroll
            for (int n = 0; n < LOADS_B; n++) {
                PLACE_B(n, j, k);
                const long long column = column0 + j, at = next_k0 + k;
                next_b[n] = zero_value();
                if (column < s.columns && at < deep) {
                    const StoredB v = b[at * s.b_row + column * s.b_column];
                    next_b[n] = $cast_b;
                }
            }
        }
        if (k0 >= 0) {
#pragma unroll
            for (int k = 0; k < DEEP; k++) {
                Value left[DOWN], right[ACROSS];
#pragma unroll
                for (int g = 0; g < DOWN / GROUP_A; g++) {
                    const Group<GROUP_A> four =
                        load_word<Group<GROUP_A>>(
                            &strip_a[turn][k][16 * GROUP_A * g +
                                              GROUP_A * y]);
#pragma unroll
                    for (int i = 0; i < GROUP_A; i++) {
                        left[GROUP_A * g + i] = four.at[i];
                    }
                }
#pragma unroll
                for (int g = 0; g < ACROSS / GROUP_B; g++) {
                    const Group<GROUP_B> four =
                        load_word<Group<GROUP_B>>(
                            &strip_b[turn][k][16 * GROUP_B * g +
                                              GROUP_B * x]);
#pragma unroll
                    for (int j = 0; j < GROUP_B; j++) {
                        right[GROUP_B * g + j] = four.at[j];
                    }
                }
#pragma unroll
                for (int i = 0; i < DOWN; i++) {
#pragma unroll
                    for (int j = 0; j < ACROSS; j++) {
                        multiply_add(sums[i][j], left[i], right[j]);
                    }
                }
            }
        }
        if (next_k0 < deep) {
#pragma unroll
            for (int n = 0; n < LOADS_A; n++) {
                PLACE_A(n, i, k);
                strip_a[turn ^ 1][k][i] = next_a[n];
            }
#pragma unroll
            for (int n = 0; n < LOADS_B; n++) {
                PLACE_B(n, j, k);
                strip_b[turn ^ 1][k][j] = next_b[n];
            }
            __syncthreads();
        }
    }
#pragma unroll
    for (int i = 0; i < DOWN; i++) {
        const long long row = row0 + i / GROUP_A * 16 * GROUP_A +
                              GROUP_A * y + i % GROUP_A;
#pragma unroll
        for (int j = 0; j < ACROSS; j++) {
            const long long column = column0 + j / GROUP_B * 16 * GROUP_B +
                                     GROUP_B * x + j % GROUP_B;
            if (row < s.rows && column < s.columns) {
                const Value v = sums[i][j];
                c[row * s.c_row + column * s.c_column] = $cast_out;
            }
        }
    }
}
