/* states.h - lists of the states that share the form of their distributions.
 *
 * cuRAND's distributions are overloads for each state, without templates:
 * they accept what converts to a pointer to the state.  The headers write
 * them as macros that these lists expand.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

/* Pseudorandom generators with room for the second number of a pair. */
#define __PYCUDA_PAIR_STATES(MACRO)                                           \
    MACRO(curandStateXORWOW)                                                  \
    MACRO(curandStateMRG32k3a)                                                \
    MACRO(curandStatePhilox4_32_10)
/* Generators that make one number from one word. */
#define __PYCUDA_QUANTILE_STATES(MACRO)                                       \
    MACRO(curandStateSobol32)                                                 \
    MACRO(curandStateScrambledSobol32)                                        \
    MACRO(curandStateSobol64)                                                 \
    MACRO(curandStateScrambledSobol64)                                        \
    MACRO(curandStateMtgp32)
