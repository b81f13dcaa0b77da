/* refusal.c - texts of failed system calls for CUDA_ERROR_OPERATING_SYSTEM.
 *
 * Called where a system call fails; errors.c gives the text to the thread
 * that got the error.  Each thread has its own text.  A thread that gets the
 * error of another one's call, as at a synchronization, gets the last text of
 * the process, which has a lock.
 *
 * SPDX-License-Identifier: MIT */
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cpu/cpu.h"

#define TEXT_BYTES 512

static _Thread_local char refusal[TEXT_BYTES];
static char latest[TEXT_BYTES]; /* of any thread; under latest_lock */
static pthread_mutex_t latest_lock = PTHREAD_MUTEX_INITIALIZER;

static const struct {
    int error;
    const char *advice;
} rows[] = {
    {EMFILE, "close files, or raise the process's limit (ulimit -n)"},
    {ENFILE, "the whole system has too many open files (sysctl fs.file-max)"},
    {EAGAIN, "the limit of processes and threads is reached (ulimit -u, the "
             "cgroup's pids.max)"},
    {ENOMEM, "free memory, or raise the limit (ulimit -v, the cgroup's "
             "memory.max, sysctl vm.max_map_count)"},
    {ENOSPC, "make room on the file system, or name another one"},
    {EDQUOT, "make room, or raise the user's quota"},
    {EFBIG, "raise the limit of a file's size (ulimit -f)"},
    {EROFS, "the file system is read-only: name another folder"},
    {ENOENT, "make the folder, or name another one"},
    {EISDIR, "name a file, not a folder"},
    {ENOTDIR, "a part of the path is a file: name another folder"},
    {EACCES, "the user lacks the permission: change it, or name another file"},
    {EPERM, "the user lacks the permission, or the container forbids it"},
    {EIO, "the storage failed: see the system's log (dmesg)"},
};

static const char *
advice_find(int error)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].error == error) {
            return rows[i].advice;
        }
    }
    return NULL;
}

CUresult
cpu_os_refuse(int error, const char *format, ...)
{
    const char *advice = advice_find(error);
    char purpose[TEXT_BYTES / 2];
    va_list values;

    va_start(values, format);
    vsnprintf(purpose, sizeof purpose, format, values);
    va_end(values);
    snprintf(refusal, sizeof refusal, "the system refused %s: %s%s%s", purpose,
             strerror(error), advice ? "; " : "", advice ? advice : "");
    pthread_mutex_lock(&latest_lock);
    memcpy(latest, refusal, sizeof latest);
    pthread_mutex_unlock(&latest_lock);
    return CUDA_ERROR_OPERATING_SYSTEM;
}

const char *
cpu_os_refusal(void)
{
    if (!refusal[0]) {
        pthread_mutex_lock(&latest_lock);
        memcpy(refusal, latest, sizeof refusal);
        pthread_mutex_unlock(&latest_lock);
    }
    return refusal[0] ? refusal : NULL;
}
