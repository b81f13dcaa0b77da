/* Reverse each group of 128 elements in place.
 * Launched with blocks of 128 threads, one for each group.
 * SPDX-License-Identifier: MIT */
__global__ void reverse(float *x)
{
    __shared__ float tile[128];
    // Copy the group to the tile, wait for all threads, and copy it back in
    // the other order.
}
