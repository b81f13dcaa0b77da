/* cuda_bf16.h - lets the header of this name be included inside extern "C".
 *
 * SPDX-License-Identifier: MIT */
#pragma once
extern "C++" {
#include_next <cuda_bf16.h>
}
