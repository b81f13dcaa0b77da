/* normal.h - normal and log-normal numbers.
 *
 * Pseudorandom generators use Box and Muller's transform ("A Note on the
 * Generation of Random Normal Deviates", 1958), which gives pairs; the state
 * stores the second number of a pair, with a flag for its distribution. A
 * request for another distribution discards it, as in cuRAND. MTGP32 and
 * quasirandom generators use the inverse of the distribution (inverse.h), one
 * number from one word.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "inverse.h"
#include "uniform.h"

/* Flags of a stored number. */
enum { __PYCUDA_KEPT_NORMAL = 1, __PYCUDA_KEPT_LOG_NORMAL = 2 };

/* Sets n to the two normal numbers for the uniform numbers u and v, each as a
 * sum of two parts. */
template <class T>
__pycuda_template_fn void
__pycuda_box_muller(T u, T v, __pycuda_pair<T> *n)
{
    __pycuda_normals(u, v, n);
    for (int k = 0; k < 2; k++) {
        n[k] = __pycuda_sum(n[k].high, n[k].low);
    }
}
/* Return a pair of normal numbers: floats from two words, doubles from four.
 */
__pycuda_fn float2
_curand_box_muller(unsigned int x, unsigned int y)
{
    __pycuda_pair<float> n[2];
    __pycuda_box_muller(_curand_uniform(x), _curand_uniform(y), n);
    return make_float2(n[0].high, n[1].high);
}
__pycuda_fn double2
_curand_box_muller_double(unsigned int x0, unsigned int x1, unsigned int y0,
                          unsigned int y1)
{
    __pycuda_pair<double> n[2];
    __pycuda_box_muller(_curand_uniform_double_hq(x0, x1),
                        _curand_uniform_double_hq(y0, y1), n);
    return make_double2(n[0].high, n[1].high);
}

/* Draws two new numbers from a state. */
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
    double u = __pycuda_uniform_wide(state);
    __pycuda_box_muller(u, __pycuda_uniform_wide(state), n);
}
template <class State>
__pycuda_template_fn float2
curand_box_muller(State *state)
{
    __pycuda_pair<float> n[2];
    __pycuda_two_normals(state, n);
    return make_float2(n[0].high, n[1].high);
}
template <class State>
__pycuda_template_fn double2
curand_box_muller_double(State *state)
{
    __pycuda_pair<double> n[2];
    __pycuda_two_normals(state, n);
    return make_double2(n[0].high, n[1].high);
}

/* Returns e^(mean + deviation * n). */
template <class T>
__pycuda_template_fn T
__pycuda_log_normal(__pycuda_pair<T> n, T mean, T deviation)
{
    return __pycuda_exp(__pycuda_moved(n, mean, deviation));
}

/* The member of a state that stores a number of type T. */
template <class State>
__pycuda_template_fn float *
__pycuda_stored_normal(State *state, int **flag, float)
{
    *flag = &state->boxmuller_flag;
    return &state->boxmuller_extra;
}
template <class State>
__pycuda_template_fn double *
__pycuda_stored_normal(State *state, int **flag, double)
{
    *flag = &state->boxmuller_flag_double;
    return &state->boxmuller_extra_double;
}
/* Returns the stored number of the distribution `kind`, or the first number of
 * a new pair. */
template <class T, class State, class Finish>
__pycuda_template_fn T
__pycuda_next_of_pair(State *state, int kind, Finish finish)
{
    int *flag;
    T *stored = __pycuda_stored_normal(state, &flag, T());
    if (*flag == kind) {
        *flag = 0;
        return *stored;
    }
    __pycuda_pair<T> n[2];
    __pycuda_two_normals(state, n);
    *stored = finish(n[1]);
    *flag = kind;
    return finish(n[0]);
}
template <class T, class State>
__pycuda_template_fn T
__pycuda_paired_normal(State *state)
{
    return __pycuda_next_of_pair<T>(
        state, __PYCUDA_KEPT_NORMAL,
        [](__pycuda_pair<T> n) { return n.high; });
}
template <class T, class State>
__pycuda_template_fn T
__pycuda_paired_log_normal(State *state, T mean, T deviation)
{
    return __pycuda_next_of_pair<T>(
        state, __PYCUDA_KEPT_LOG_NORMAL, [=](__pycuda_pair<T> n) {
            return __pycuda_log_normal(n, mean, deviation);
        });
}

/* Defines STATE's functions for numbers of type T. ENDING is cuRAND's suffix
 * of their names; PAIR is the type of two numbers. */
