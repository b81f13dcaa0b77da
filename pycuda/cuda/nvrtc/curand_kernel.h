/* curand_kernel.h - wrapper that allows the include inside extern "C".
 *
 * SPDX-License-Identifier: MIT */
#pragma once
extern "C++" {
#include_next <curand_kernel.h>
}
