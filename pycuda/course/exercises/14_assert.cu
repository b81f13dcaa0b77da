/* Assert: store sqrtf(x[i]) in out[i], for each i below n. x must not be
 * negative: let the kernel end with a failed assertion if it is.
 * Launched with blocks of 64 threads, and enough blocks to cover n.
 * SPDX-License-Identifier: MIT */
__global__ void root(const float *x, float *out, int n)
{
    // assert(condition) ends the kernel with an error if it is false.
}
