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
#include "curand/xorwow.h"
#include "curand/mrg32k3a.h"
#include "curand/philox.h"
#include "curand/sobol.h"
#include "curand/uniform.h"
#include "curand/normal.h"
#include "curand/poisson.h"
}
