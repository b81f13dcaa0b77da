/* cuda_awbarrier_primitives.h - says what to use instead.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#error "cuda_awbarrier_primitives.h is not there on the CPU device: use <cuda/barrier>"
