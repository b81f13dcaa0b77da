/* The last block: *out becomes the sum of all n elements of x, in one launch.
 * Each block of 64 threads stores its sum in parts[blockIdx.x]. The block that
 * finishes last adds the parts. *done is 0 before. Launched with blocks of 64
 * threads that cover n.
 * SPDX-License-Identifier: MIT */
__global__ void total(const float *x, float *out, float *parts,
                      unsigned int *done, int n)
{
    // Blocks cannot wait for each other, but they can count in *done.
    // __threadfence() before the count lets other blocks see the part.
}
