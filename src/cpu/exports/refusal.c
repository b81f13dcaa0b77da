/* refusal.c - what the system refused, for CUDA_ERROR_OPERATING_SYSTEM.
 *
 * Called where a system call fails; errors.c gives the text to the thread
 * that got the error.  Each thread has its own text; no lock.
 *
 * SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cpu/cpu.h"

static _Thread_local char refusal[320];

static const struct {
    int error;
    const char *advice;
} rows[] = {
    {EMFILE, "close files, or raise the process's limit (ulimit -n)"},
    {ENFILE, "the whole system has too many open files (sysctl fs.file-max)"},
    {EAGAIN, "the limit of processes and threads is reached (ulimit -u, the "
             "cgroup's pids.max)"},
    {ENOMEM, "free memory, or raise the limit (ulimit -v, the cgroup's "
             "memory.max)"},
    {ENOSPC, "the file system is full"},
    {EACCES, "the user may not do that"},
    {EPERM, "the user may not do that, or the container forbids it"},
};

CUresult
cpu_os_refuse(const char *purpose, int error)
{
    const char *advice = NULL;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].error == error) {
            advice = rows[i].advice;
        }
    }
    snprintf(refusal, sizeof refusal, "the system refused %s: %s%s%s", purpose,
             strerror(error), advice ? "; " : "", advice ? advice : "");
    return CUDA_ERROR_OPERATING_SYSTEM;
}

const char *
cpu_os_refusal(void)
{
    return refusal[0] ? refusal : NULL;
}
