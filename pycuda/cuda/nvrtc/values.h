/* values.h - replaces the C library's header: old names of numeric limits.
 *
 * MAXFLOAT is in prelude.h.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "../prelude.h"
#include "float.h"
#define BITSPERBYTE CHAR_BIT
#define CHARBITS    8
#define SHORTBITS   16
#define INTBITS     32
#define LONGBITS    64
#define PTRBITS     64
#define FLOATBITS   32
#define DOUBLEBITS  64
#define MINSHORT    SHRT_MIN
#define MININT      INT_MIN
#define MINLONG     LONG_MIN
#define MAXSHORT    SHRT_MAX
#define MAXINT      INT_MAX
#define MAXLONG     LONG_MAX
#define HIBITS      MINSHORT
#define HIBITL      MINLONG
#define MINFLOAT    FLT_MIN
#define MINDOUBLE   DBL_MIN
#define MAXDOUBLE   DBL_MAX
#define FMINEXP     FLT_MIN_EXP
#define DMINEXP     DBL_MIN_EXP
#define FMAXEXP     FLT_MAX_EXP
#define DMAXEXP     DBL_MAX_EXP
