/* product.h - mma_sync: the warp's product, computed by its first lane. Part
 * of mma.h. Lanes write their elements to memory of lane 0, whose address a
 * shuffle broadcasts; lane 0 multiplies with the processor's vectors; all
 * lanes read their elements of the result. The four synchronisations of the
 * warp cost little compared with an exchange of single elements, on fibers
 * too.
 *
 * The CUDA guide does not specify the order in which the products of an
 * element are added or how sums are rounded. Here products are exact, and each
 * is added to the float sum with one rounding, in the order of k, starting
 * with c; an accumulator of half precision is rounded once at the end.
 *
 * SPDX-License-Identifier: MIT */

/* Transposes a square matrix; `column` holds the indices of its columns. */
template <class T, int... column> struct __pycuda_square {
    static constexpr int side = sizeof...(column);
    typedef __pycuda_row<T, side> row;

    /* Exchanges elements whose row and column differ in one bit. */
    template <int bit>
    static __device__ __forceinline__ void
    transpose(row *rows)
    {
        if constexpr (bit < side) {
#pragma unroll
            for (int i = 0; i < side; i++) {
                if ((i & bit) == 0) {
                    row a = rows[i], b = rows[i + bit];
                    rows[i] = __builtin_shufflevector(
                        a, b,
                        (column & bit ? side + column - bit : column)...);
                    rows[i + bit] = __builtin_shufflevector(
                        a, b,
                        (column & bit ? side + column : column + bit)...);
                }
            }
            transpose<2 * bit>(rows);
        }
    }
    static __device__ __forceinline__ void
    transpose(T *to, int to_stride, const T *from, int from_stride)
    {
        row rows[side];
#pragma unroll
        for (int i = 0; i < side; i++) {
            rows[i] = *(const row *)(from + i * from_stride);
        }
        transpose<1>(rows);
#pragma unroll
        for (int i = 0; i < side; i++) {
            *(row *)(to + i * to_stride) = rows[i];
        }
    }
};

template <int m, int n, int k, class T, bool columns_a, bool columns_b>
class __pycuda_product
{
    typedef __pycuda_factor<T> factor;
    typedef typename factor::stored stored;
    typedef typename factor::product number;
    /* Lane 0 computes a part of four rows by sixteen columns, or eight by
     * eight, at a time, so that the sums fit in the processor's registers. */
    static constexpr int width = n < 16 ? n : 16;
    static constexpr int height = 64 / width;
    typedef __pycuda_row<number, width> row;
    template <class, int... column>
    using square = __pycuda_square<number, column...>;

    __align__(64) number a[m * k];
    __align__(64) number b[k * n];
    __align__(64) number c[m * n];
    __align__(64) number turned[columns_b ? k * n : 1];

    /* b by rows. */
    __device__ __forceinline__ const number *
    rows_of_b()
    {
        if constexpr (columns_b) {
            constexpr int side = n < k ? n : k;
            for (int j = 0; j < n; j += side) {
                for (int step = 0; step < k; step += side) {
                    __make_integer_seq<square, int, side>::transpose(
                        turned + step * n + j, n, b + j * k + step, k);
                }
            }
            return turned;
        }
        return b;
    }
    /* c += a * b, at the given row and column. */
    __device__ __forceinline__ void
    multiply(const number *rows, int i, int j)
    {
        row sum[height];
#pragma unroll
        for (int r = 0; r < height; r++) {
            sum[r] = *(row *)&c[(i + r) * n + j];
        }
#pragma unroll
        for (int step = 0; step < k; step++) {
            row right = *(const row *)&rows[step * n + j];
#pragma unroll
            for (int r = 0; r < height; r++) {
                number left =
                    a[columns_a ? step * m + i + r : (i + r) * k + step];
                sum[r] = __builtin_elementwise_fma((row)left, right, sum[r]);
            }
        }
#pragma unroll
        for (int r = 0; r < height; r++) {
            *(row *)&c[(i + r) * n + j] = sum[r];
        }
    }

    static __device__ __forceinline__ __pycuda_product *
    aligned(void *memory)
    {
        constexpr unsigned long more = alignof(__pycuda_product) - 1;
        return (__pycuda_product *)(((unsigned long)memory + more) & ~more);
    }
    /* Copies this lane's elements of the matrix to lane 0's memory. */
    template <class Row>
    static __device__ __forceinline__ void
    hand_in(number *all, Row part)
    {
        __builtin_memcpy(all + __pycuda_lane() * (sizeof part / sizeof *all),
                         &part, sizeof part);
    }

  public:
    template <class D, class C>
    static __device__ __forceinline__ void
    run(D *d, const stored *a, const stored *b, const C *c, bool satf)
    {
        constexpr int count = m * n / 32;
        typedef __pycuda_sum<C, count> before;
        typedef __pycuda_sum<D, count> after;
        typedef typename after::sums sums;
        const int lane = __pycuda_lane();
        __pycuda_product mine, *common = &mine;
        void *heap = nullptr;
        /* Without operations on whole vectors (lanes.h), as in checked
         * kernels, lane 0 uses the heap, which all threads may access. */
        if (!__pycuda_has_lanes() && lane == 0) {
            heap = __pycuda_malloc(sizeof mine + alignof(__pycuda_product));
            common = heap ? aligned(heap) : common;
        }
        auto *of_lane_0 = (__pycuda_product *)__shfl_sync(
            0xffffffffu, (unsigned long)common, 0);
        auto old = __pycuda_read<typename before::row>(c);

        hand_in(of_lane_0->a, factor::template read<m * k / 32>(a));
        hand_in(of_lane_0->b, factor::template read<k * n / 32>(b));
        hand_in(of_lane_0->c, before::before(old));
        __syncwarp();
        if (lane == 0) {
            const number *rows = common->rows_of_b();
#pragma clang loop unroll(disable)
            for (int block = 0; block < m * n / (width * height); block++) {
                common->multiply(rows, block / (n / width) * height,
                                block % (n / width) * width);
            }
        }
        __syncwarp();
        auto sum = __pycuda_read<sums>(of_lane_0->c + __pycuda_lane() * count);
        auto result = after::after(sum, old, satf);
        __builtin_memcpy(d, &result, sizeof result);
        /* Lane 0's memory is free for reuse after all lanes have read it. */
        __syncwarp();
        if (!__pycuda_has_lanes()) {
            __pycuda_free(heap);
        }
    }
};
