/* unsupported.c - every driver function that no other file defines.
 *
 * The rows of src/api name them all; each name is here a weak alias of one
 * function, and gives way to a real one.  What is left answers
 * CUDA_ERROR_NOT_SUPPORTED.  Assembly, since two rows may name one symbol, and
 * since C wants an alias to have its target's type.
 *
 * SPDX-License-Identifier: MIT */
#include "cpu/cpu.h"

CUresult cpu_unsupported(void);

__attribute__((used)) CUresult
cpu_unsupported(void)
{
    CUresult code = cpu_ready();

    return code ? code : CUDA_ERROR_NOT_SUPPORTED;
}

#define UNSUPPORTED(base, symbol, since, per_thread, parameters, arguments)   \
    __asm__(".weak " #symbol "\n.type " #symbol ", %function\n.set " #symbol  \
            ", cpu_unsupported\n");

#define DRIVER_ROW     UNSUPPORTED
#define DRIVER_OLD_ROW UNSUPPORTED
#include "api/driver_rows.h"
#include "api/driver_old_rows.h"

#define REFUSED_ROW(base, symbol, since, why)                                 \
    UNSUPPORTED(base, symbol, since, , , )
#include "cpu/exports/refused.h"
