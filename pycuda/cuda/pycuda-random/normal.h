/* normal.h - normal and log-normal numbers.
 *
 * Pseudorandom generators: Box and Muller's transform, which gives pairs; the
 * second of a pair is kept in the state.  Quasirandom ones: the inverse of
 * the distribution, one number from one.
 *
 * Exponentials want more digits of a number than its type has.  Those of one
 * that is kept lie where the other type's would, as long as that place is
 * free; whoever finds something else there goes without.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "inverse.h"

template <class T>
__pycuda_template_fn void
__pycuda_box_muller(T u, T v, __pycuda_pair<T> *n)
{
    __pycuda_normals(u, v, n);
    for (int k = 0; k < 2; k++) {
        n[k] = __pycuda_sum(n[k].high, n[k].low);
    }
}
__pycuda_fn float2
__pycuda_box_muller(float u, float v)
{
    __pycuda_pair<float> n[2];
    __pycuda_box_muller(u, v, n);
    return make_float2(n[0].high, n[1].high);
}
__pycuda_fn double2
__pycuda_box_muller(double u, double v)
{
    __pycuda_pair<double> n[2];
    __pycuda_box_muller(u, v, n);
    return make_double2(n[0].high, n[1].high);
}

/* Two new numbers. */
template <class State>
__pycuda_template_fn void
__pycuda_two_normals(State *state, __pycuda_pair<float> *n)
{
    float u = curand_uniform(state);
    __pycuda_box_muller(u, curand_uniform(state), n);
}
template <class State>
__pycuda_template_fn void
__pycuda_two_normals(State *state, __pycuda_pair<double> *n)
{
    double u = curand_uniform_double(state);
    __pycuda_box_muller(u, curand_uniform_double(state), n);
}

/* The next number: one that was kept, or one of two new ones. */
template <class State>
__pycuda_template_fn __pycuda_pair<float>
__pycuda_next_normal(State *state, float)
{
    if (state->boxmuller_flag) {
        float kept = state->boxmuller_extra;
        double whole = state->boxmuller_extra_double;
        state->boxmuller_flag = 0;
        return {kept, (float)whole == kept ? (float)(whole - kept) : 0.0f};
    }
    __pycuda_pair<float> n[2];
    __pycuda_two_normals(state, n);
    state->boxmuller_extra = n[1].high;
    state->boxmuller_flag = 1;
    if (!state->boxmuller_flag_double) {
        state->boxmuller_extra_double = (double)n[1].high + n[1].low;
    }
    return n[0];
}
template <class State>
__pycuda_template_fn __pycuda_pair<double>
__pycuda_next_normal(State *state, double)
{
    if (state->boxmuller_flag_double) {
        double kept = state->boxmuller_extra_double;
        double low = state->boxmuller_extra;
        state->boxmuller_flag_double = 0;
        return {kept, kept + low == kept ? low : 0.0};
    }
    __pycuda_pair<double> n[2];
    __pycuda_two_normals(state, n);
    state->boxmuller_extra_double = n[1].high;
    state->boxmuller_flag_double = 1;
    if (!state->boxmuller_flag) {
        state->boxmuller_extra = (float)n[1].low;
    }
    return n[0];
}

#define __PYCUDA_NEXT_INVERSE(STATE)                                          \
    __pycuda_fn __pycuda_pair<float> __pycuda_next_normal(STATE *state,       \
                                                          float)              \
    {                                                                         \
        double n = __pycuda_normal_inverse((double)curand_uniform(state));    \
        float high = (float)n, low = (float)(n - (double)high);               \
        return {high, low - low == 0.0f ? low : 0.0f};                        \
    }                                                                         \
    __pycuda_fn __pycuda_pair<double> __pycuda_next_normal(STATE *state,      \
                                                           double)            \
    {                                                                         \
        return {__pycuda_normal_inverse(curand_uniform_double(state)), 0.0};  \
    }
__PYCUDA_NEXT_INVERSE(curandStateSobol32)
__PYCUDA_NEXT_INVERSE(curandStateScrambledSobol32)
__PYCUDA_NEXT_INVERSE(curandStateSobol64)
__PYCUDA_NEXT_INVERSE(curandStateScrambledSobol64)
#undef __PYCUDA_NEXT_INVERSE

template <class State>
__pycuda_template_fn float2
curand_normal2(State *state)
{
    __pycuda_pair<float> n[2];
    __pycuda_two_normals(state, n);
    return make_float2(n[0].high, n[1].high);
}
template <class State>
__pycuda_template_fn double2
curand_normal2_double(State *state)
{
    __pycuda_pair<double> n[2];
    __pycuda_two_normals(state, n);
    return make_double2(n[0].high, n[1].high);
}
template <class State>
__pycuda_template_fn float
curand_normal(State *state)
{
    return __pycuda_next_normal(state, 0.0f).high;
}
template <class State>
__pycuda_template_fn double
curand_normal_double(State *state)
{
    return __pycuda_next_normal(state, 0.0).high;
}

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

/* e^(mean + deviation n). */
template <class T>
__pycuda_template_fn T
__pycuda_log_normal(__pycuda_pair<T> n, T mean, T deviation)
{
    return __pycuda_exp(__pycuda_moved(n, mean, deviation));
}

template <class State>
__pycuda_template_fn float
curand_log_normal(State *state, float mean, float deviation)
{
    return __pycuda_log_normal(__pycuda_next_normal(state, 0.0f), mean,
                               deviation);
}
template <class State>
__pycuda_template_fn double
curand_log_normal_double(State *state, double mean, double deviation)
{
    return __pycuda_log_normal(__pycuda_next_normal(state, 0.0), mean,
                               deviation);
}
template <class State>
__pycuda_template_fn float2
curand_log_normal2(State *state, float mean, float deviation)
{
    __pycuda_pair<float> n[2];
    __pycuda_two_normals(state, n);
    return make_float2(__pycuda_log_normal(n[0], mean, deviation),
                       __pycuda_log_normal(n[1], mean, deviation));
}
template <class State>
__pycuda_template_fn double2
curand_log_normal2_double(State *state, double mean, double deviation)
{
    __pycuda_pair<double> n[2];
    __pycuda_two_normals(state, n);
    return make_double2(__pycuda_log_normal(n[0], mean, deviation),
                        __pycuda_log_normal(n[1], mean, deviation));
}
__pycuda_fn float4
curand_log_normal4(curandStatePhilox4_32_10 *state, float mean,
                   float deviation)
{
    float4 u = curand_uniform4(state);
    __pycuda_pair<float> n[4];
    __pycuda_box_muller(u.x, u.y, n);
    __pycuda_box_muller(u.z, u.w, n + 2);
    return make_float4(__pycuda_log_normal(n[0], mean, deviation),
                       __pycuda_log_normal(n[1], mean, deviation),
                       __pycuda_log_normal(n[2], mean, deviation),
                       __pycuda_log_normal(n[3], mean, deviation));
}
#ifdef __PYCUDA_CPU__ /* CUDA 13 warns of double4 */
__pycuda_fn double4
curand_log_normal4_double(curandStatePhilox4_32_10 *state, double mean,
                          double deviation)
{
    double4 u = curand_uniform4_double(state);
    __pycuda_pair<double> n[4];
    __pycuda_box_muller(u.x, u.y, n);
    __pycuda_box_muller(u.z, u.w, n + 2);
    return make_double4(__pycuda_log_normal(n[0], mean, deviation),
                        __pycuda_log_normal(n[1], mean, deviation),
                        __pycuda_log_normal(n[2], mean, deviation),
                        __pycuda_log_normal(n[3], mean, deviation));
}
#endif
