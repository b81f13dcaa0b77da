/* curand_mtgp32_kernel.h - exists because programs include it by this name.
 *
 * curand_kernel.h declares all device functions of cuRAND.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include <curand_kernel.h>
