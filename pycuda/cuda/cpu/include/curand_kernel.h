/* curand_kernel.h - random numbers within kernels, on the CPU device.
 *
 * The interface is cuRAND's.  Generators are written from their papers:
 * XORWOW (Marsaglia 2003), MRG32k3a (L'Ecuyer 1999), Philox4x32-10 (Salmon et
 * al. 2011), Sobol' (Bratley and Fox 1988).  MTGP32 and distributions made by
 * the host are not there.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

extern "C++" {
#include <pycuda-random/xorwow.h>
#include <pycuda-random/mrg32k3a.h>
#include <pycuda-random/philox.h>
#include <pycuda-random/sobol.h>
#include <pycuda-random/uniform.h>
#include <pycuda-random/normal.h>
#include <pycuda-random/poisson.h>
}
