// Matrix-vector products for threads that run sequentially, one per block of
// `each` elements of the result, over the whole batch. `a` is a matrix, `b` a
// column.
#if !defined(__PYCUDA_CPU__)
#error "made of vectors that only the CPU device has"
#endif
enum { LANES = 64 };

struct Shape {
    long long rows, columns, inner, batches;
    long long a_row, a_column, b_row, b_column, c_row, c_column; // elements
    long long shape[$ndim], a[$ndim], b[$ndim], c[$ndim]; // of the batch
};

__device__ inline Value left_at(const StoredA *a, long long at)
{
    const StoredA v = a[at];
    return $cast_a;
}

__device__ inline Value right_at(const StoredB *b, long long at)
{
    const StoredB v = b[at];
    return $cast_b;
}

__device__ inline Value product_of(const StoredA *a, const StoredB *b,
                                   long long a_step, long long b_step,
                                   long long inner)
{
    Value sums[LANES], sum = Value(0);
    long long k = 0;
    if (inner >= LANES) {
        for (int lane = 0; lane < LANES; lane++) {
            sums[lane] = Value(0);
        }
        for (; k + LANES <= inner; k += LANES) {
            for (int lane = 0; lane < LANES; lane++) {
                multiply_add(sums[lane], left_at(a, (k + lane) * a_step),
                             right_at(b, (k + lane) * b_step));
            }
        }
        for (int width = LANES / 2; width > 0; width /= 2) {
            for (int lane = 0; lane < width; lane++) {
                $add_lanes
            }
        }
        sum = sums[0];
    }
    for (; k < inner; k++) {
        multiply_add(sum, left_at(a, k * a_step), right_at(b, k * b_step));
    }
    return sum;
}

#if $is_plain
enum { WIDTH = 64 / sizeof(Value), ROWS = 4 };
typedef Value Vector __attribute__((ext_vector_type(WIDTH)));
typedef Vector Loose __attribute__((aligned(sizeof(Value))));

// Adds the two halves of a vector repeatedly, until two elements are left:
// this takes few dependent steps.
template <int COUNT, class Part>
__device__ inline Value sum_of_lanes(const Part lanes)
{
    if constexpr (COUNT == 2) {
        return lanes[0] + lanes[1];
    } else {
        return sum_of_lanes<COUNT / 2>(lanes.lo + lanes.hi);
    }
}

// Variant for elements that need no conversion: sums stay in registers.
__device__ inline Value product_of_packed(const Value *a, const Value *b,
                                          long long inner)
{
    Vector sums[ROWS] = {}, total;
    long long k = 0;
    for (; k + ROWS * WIDTH <= inner; k += ROWS * WIDTH) {
#pragma unroll
        for (int row = 0; row < ROWS; row++) {
            const Vector x = *(const Loose *)(a + k + row * WIDTH);
            const Vector y = *(const Loose *)(b + k + row * WIDTH);
            $add_rows
        }
    }
    total = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    Value sum = sum_of_lanes<WIDTH>(total);
    for (; k < inner; k++) {
        multiply_add(sum, a[k], b[k]);
    }
    return sum;
}
#else
__device__ inline Value product_of_packed(const StoredA *a, const StoredB *b,
                                          long long inner)
{
    return product_of(a, b, 1, 1, inner);
}
#endif

// Computes each element of the result separately.
extern "C" __global__ void matmul_dots(Out *c, const StoredA *a,
                                       const StoredB *b, const Shape s,
                                       long long each)
{
    const long long first = blockIdx.x * each, size = s.rows * s.batches;
    const long long end = first + each < size ? first + each : size;
    long long batch = first / s.rows, row = first % s.rows;
    for (long long n = first; n < end; n++) {
        const StoredA *line =
            (const StoredA *)((const char *)a +
                              offset_of<$ndim>(batch, s.shape, s.a)) +
            row * s.a_row;
        const StoredB *column =
            (const StoredB *)((const char *)b +
                              offset_of<$ndim>(batch, s.shape, s.b));
        Out *out = (Out *)((char *)c + offset_of<$ndim>(batch, s.shape, s.c));
        const Value v = s.a_column == 1 && s.b_row == 1
                            ? product_of_packed(line, column, s.inner)
                            : product_of(line, column, s.a_column, s.b_row,
                                         s.inner);
        out[row * s.c_row] = $cast_out;
        if (++row == s.rows) {
            row = 0;
            batch++;
        }
    }
}

// Computes LANES elements of the result together: rows are adjacent in memory.
extern "C" __global__ void matmul_lanes(Out *c, const StoredA *a,
                                        const StoredB *b, const Shape s)
{
    const long long groups = (s.rows + LANES - 1) / LANES;
    const long long batch = blockIdx.x / groups;
    const long long row0 = blockIdx.x % groups * LANES;
    const int count = s.rows - row0 < LANES ? (int)(s.rows - row0) : LANES;
    a = (const StoredA *)((const char *)a +
                          offset_of<$ndim>(batch, s.shape, s.a)) + row0;
    b = (const StoredB *)((const char *)b +
                          offset_of<$ndim>(batch, s.shape, s.b));
    c = (Out *)((char *)c + offset_of<$ndim>(batch, s.shape, s.c)) +
        row0 * s.c_row;
    Value sums[LANES];
    for (int lane = 0; lane < LANES; lane++) {
        sums[lane] = Value(0);
    }
    for (long long k = 0; k < s.inner; k++) {
        const Value factor = right_at(b, k * s.b_row);
        const long long line = k * s.a_column;
        if (count == LANES) {
            for (int lane = 0; lane < LANES; lane++) {
                multiply_add(sums[lane], left_at(a, line + lane), factor);
            }
        } else {
            for (int lane = 0; lane < count; lane++) {
                multiply_add(sums[lane], left_at(a, line + lane), factor);
            }
        }
    }
    for (int lane = 0; lane < count; lane++) {
        const Value v = sums[lane];
        c[lane * s.c_row] = $cast_out;
    }
}
