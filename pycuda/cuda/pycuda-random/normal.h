/* normal.h - normal and log-normal numbers.
 *
 * Pseudorandom generators: Box and Muller's transform, which gives pairs; the
 * second of a pair is kept in the state.  Quasirandom ones: the inverse of
 * the distribution, one number from one.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "transform.h"

__pycuda_fn float2
__pycuda_box_muller(float u, float v)
{
    __pycuda_pair<float> n[2];
    __pycuda_normals(u, v, n);
    return make_float2(n[0].high + n[0].low, n[1].high + n[1].low);
}
__pycuda_fn double2
__pycuda_box_muller(double u, double v)
{
    __pycuda_pair<double> n[2];
    __pycuda_normals(u, v, n);
    return make_double2(n[0].high + n[0].low, n[1].high + n[1].low);
}

template <class State>
__pycuda_template_fn float2
curand_normal2(State *state)
{
    float u = curand_uniform(state);
    return __pycuda_box_muller(u, curand_uniform(state));
}
template <class State>
__pycuda_template_fn double2
curand_normal2_double(State *state)
{
    double u = curand_uniform_double(state);
    return __pycuda_box_muller(u, curand_uniform_double(state));
}
template <class State>
__pycuda_template_fn float
curand_normal(State *state)
{
    if (state->boxmuller_flag) {
        state->boxmuller_flag = 0;
        return state->boxmuller_extra;
    }
    float2 pair = curand_normal2(state);
    state->boxmuller_extra = pair.y;
    state->boxmuller_flag = 1;
    return pair.x;
}
template <class State>
__pycuda_template_fn double
curand_normal_double(State *state)
{
    if (state->boxmuller_flag_double) {
        state->boxmuller_flag_double = 0;
        return state->boxmuller_extra_double;
    }
    double2 pair = curand_normal2_double(state);
    state->boxmuller_extra_double = pair.y;
    state->boxmuller_flag_double = 1;
    return pair.x;
}

#define __PYCUDA_NORMAL_INVERSE(STATE)                                        \
    __pycuda_fn float curand_normal(STATE *state)                             \
    {                                                                         \
        return normcdfinvf(curand_uniform(state));                            \
    }                                                                         \
    __pycuda_fn double curand_normal_double(STATE *state)                     \
    {                                                                         \
        return normcdfinv(curand_uniform_double(state));                      \
    }
__PYCUDA_NORMAL_INVERSE(curandStateSobol32)
__PYCUDA_NORMAL_INVERSE(curandStateScrambledSobol32)
__PYCUDA_NORMAL_INVERSE(curandStateSobol64)
__PYCUDA_NORMAL_INVERSE(curandStateScrambledSobol64)
#undef __PYCUDA_NORMAL_INVERSE

__pycuda_fn float4
curand_normal4(curandStatePhilox4_32_10 *state)
{
    float4 u = curand_uniform4(state);
    float2 a = __pycuda_box_muller(u.x, u.y);
    float2 b = __pycuda_box_muller(u.z, u.w);
    return make_float4(a.x, a.y, b.x, b.y);
}
#ifdef __PYCUDA_CPU__ /* CUDA 13 warns of double4 */
__pycuda_fn double4
curand_normal4_double(curandStatePhilox4_32_10 *state)
{
    double4 u = curand_uniform4_double(state);
    double2 a = __pycuda_box_muller(u.x, u.y);
    double2 b = __pycuda_box_muller(u.z, u.w);
    return make_double4(a.x, a.y, b.x, b.y);
}
#endif

template <class State>
__pycuda_template_fn float
curand_log_normal(State *state, float mean, float deviation)
{
    return expf(mean + deviation * curand_normal(state));
}
template <class State>
__pycuda_template_fn double
curand_log_normal_double(State *state, double mean, double deviation)
{
    return exp(mean + deviation * curand_normal_double(state));
}
template <class State>
__pycuda_template_fn float2
curand_log_normal2(State *state, float mean, float deviation)
{
    float2 n = curand_normal2(state);
    return make_float2(expf(mean + deviation * n.x),
                       expf(mean + deviation * n.y));
}
template <class State>
__pycuda_template_fn double2
curand_log_normal2_double(State *state, double mean, double deviation)
{
    double2 n = curand_normal2_double(state);
    return make_double2(exp(mean + deviation * n.x),
                        exp(mean + deviation * n.y));
}
__pycuda_fn float4
curand_log_normal4(curandStatePhilox4_32_10 *state, float mean,
                   float deviation)
{
    float4 n = curand_normal4(state);
    return make_float4(
        expf(mean + deviation * n.x), expf(mean + deviation * n.y),
        expf(mean + deviation * n.z), expf(mean + deviation * n.w));
}
#ifdef __PYCUDA_CPU__ /* CUDA 13 warns of double4 */
__pycuda_fn double4
curand_log_normal4_double(curandStatePhilox4_32_10 *state, double mean,
                          double deviation)
{
    double4 n = curand_normal4_double(state);
    return make_double4(
        exp(mean + deviation * n.x), exp(mean + deviation * n.y),
        exp(mean + deviation * n.z), exp(mean + deviation * n.w));
}
#endif
