/* Transpose: out[column][row] = x[row][column], so that neighbouring threads
 * read and write neighbouring addresses. x has height rows and width columns.
 * Launched with blocks of 16 x 16 threads.
 * SPDX-License-Identifier: MIT */
__global__ void transpose(const float *x, float *out, int width, int height)
{
    __shared__ float tile[16][17];  // 17: no two rows start in one bank
    // Read a tile by rows, wait, and write it by rows of the result.
}
