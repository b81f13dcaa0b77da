/* cuComplex.h - CUDA's complex numbers in C style, over float2 and double2.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

#define CU_COMPLEX_H_

extern "C++" {

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

/* TYPE is the complex type, T the type of its parts, M the suffix of the
 * mathematical functions; the other parameters are names of functions. */
#define __PYCUDA_COMPLEX(TYPE, T, R, I, MAKE, CONJ, ADD, SUB, MUL, DIV, ABS,  \
                         FMA, M)                                              \
    __pycuda_both T R(TYPE z)                                                 \
    {                                                                         \
        return z.x;                                                           \
    }                                                                         \
    __pycuda_both T I(TYPE z)                                                 \
    {                                                                         \
        return z.y;                                                           \
    }                                                                         \
    __pycuda_both TYPE MAKE(T re, T im)                                       \
    {                                                                         \
        return {re, im};                                                      \
    }                                                                         \
    __pycuda_both TYPE CONJ(TYPE z)                                           \
    {                                                                         \
        return {z.x, -z.y};                                                   \
    }                                                                         \
    __pycuda_both TYPE ADD(TYPE a, TYPE b)                                    \
    {                                                                         \
        return {a.x + b.x, a.y + b.y};                                        \
    }                                                                         \
    __pycuda_both TYPE SUB(TYPE a, TYPE b)                                    \
    {                                                                         \
        return {a.x - b.x, a.y - b.y};                                        \
    }                                                                         \
    __pycuda_both TYPE MUL(TYPE a, TYPE b)                                    \
    {                                                                         \
        return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};                \
    }                                                                         \
    /* Scaled, so that |b|^2 cannot overflow. */                              \
    __pycuda_both TYPE DIV(TYPE a, TYPE b)                                    \
    {                                                                         \
        T scale = 1 / (fabs##M(b.x) + fabs##M(b.y));                          \
        T ar = a.x * scale, ai = a.y * scale;                                 \
        T br = b.x * scale, bi = b.y * scale;                                 \
        T norm = 1 / (br * br + bi * bi);                                     \
        return {(ar * br + ai * bi) * norm, (ai * br - ar * bi) * norm};      \
    }                                                                         \
    __pycuda_both T ABS(TYPE z)                                               \
    {                                                                         \
        return hypot##M(z.x, z.y);                                            \
    }                                                                         \
    __pycuda_both TYPE FMA(TYPE a, TYPE b, TYPE c)                            \
    {                                                                         \
        return ADD(MUL(a, b), c);                                             \
    }
__PYCUDA_COMPLEX(cuFloatComplex, float, cuCrealf, cuCimagf,
                 make_cuFloatComplex, cuConjf, cuCaddf, cuCsubf, cuCmulf,
                 cuCdivf, cuCabsf, cuCfmaf, f)
__PYCUDA_COMPLEX(cuDoubleComplex, double, cuCreal, cuCimag,
                 make_cuDoubleComplex, cuConj, cuCadd, cuCsub, cuCmul, cuCdiv,
                 cuCabs, cuCfma, )
#undef __PYCUDA_COMPLEX

__pycuda_both cuComplex
make_cuComplex(float re, float im)
{
    return {re, im};
}
__pycuda_both cuDoubleComplex
cuComplexFloatToDouble(cuFloatComplex z)
{
    return {z.x, z.y};
}
__pycuda_both cuFloatComplex
cuComplexDoubleToFloat(cuDoubleComplex z)
{
    return {(float)z.x, (float)z.y};
}
}
