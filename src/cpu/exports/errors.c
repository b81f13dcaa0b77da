/* errors.c - names and texts of the driver's error codes.
 *
 * Called by users of the library and by the loader in src/api. Works before
 * cuInit.
 *
 * SPDX-License-Identifier: MIT */
#include <stdatomic.h>
#include <stddef.h>

#include "cpu/check/hooks.h"
#include "cpu/device/state.h"
#include "cpu/exports/error_rows.h"
#include "cpu/exports/system_errors.h"
#include "cpu/exports/visibility.h"
#include "cpu/memory/budget.h"

/* Stores the text of an error code in *text. If more is known about the latest
 * error with this code, the text describes it: an exceeded memory budget, a
 * failed system call, an invalid environment variable, a report of
 * PYCUDA_CPU_CHECK, or a forked process. */
CPU_API CUresult
cuGetErrorString(CUresult code, const char **text)
{
    const struct cpu_error_row *row = cpu_error_row(code);

    if (!text) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *text = row ? row->text : NULL;
    if (code == CUDA_ERROR_OUT_OF_MEMORY) {
        const char *refusal = cpu_budget_refusal();
        refusal = refusal ? refusal : cpu_memory_error_text();
        *text = refusal ? refusal : *text;
    }
    if (code == CUDA_ERROR_INVALID_VALUE) {
        const char *setting = cpu_setting_error_text();
        *text = setting ? setting : *text;
    }
    if (code == CUDA_ERROR_OPERATING_SYSTEM && cpu_system_error_text()) {
        *text = cpu_system_error_text();
    }
    if (code == CUDA_ERROR_EXTERNAL_DEVICE && cpu_external_error_text()) {
        *text = cpu_external_error_text();
    }
    if (cpu_check_flags && cpu_check_last_report(code)) {
        *text = cpu_check_last_report(code);
    }
    if (code == CUDA_ERROR_NOT_INITIALIZED && atomic_load(&cpu_state.forked)) {
        *text = "initialization error (this process is a fork() of one that "
                "had called cuInit: start it with spawn or exec instead)";
    }
    return row ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CPU_API CUresult
cuGetErrorName(CUresult code, const char **name)
{
    const struct cpu_error_row *row = cpu_error_row(code);

    if (!name) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *name = row ? row->name : NULL;
    return row ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
