/* unsupported.c - defines all driver functions that no other file defines.
 *
 * The rows of src/api name all driver functions. Each name is a weak alias of
 * one function, which a real definition overrides. The remaining ones return
 * CUDA_ERROR_NOT_SUPPORTED. The aliases are assembly, since two rows may name
 * the same symbol, and since a C alias must have the type of its target.
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

/* For functions that a process may call without cuInit. */
CUresult cpu_unsupported_process(void);

__attribute__((used)) CUresult
cpu_unsupported_process(void)
{
    return CUDA_ERROR_NOT_SUPPORTED;
}

/* Makes `symbol` a weak alias of `function`. */
#define WEAK_ALIAS(symbol, function)                                          \
    __asm__(".weak " #symbol "\n.type " #symbol ", %function\n.set " #symbol  \
            ", " #function "\n");

#define UNSUPPORTED(base, symbol, since, per_thread, parameters, arguments)   \
    WEAK_ALIAS(symbol, cpu_unsupported)

#define DRIVER_ROW     UNSUPPORTED
#define DRIVER_OLD_ROW UNSUPPORTED
#include "api/driver_rows.h"
#include "api/driver_old_rows.h"

#define MISSING_ROW(base, symbol, since, why)                                 \
    UNSUPPORTED(base, symbol, since, , , )
#define MISSING_PROCESS_ROW(base, symbol, since, why)                         \
    WEAK_ALIAS(symbol, cpu_unsupported_process)
#include "cpu/exports/unsupported_functions.h"
