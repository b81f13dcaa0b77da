/* A solution of the exercise 10_transpose.
 * SPDX-License-Identifier: MIT */
__global__ void transpose(const float *x, float *out, int width, int height)
{
    __shared__ float tile[16][17];
    int tx = threadIdx.x, ty = threadIdx.y;
    int column = blockIdx.x * 16 + tx, row = blockIdx.y * 16 + ty;
    if (column < width && row < height)
        tile[ty][tx] = x[row * width + column];
    __syncthreads();
    column = blockIdx.y * 16 + tx, row = blockIdx.x * 16 + ty;
    if (column < height && row < width)
        out[row * height + column] = tile[tx][ty];
}
