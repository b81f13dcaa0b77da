/* cuda_awbarrier_helpers.h - CUDA's second header for arrive-wait barriers.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "cuda_awbarrier_primitives.h"
