/* compound_literal.h - names that replace GNU syntax in a source.
 *
 * (float2){x, y} is passed to NVRTC as pycuda_literal_t<float2>{x, y}, and
 * typeof(x) as pycuda_typeof(x). pycuda.compiler pre-includes this file when a
 * source failed because of such syntax, which nvcc accepts and NVRTC does not.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

template <class T> using pycuda_literal_t = T;

template <class T> struct pycuda_value {
    typedef T type;
};
template <class T> struct pycuda_value<T &> {
    typedef T type;
};
template <class T> struct pycuda_value<T &&> {
    typedef T type;
};
#define pycuda_typeof(...) pycuda_value<decltype(__VA_ARGS__)>::type
