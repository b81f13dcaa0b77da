/* A solution of the exercise 02_mirror.
 * SPDX-License-Identifier: MIT */
__global__ void mirror(const float *image, float *out, int width, int height)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column < width && row < height)
        out[row * width + column] = image[row * width + width - 1 - column];
}
