/* unsupported.c - defines all driver functions that no other file defines.
 *
 * The tables in src/api list all driver functions. Each name is defined here
 * as a weak alias of cpu_unsupported, which returns CUDA_ERROR_NOT_SUPPORTED;
 * a definition in another file overrides the alias. The aliases are written in
 * assembly, since the tables may list a symbol twice, which C does not allow,
 * and since a C alias must have the type of its target.
 *
 * SPDX-License-Identifier: MIT */
#include "cpu/device/state.h"

CUresult cpu_unsupported(void);

__attribute__((used)) CUresult
cpu_unsupported(void)
{
    CUresult code = cpu_ready();

    return code ? code : CUDA_ERROR_NOT_SUPPORTED;
}

/* Target of the aliases for functions that a program may call before cuInit.
 * Unlike cpu_unsupported, it never returns NOT_INITIALIZED. */
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
