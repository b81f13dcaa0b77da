/* cub/block/block_reduce.cuh - says that cub is not there on the CPU device.
 *
 * SPDX-License-Identifier: MIT */
#error "cub is not available on the CPU device: it is NVIDIA's code for GPUs; use PYCUDA_DEVICE=gpu"
