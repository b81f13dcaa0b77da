/* curand_globals.h - constants of cuRAND's device headers.
 *
 * They are conversion factors, flags and generator parameters. Constants that
 * only tune the implementation of NVIDIA's headers are not defined.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

#ifndef QUALIFIERS
#define QUALIFIERS static __forceinline__ __device__
#endif

/* Factors that convert random integers to uniform numbers, and uniform numbers
 * to angles. */
#define CURAND_2POW32                4294967296.0f
#define CURAND_2POW32_DOUBLE         4294967296.0
#define CURAND_2POW32_INV            2.3283064e-10f
#define CURAND_2POW32_INV_DOUBLE     2.3283064365386963e-10
#define CURAND_2POW53_INV_DOUBLE     1.1102230246251565e-16
#define CURAND_2PI                   6.2831855f
#define CURAND_PI_DOUBLE             3.1415926535897932
#define CURAND_2PI_DOUBLE            6.2831853071795860
#define CURAND_2POW32_INV_2PI        (CURAND_2POW32_INV * CURAND_2PI)
#define CURAND_2POW53_INV_2PI_DOUBLE                                          \
    (CURAND_2POW53_INV_DOUBLE * CURAND_2PI_DOUBLE)
/* cuRAND defines the negative root. */
#define CURAND_SQRT2                 (-1.4142135f)
#define CURAND_SQRT2_DOUBLE          (-1.4142135623730951)

/* Flags of a generator's state: it stores a second normal or log-normal
 * number, which the next call returns. */
#define EXTRA_FLAG_NORMAL            1
#define EXTRA_FLAG_LOG_NORMAL        2

/* Subsequences of XORWOW are 2^67 numbers apart. */
#define XORWOW_SEQUENCE_SPACING      67

/* MRG32k3a's recurrences. */
#define MRG32K3A_MOD1                4294967087.0
#define MRG32K3A_MOD2                4294944443.0
#define MRG32K3A_A12                 1403580.0
#define MRG32K3A_A13N                810728.0
#define MRG32K3A_A21                 527612.0
#define MRG32K3A_A23N                1370589.0
#define MRG32K3A_NORM                2.3283065498378288e-10
#define MRG32K3A_BITS_NORM           1.000000048662

/* Philox's rounds. */
#define PHILOX_W32_0                 0x9E3779B9
#define PHILOX_W32_1                 0xBB67AE85
#define PHILOX_M4x32_0               0xD2511F53
#define PHILOX_M4x32_1               0xCD9E8D57

/* Parameters of MTGP32's state and tables. */
#define MEXP                         11213
#define MTGPDC_MEXP                  11213
#define MTGPDC_N                     351
#define MTGPDC_FLOOR_2P              256
#define MTGPDC_CEIL_2P               512
#define MTGP32_STATE_SIZE            1024
#define MTGP32_STATE_MASK            1023
#define CURAND_NUM_MTGP32_PARAMS     200
#define TBL_SIZE                     16
#define THREAD_NUM                   MTGPDC_FLOOR_2P
#define LARGE_SIZE                   (THREAD_NUM * 3)

/* Each header of cuRAND declares the complete library. */
#include <curand_kernel.h>
