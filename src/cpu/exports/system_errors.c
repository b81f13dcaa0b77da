/* system_errors.c - texts of failed system calls, for cuGetErrorString.
 *
 * Called when a system call fails. cuGetErrorString (errors.c) returns the
 * latest text of the calling thread. A thread without such a text gets the
 * latest text of any thread, since a synchronization can return the error of
 * another thread. The texts are in a ring buffer of TEXTS entries, so each is
 * valid until TEXTS further calls have failed. A thread stores only a pointer
 * to its text, since thread-local memory is scarce.
 *
 * SPDX-License-Identifier: MIT */
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "cpu/exports/system_errors.h"

#define TEXT_BYTES 512
#define TEXTS      16

static char texts[TEXTS][TEXT_BYTES];
/* index of the next entry of `texts` to write, modulo TEXTS */
static unsigned next;
/* latest text about a failed system call, of any thread; or NULL */
static const char *latest;
/* latest text of any thread about failed allocations; NULL after it was
 * queried */
static const char *latest_memory;
/* latest error message of a failed NCCL operation, of any thread */
static const char *latest_external;
/* latest text about a wrong environment variable; NULL after it was queried */
static const char *latest_setting;
/* Guards `texts`, `next` and the variables named `latest...` above. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* the latest text about a failed system call in this thread */
static _Thread_local const char *thread_text;

/* Advice for errno values, which is appended to the text of strerror. */
static const struct {
    int error;
    const char *advice;
} rows[] = {
    {EMFILE, "close files, or raise the process's limit (ulimit -n)"},
    {ENFILE, "the whole system has too many open files (sysctl fs.file-max)"},
    {EAGAIN, "a limit is reached: of processes and threads (ulimit -u, the "
             "cgroup's pids.max) or of locked memory (ulimit -l)"},
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

/* Writes a text into the next entry of `texts`: `before`, `purpose`, the
 * system's text for the errno value `error`, and advice. Returns the entry.
 * The caller holds the lock. */
static const char *
text_write(const char *before, const char *purpose, int error)
{
    const char *advice = advice_find(error);
    char *text = texts[next++ % TEXTS];

    snprintf(text, TEXT_BYTES, "%s %s: %s%s%s", before, purpose,
             strerror(error), advice ? "; " : "", advice ? advice : "");
    return text;
}

CUresult
cpu_system_error_set(int error, const char *format, ...)
{
    char purpose[TEXT_BYTES / 2];
    va_list values;

    va_start(values, format);
    vsnprintf(purpose, sizeof purpose, format, values);
    va_end(values);
    pthread_mutex_lock(&lock);
    latest = thread_text = text_write("the system refused", purpose, error);
    pthread_mutex_unlock(&lock);
    return CUDA_ERROR_OPERATING_SYSTEM;
}

const char *
cpu_system_error_text(void)
{
    pthread_mutex_lock(&lock);
    const char *text = thread_text ? thread_text : latest;
    pthread_mutex_unlock(&lock);
    return text;
}

CUresult
cpu_memory_error_set(int error, size_t bytes, const char *purpose)
{
    char text[TEXT_BYTES / 2];

    snprintf(text, sizeof text, "%zu bytes for %s", bytes, purpose);
    pthread_mutex_lock(&lock);
    latest_memory =
        text_write("out of memory: the system refused", text, error);
    pthread_mutex_unlock(&lock);
    return CUDA_ERROR_OUT_OF_MEMORY;
}

const char *
cpu_memory_error_text(void)
{
    pthread_mutex_lock(&lock);
    const char *text = latest_memory;
    latest_memory = NULL;
    pthread_mutex_unlock(&lock);
    return text;
}

CUresult
cpu_external_error_set(const char *text)
{
    /* The copy of the text is never freed: the program may still have a
     * pointer to it. */
    const char *copy = strdup(text);

    pthread_mutex_lock(&lock);
    latest_external = copy ? copy : latest_external;
    pthread_mutex_unlock(&lock);
    return CUDA_ERROR_EXTERNAL_DEVICE;
}

const char *
cpu_external_error_text(void)
{
    pthread_mutex_lock(&lock);
    const char *text = latest_external;
    pthread_mutex_unlock(&lock);
    return text;
}

CUresult
cpu_setting_error_set(const char *format, ...)
{
    va_list values;

    pthread_mutex_lock(&lock);
    char *text = texts[next++ % TEXTS];
    va_start(values, format);
    vsnprintf(text, TEXT_BYTES, format, values);
    va_end(values);
    latest_setting = text;
    pthread_mutex_unlock(&lock);
    return CUDA_ERROR_INVALID_VALUE;
}

const char *
cpu_setting_error_text(void)
{
    pthread_mutex_lock(&lock);
    const char *text = latest_setting;
    latest_setting = NULL;
    pthread_mutex_unlock(&lock);
    return text;
}
