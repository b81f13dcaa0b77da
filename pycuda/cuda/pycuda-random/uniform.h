/* uniform.h - uniform numbers of (0, 1].
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "convert.h"
#include "mrg32k3a.h"
#include "philox.h"
#include "xorwow.h"

/* One number of the state's own kind. */
template <class State>
__pycuda_template_fn float
curand_uniform(State *state)
{
    return _curand_uniform(curand(state));
}
template <class State>
__pycuda_template_fn double
curand_uniform_double(State *state)
{
    return _curand_uniform_double(curand(state));
}
#define __PYCUDA_UNIFORM_PAIR(STATE)                                          \
    __pycuda_fn double curand_uniform_double(STATE *state)                    \
    {                                                                         \
        unsigned int low = curand(state), high = curand(state);               \
        return _curand_uniform_double_hq(low, high);                          \
    }
__PYCUDA_UNIFORM_PAIR(curandStateXORWOW)
__PYCUDA_UNIFORM_PAIR(curandStatePhilox4_32_10)
#undef __PYCUDA_UNIFORM_PAIR
__pycuda_fn float
curand_uniform(curandStateMRG32k3a *state)
{
    return (float)((double)__pycuda_mrg(state) * 2.328306549295728e-10);
}
__pycuda_fn double
curand_uniform_double(curandStateMRG32k3a *state)
{
    return (double)__pycuda_mrg(state) * 2.328306549295728e-10;
}

__pycuda_fn float4
curand_uniform4(curandStatePhilox4_32_10 *state)
{
    uint4 x = curand4(state);
    return make_float4(_curand_uniform(x.x), _curand_uniform(x.y),
                       _curand_uniform(x.z), _curand_uniform(x.w));
}
__pycuda_fn double2
curand_uniform2_double(curandStatePhilox4_32_10 *state)
{
    uint4 x = curand4(state);
    return make_double2(_curand_uniform_double_hq(x.x, x.y),
                        _curand_uniform_double_hq(x.z, x.w));
}
#ifdef __PYCUDA_CPU__ /* CUDA 13 warns of double4 */
__pycuda_fn double4
curand_uniform4_double(curandStatePhilox4_32_10 *state)
{
    double2 a = curand_uniform2_double(state);
    double2 b = curand_uniform2_double(state);
    return make_double4(a.x, a.y, b.x, b.y);
}
#endif
