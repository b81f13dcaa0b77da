/* generators.h - all generators and distributions, with cuRAND's names.
 *
 * XORWOW (Marsaglia 2003), MRG32k3a (L'Ecuyer 1999), Philox4x32-10 (Salmon et
 * al. 2011), Sobol' (Bratley and Fox 1988) and MTGP32 (Saito and Matsumoto
 * 2013) are implemented from these papers; the headers of the distributions
 * cite theirs. The CPU device's curand_kernel.h is this file;
 * `pycuda.curandom` compiles it on every device, so that integers and uniform
 * numbers have the same bits everywhere.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
extern "C++" {
#include "xorwow.h"
#include "mrg32k3a.h"
#include "philox.h"
#include "sobol.h"
#include "mtgp32.h"
#include "uniform.h"
#include "normal.h"
#include "discrete.h"
#include "poisson.h"
}
