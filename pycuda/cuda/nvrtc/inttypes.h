/* inttypes.h - replaces C's header: includes stdint.h, and defines the printf
 * formats of the integer types.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "stdint.h"

#define __PYCUDA_LONGEST "ll" /* prelude.h defines int64_t as long long */

#define PRId8   "hhd"
#define PRId16  "hd"
#define PRId32  "d"
#define PRId64  __PYCUDA_LONGEST "d"
#define PRIdMAX __PYCUDA_LONGEST "d"
#define PRIdPTR __PYCUDA_LONGEST "d"

#define PRIi8   "hhi"
#define PRIi16  "hi"
#define PRIi32  "i"
#define PRIi64  __PYCUDA_LONGEST "i"
#define PRIiMAX __PYCUDA_LONGEST "i"
#define PRIiPTR __PYCUDA_LONGEST "i"

#define PRIu8   "hhu"
#define PRIu16  "hu"
#define PRIu32  "u"
#define PRIu64  __PYCUDA_LONGEST "u"
#define PRIuMAX __PYCUDA_LONGEST "u"
#define PRIuPTR __PYCUDA_LONGEST "u"

#define PRIo8   "hho"
#define PRIo16  "ho"
#define PRIo32  "o"
#define PRIo64  __PYCUDA_LONGEST "o"
#define PRIoMAX __PYCUDA_LONGEST "o"
#define PRIoPTR __PYCUDA_LONGEST "o"

#define PRIx8   "hhx"
#define PRIx16  "hx"
#define PRIx32  "x"
#define PRIx64  __PYCUDA_LONGEST "x"
#define PRIxMAX __PYCUDA_LONGEST "x"
#define PRIxPTR __PYCUDA_LONGEST "x"

#define PRIX8   "hhX"
#define PRIX16  "hX"
#define PRIX32  "X"
#define PRIX64  __PYCUDA_LONGEST "X"
#define PRIXMAX __PYCUDA_LONGEST "X"
#define PRIXPTR __PYCUDA_LONGEST "X"
