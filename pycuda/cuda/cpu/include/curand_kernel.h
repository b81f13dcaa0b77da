/* curand_kernel.h - random numbers within kernels, on the CPU device.
 *
 * The interface is cuRAND's, and so are the sequences, except those of Poisson
 * numbers. The jump tables and matrix functions of cuRAND's headers, which are
 * internal, are not defined.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "curand.h"
#include "curand_globals.h"

#include <pycuda-random/generators.h>
