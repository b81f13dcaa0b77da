/* Printf: thread 0 of each block prints one line, "block B: T threads", with
 * the index of the block and the number of its threads. Nothing else is
 * printed.
 * SPDX-License-Identifier: MIT */
__global__ void report()
{
    // printf takes the formats of C. A line ends with \n.
}
