/* curand_mtgp32_kernel.h - part of cuRAND; curand_kernel.h declares all.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include <curand_kernel.h>
