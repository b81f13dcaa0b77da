/* curand_kernel.h - random numbers within kernels, on the CPU device.
 *
 * The interface is cuRAND's, and so are the sequences, except for those of
 * Poisson numbers.  The tables of jumps and the matrix functions inside its
 * headers are not there.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "curand.h"
#include "curand_globals.h"

#include <pycuda-random/generators.h>
