/* curand_philox4x32_x.h - part of cuRAND; curand_kernel.h declares everything.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include <curand_kernel.h>
