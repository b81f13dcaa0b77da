/* cuda_awbarrier_helpers.h - includes the barriers of 64 bits.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "cuda_awbarrier_primitives.h"
