/* stdint.h - replaces C's header: integer types by width.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "../prelude.h"

typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
/* not unsigned long, since prelude.h defines int64_t as long long */
typedef unsigned long long uint64_t;
typedef short int_fast16_t;
typedef int int_fast32_t;
typedef unsigned short uint_fast16_t;
typedef unsigned int uint_fast32_t;
typedef int8_t int_least8_t, int_fast8_t;
typedef int16_t int_least16_t;
typedef int32_t int_least32_t;
typedef int64_t int_least64_t, int_fast64_t, intptr_t, intmax_t;
typedef uint8_t uint_least8_t, uint_fast8_t;
typedef uint16_t uint_least16_t;
typedef uint32_t uint_least32_t;
typedef uint64_t uint_least64_t, uint_fast64_t, uintptr_t, uintmax_t;

#define INT8_MIN    (-128)
#define INT8_MAX    127
#define UINT8_MAX   255
#define INT16_MIN   (-32768)
#define INT16_MAX   32767
#define UINT16_MAX  65535
#define INT32_MIN   INT_MIN
#define INT32_MAX   INT_MAX
#define UINT32_MAX  UINT_MAX
#define INT64_MIN   LONG_MIN
#define INT64_MAX   LONG_MAX
#define UINT64_MAX  ULONG_MAX
#define INTPTR_MIN  LONG_MIN
#define INTPTR_MAX  LONG_MAX
#define UINTPTR_MAX ULONG_MAX
#define INTMAX_MIN  LONG_MIN
#define INTMAX_MAX  LONG_MAX
#define UINTMAX_MAX ULONG_MAX
#define SIZE_MAX    ULONG_MAX
#define PTRDIFF_MIN LONG_MIN
#define PTRDIFF_MAX LONG_MAX
#define INT8_C(x)   x
#define INT16_C(x)  x
#define INT32_C(x)  x
#define INT64_C(x)  x##L
#define UINT8_C(x)  x
#define UINT16_C(x) x
#define UINT32_C(x) x##U
#define UINT64_C(x) x##UL
#define INTMAX_C(x)  x##L
#define UINTMAX_C(x) x##UL
