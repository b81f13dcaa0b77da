/* Scan: out[i] is x[0] + ... + x[i]. Launched with one block of 256 threads,
 * for 256 elements. In step d = 1, 2, 4, ..., 128 thread i adds the element
 * that is d positions before its own.
 * SPDX-License-Identifier: MIT */
__global__ void scan(const float *x, float *out)
{
    // Between reading and writing the same element, all threads have to wait.
}
