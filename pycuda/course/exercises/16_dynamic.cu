/* Dynamic shared memory: reverse each group of blockDim.x elements of x in
 * place. Launched with blocks of different sizes, one for each group, and
 * with blockDim.x * sizeof(float) bytes of dynamic shared memory.
 * SPDX-License-Identifier: MIT */
__global__ void reverse(float *x)
{
    // extern __shared__ float tile[]; has the size that the launch gives.
}
