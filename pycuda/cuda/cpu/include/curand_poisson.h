/* curand_poisson.h - part of cuRAND; curand_kernel.h declares everything.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include <curand_kernel.h>
