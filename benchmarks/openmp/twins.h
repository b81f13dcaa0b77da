/* twins.h - parts that both files of OpenMP loops need.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BENCHMARKS_OPENMP_TWINS_H
#define BENCHMARKS_OPENMP_TWINS_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LOOP    _Pragma("omp parallel for schedule(static)")
#define DYNAMIC _Pragma("omp parallel for schedule(dynamic, 4)")
#define SIMD    _Pragma("omp simd")
#define R       restrict

static inline int
least(int a, int b)
{
    return a < b ? a : b;
}

static inline int
most(int a, int b)
{
    return a > b ? a : b;
}

#endif
