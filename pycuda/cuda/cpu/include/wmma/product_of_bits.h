/* product_of_bits.h - bmma_sync: rows and columns of 128 single bits.
 *
 * Part of mma.h. A row of a and a column of b consist of four words each, in
 * four consecutive lanes; a lane has two adjacent elements of the result.
 *
 * SPDX-License-Identifier: MIT */

/* d = c + the number of bits set in a op b. */
__pycuda_fn void
bmma_sync(fragment<accumulator, 8, 8, 128, int> &d,
          const fragment<matrix_a, 8, 8, 128, experimental::precision::b1,
                         row_major> &a,
          const fragment<matrix_b, 8, 8, 128, experimental::precision::b1,
                         col_major> &b,
          const fragment<accumulator, 8, 8, 128, int> &c,
          experimental::bmmaBitOp op = experimental::bmmaBitOpXOR,
          experimental::bmmaAccumulateOp = experimental::bmmaAccumulateOpPOPC)
{
    const int lane = __pycuda_lane(), row = lane / 4, column = lane % 4 * 2;
    unsigned int sum[2] = {(unsigned int)c.x[0], (unsigned int)c.x[1]};
#pragma unroll
    for (int word = 0; word < 4; word++) {
        unsigned int left = __shfl_sync(~0u, a.x[0], 4 * row + word);
#pragma unroll
        for (int i = 0; i < 2; i++) {
            unsigned int right =
                __shfl_sync(~0u, b.x[0], 4 * (column + i) + word);
            sum[i] += __popc(op == experimental::bmmaBitOpAND ? left & right
                                                              : left ^ right);
        }
    }
    d.x[0] = (int)sum[0];
    d.x[1] = (int)sum[1];
}
