/* Mirror: exchange left and right in an image, a matrix of height rows and
 * width columns in C order. Launched with blocks of 16 x 8 threads.
 * SPDX-License-Identifier: MIT */
__global__ void mirror(const float *image, float *out, int width, int height)
{
    // x counts columns, y counts rows; element (row, column) is at
    // row * width + column.
}
