/* error_rows.c - the table of the driver's error codes.
 *
 * The table is constant.
 *
 * SPDX-License-Identifier: MIT */
#include <stddef.h>

#include "cpu/exports/error_rows.h"

#define ERROR_ROW(name, value, text) {name, #name, text},

static const struct cpu_error_row error_rows[] = {CUDA_RESULT_ROWS(ERROR_ROW)};

const struct cpu_error_row *
cpu_error_row(CUresult code)
{
    for (size_t i = 0; i < sizeof error_rows / sizeof *error_rows; i++) {
        if (error_rows[i].code == code) {
            return &error_rows[i];
        }
    }
    return NULL;
}
