/* cuda_fp4.h - wrapper that allows the include inside extern "C".
 *
 * SPDX-License-Identifier: MIT */
#pragma once
extern "C++" {
#include_next <cuda_fp4.h>
}
