/* states.h - lists of the states whose distributions have the same form.
 * cuRAND's distributions are overloads for each state, without templates: they
 * accept any argument that converts to a pointer to the state.
 *
 * Each header of distributions defines a macro for one state, and a list here
 * expands it for every state.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

/* Pseudorandom generators with states that store the second number of a pair.
 */
#define __PYCUDA_PAIR_STATES(MACRO)                                           \
    MACRO(curandStateXORWOW)                                                  \
    MACRO(curandStateMRG32k3a)                                                \
    MACRO(curandStatePhilox4_32_10)
/* Generators that produce one number from one word. */
#define __PYCUDA_QUANTILE_STATES(MACRO)                                       \
    MACRO(curandStateSobol32)                                                 \
    MACRO(curandStateScrambledSobol32)                                        \
    MACRO(curandStateSobol64)                                                 \
    MACRO(curandStateScrambledSobol64)                                        \
    MACRO(curandStateMtgp32)
