/* system_errors.h - texts of failed system calls, for cuGetErrorString.
 *
 * SPDX-License-Identifier: MIT */
#ifndef CPU_EXPORTS_SYSTEM_ERRORS_H
#define CPU_EXPORTS_SYSTEM_ERRORS_H

#include "cpu/cpu.h"

/* Stores a text about a failed system call for this thread: "the system
 * refused PURPOSE: ...", with advice for `error`, an errno value. The format
 * and its arguments make PURPOSE, which names the file or the size. Returns
 * CUDA_ERROR_OPERATING_SYSTEM. */
CUresult cpu_system_error_set(int error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Returns this thread's last text, or the last one of any thread if it has
 * none, or NULL. */
const char *cpu_system_error_text(void);

/* Stores the text "out of memory: the system refused BYTES bytes for PURPOSE:
 * ..." for the first thread that asks, since blocks of a launch run on other
 * threads than the caller's. Returns CUDA_ERROR_OUT_OF_MEMORY. */
CUresult cpu_memory_error_set(int error, size_t bytes, const char *purpose);
/* Returns the process's last such text once, then NULL. */
const char *cpu_memory_error_text(void);

#endif
