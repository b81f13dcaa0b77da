/* error_rows.h - the table of the driver's error codes.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_EXPORTS_ERROR_ROWS_H
#define PYCUDA_CPU_EXPORTS_ERROR_ROWS_H

#include "api/cuda_types.h"

/* An error code of CUDA with its name and description. */
struct cpu_error_row {
    CUresult code;
    const char *name;
    const char *text;
};

/* Returns the table row of an error code, or NULL if the code is unknown. */
const struct cpu_error_row *cpu_error_row(CUresult code);

#endif
