/* uniform.h - uniform numbers of (0, 1].
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "convert.h"
#include "counter.h"
#include "mrg32k3a.h"
#include "mtgp32.h"
#include "philox.h"
#include "sobol.h"
#include "states.h"
#include "xorwow.h"

/* Returns a float in (0, 1], from one word of the state. */
#define __PYCUDA_UNIFORM(STATE)                                               \
    __pycuda_fn float curand_uniform(STATE *state)                            \
    {                                                                         \
        return _curand_uniform(curand(state));                                \
    }
#define __PYCUDA_UNIFORM_DOUBLE(STATE)                                        \
    __pycuda_fn double curand_uniform_double(STATE *state)                    \
    {                                                                         \
        return _curand_uniform_double(curand(state));                         \
    }
__PYCUDA_QUANTILE_STATES(__PYCUDA_UNIFORM)
__PYCUDA_QUANTILE_STATES(__PYCUDA_UNIFORM_DOUBLE)
__PYCUDA_UNIFORM(curandStateTest)
__PYCUDA_UNIFORM_DOUBLE(curandStateTest)
__PYCUDA_UNIFORM(curandStateXORWOW)
__PYCUDA_UNIFORM(curandStatePhilox4_32_10)
/* A double from Philox uses one word; a double from XORWOW uses two. */
__PYCUDA_UNIFORM_DOUBLE(curandStatePhilox4_32_10)
#undef __PYCUDA_UNIFORM
#undef __PYCUDA_UNIFORM_DOUBLE

/* A double of 53 bits from two words. */
template <class State>
__pycuda_template_fn double
__pycuda_uniform_wide(State *state)
{
    unsigned int low = curand(state), high = curand(state);
    return _curand_uniform_double_hq(low, high);
}
__pycuda_fn double
curand_uniform_double(curandStateXORWOW *state)
{
    return __pycuda_uniform_wide(state);
}
__pycuda_fn float
curand_uniform(curandStateMRG32k3a *state)
{
    return (float)(curand_MRG32k3a(state) * 2.3283065498378288e-10);
}
__pycuda_fn double
curand_uniform_double(curandStateMRG32k3a *state)
{
    return curand_MRG32k3a(state) * 2.3283065498378288e-10;
}
/* MRG32k3a's doubles have as many digits as its numbers. */
__pycuda_fn double
__pycuda_uniform_wide(curandStateMRG32k3a *state)
{
    return curand_uniform_double(state);
}

__pycuda_fn float4
curand_uniform4(curandStatePhilox4_32_10 *state)
{
    return _curand_uniform4(curand4(state));
}
__pycuda_fn double2
curand_uniform2_double(curandStatePhilox4_32_10 *state)
{
    uint4 x = curand4(state);
    return make_double2(_curand_uniform_double_hq(x.x, x.y),
                        _curand_uniform_double_hq(x.z, x.w));
}
/* GPUs lack this function, since CUDA 13 warns that double4 is deprecated */
#ifdef __PYCUDA_CPU__
__pycuda_fn double4
curand_uniform4_double(curandStatePhilox4_32_10 *state)
{
    double2 a = curand_uniform2_double(state);
    double2 b = curand_uniform2_double(state);
    return make_double4(a.x, a.y, b.x, b.y);
}
#endif
