/* curand_discrete2.h - a part of cuRAND: curand_kernel.h has it all.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include <curand_kernel.h>
