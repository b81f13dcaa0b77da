/* A solution of the exercise 09_matmul.
 * SPDX-License-Identifier: MIT */
__global__ void matmul(const float *a, const float *b, float *c, int n)
{
    __shared__ float ta[16][16], tb[16][16];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
    float sum = 0;
    for (int first = 0; first < n; first += 16) {
        bool in_a = row < n && first + x < n, in_b = column < n && first + y < n;
        ta[y][x] = in_a ? a[row * n + first + x] : 0;
        tb[y][x] = in_b ? b[(first + y) * n + column] : 0;
        __syncthreads();
        for (int k = 0; k < 16; ++k)
            sum += ta[y][k] * tb[k][x];
        __syncthreads();
    }
    if (row < n && column < n)
        c[row * n + column] = sum;
}
