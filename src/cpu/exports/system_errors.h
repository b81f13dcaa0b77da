/* system_errors.h - texts of system calls that failed, for cuGetErrorString.
 *
 * SPDX-License-Identifier: MIT */
#ifndef CPU_EXPORTS_SYSTEM_ERRORS_H
#define CPU_EXPORTS_SYSTEM_ERRORS_H

#include "cpu/cpu.h"

/* Keeps the text of a failed system call for this thread: "the system refused
 * PURPOSE: ...", with advice about `error`, an errno.  The format and its
 * arguments make PURPOSE, which names the file or the size.  Returns
 * CUDA_ERROR_OPERATING_SYSTEM. */
CUresult cpu_system_error_set(int error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* This thread's last such text; for a thread without one, the last of any
 * thread; or NULL. */
const char *cpu_system_error_text(void);

/* Keeps the text "out of memory: the system refused BYTES bytes for PURPOSE:
 * ..." for whichever thread gets the error, since blocks of a launch run on
 * other threads than its caller's.  Returns CUDA_ERROR_OUT_OF_MEMORY. */
CUresult cpu_memory_error_set(int error, size_t bytes, const char *purpose);
/* The process's last such text, for the first thread that asks for it; or
 * NULL. */
const char *cpu_memory_error_text(void);

#endif
