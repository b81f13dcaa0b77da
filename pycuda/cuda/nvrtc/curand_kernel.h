/* curand_kernel.h - lets the header of this name be included inside extern "C".
 *
 * SPDX-License-Identifier: MIT */
#pragma once
extern "C++" {
#include_next <curand_kernel.h>
}
