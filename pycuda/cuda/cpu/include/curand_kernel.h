/* curand_kernel.h - random numbers within kernels, on the CPU device.
 *
 * The interface is cuRAND's.  MTGP32 and distributions made by the host are
 * not there.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "curand_enums.h"

#include <pycuda-random/generators.h>
