/* thrust/complex.h - says that thrust is not there on the CPU device.
 *
 * SPDX-License-Identifier: MIT */
#error "thrust is not available on the CPU device: it is NVIDIA's code for GPUs; use PYCUDA_DEVICE=gpu"
