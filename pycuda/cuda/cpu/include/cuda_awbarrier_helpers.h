/* cuda_awbarrier_helpers.h - reports an error that names the replacement.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#error "cuda_awbarrier_helpers.h is not there on the CPU device: use <cuda/barrier>"