#define __PYCUDA_PAIRED(STATE, T, ENDING, PAIR)                               \
    __pycuda_fn T curand_normal##ENDING(STATE *state)                         \
    {                                                                         \
        return __pycuda_paired_normal<T>(state);                              \
    }                                                                         \
    __pycuda_fn T curand_log_normal##ENDING(STATE *state, T mean,             \
                                            T deviation)                      \
    {                                                                         \
        return __pycuda_paired_log_normal<T>(state, mean, deviation);         \
    }                                                                         \
    __pycuda_fn PAIR curand_normal2##ENDING(STATE *state)                     \
    {                                                                         \
        return curand_box_muller##ENDING(state);                              \
    }                                                                         \
    __pycuda_fn PAIR curand_log_normal2##ENDING(STATE *state, T mean,         \
                                                T deviation)                  \
    {                                                                         \
        __pycuda_pair<T> n[2];                                                \
        __pycuda_two_normals(state, n);                                       \
        return {__pycuda_log_normal(n[0], mean, deviation),                   \
                __pycuda_log_normal(n[1], mean, deviation)};                  \
    }
#define __PYCUDA_PAIRED_FLOAT(STATE)                                          \
    __PYCUDA_PAIRED(STATE, float, , float2)
#define __PYCUDA_PAIRED_DOUBLE(STATE)                                         \
    __PYCUDA_PAIRED(STATE, double, _double, double2)
__PYCUDA_PAIR_STATES(__PYCUDA_PAIRED_FLOAT)
__PYCUDA_PAIR_STATES(__PYCUDA_PAIRED_DOUBLE)
#undef __PYCUDA_PAIRED_FLOAT
#undef __PYCUDA_PAIRED_DOUBLE
#undef __PYCUDA_PAIRED

/* Returns a double as the sum of two floats. */
__pycuda_fn __pycuda_pair<float>
__pycuda_halves(double n)
{
    float high = (float)n, low = (float)(n - (double)high);
    return {high, low - low == 0.0f ? low : 0.0f};
}
#define __PYCUDA_QUANTILE(STATE)                                              \
    __pycuda_fn float curand_normal(STATE *state)                             \
    {                                                                         \
        return _curand_normal_icdf(curand(state));                            \
    }                                                                         \
    __pycuda_fn double curand_normal_double(STATE *state)                     \
    {                                                                         \
        return _curand_normal_icdf_double(curand(state));                     \
    }                                                                         \
    __pycuda_fn float curand_log_normal(STATE *state, float mean,             \
                                        float deviation)                      \
    {                                                                         \
        double n = __pycuda_normal_of_float(curand(state));                   \
        return __pycuda_log_normal(__pycuda_halves(n), mean, deviation);      \
    }                                                                         \
    __pycuda_fn double curand_log_normal_double(STATE *state, double mean,    \
                                                double deviation)             \
    {                                                                         \
        __pycuda_pair<double> n = {curand_normal_double(state), 0.0};         \
        return __pycuda_log_normal(n, mean, deviation);                       \
    }
__PYCUDA_QUANTILE_STATES(__PYCUDA_QUANTILE)
#undef __PYCUDA_QUANTILE

__pycuda_fn float4
curand_normal4(curandStatePhilox4_32_10 *state)
{
    uint4 x = curand4(state);
    float2 a = _curand_box_muller(x.x, x.y), b = _curand_box_muller(x.z, x.w);
    return make_float4(a.x, a.y, b.x, b.y);
}
__pycuda_fn float4
curand_log_normal4(curandStatePhilox4_32_10 *state, float mean,
                   float deviation)
{
    float2 a = curand_log_normal2(state, mean, deviation);
    float2 b = curand_log_normal2(state, mean, deviation);
    return make_float4(a.x, a.y, b.x, b.y);
}
/* GPUs lack these functions, since CUDA 13 warns that double4 is deprecated */
#ifdef __PYCUDA_CPU__
__pycuda_fn double4
curand_normal4_double(curandStatePhilox4_32_10 *state)
{
    double2 a = curand_normal2_double(state);
    double2 b = curand_normal2_double(state);
    return make_double4(a.x, a.y, b.x, b.y);
}
__pycuda_fn double4
curand_log_normal4_double(curandStatePhilox4_32_10 *state, double mean,
                          double deviation)
{
    double2 a = curand_log_normal2_double(state, mean, deviation);
    double2 b = curand_log_normal2_double(state, mean, deviation);
    return make_double4(a.x, a.y, b.x, b.y);
}
#endif
