/* kernel_memory.c - the functions of <string.h> as compiled kernels call them.
 *
 * To end a launch early, watchdog.c sends a signal, whose handler leaves a
 * kernel only while compiled code runs. A memcpy of the C library that copies
 * hundreds of megabytes would delay the end of the launch. So the functions of
 * this file split large calls into chunks.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "cpu/run/cancellation.h"
#include "cpu/run/fiber.h"
#include "cpu/run/kernel_memory.h"
#include "cpu/stream/worker.h"

#define CHUNK CPU_CANCELLATION_BYTES

/* Returns the size of the next chunk of `rest` bytes. Leaves the kernel if its
 * launch has been abandoned. */
CPU_ON_FIBER static size_t
chunk_next(size_t rest)
{
    cpu_fibers_leave_abandoned(cpu_worker_tls);
    return rest < CHUNK ? rest : CHUNK;
}

CPU_ON_FIBER static __attribute__((noinline)) void *
copy_chunks(void *to, const void *from, size_t bytes)
{
    bool backward = (uintptr_t)to - (uintptr_t)from < bytes;

    for (size_t done = 0, n; done < bytes; done += n) {
        n = chunk_next(bytes - done);
        size_t at = backward ? bytes - done - n : done;
        memmove((char *)to + at, (const char *)from + at, n);
    }
    return to;
}

CPU_ON_FIBER static __attribute__((noinline)) void *
fill_chunks(void *to, int byte, size_t bytes)
{
    for (size_t done = 0, n; done < bytes; done += n) {
        n = chunk_next(bytes - done);
        memset((char *)to + done, byte, n);
    }
    return to;
}

CPU_ON_FIBER static __attribute__((noinline)) int
compare_chunks(const char *a, const char *b, size_t bytes)
{
    int difference = 0;

    for (size_t done = 0, n; done < bytes && !difference; done += n) {
        n = chunk_next(bytes - done);
        difference = memcmp(a + done, b + done, n);
    }
    return difference;
}

CPU_ON_FIBER void *
cpu_kernel_memcpy(void *to, const void *from, size_t bytes)
{
    return bytes > CHUNK ? copy_chunks(to, from, bytes)
                         : memcpy(to, from, bytes);
}

CPU_ON_FIBER void *
cpu_kernel_memmove(void *to, const void *from, size_t bytes)
{
    return bytes > CHUNK ? copy_chunks(to, from, bytes)
                         : memmove(to, from, bytes);
}

CPU_ON_FIBER void *
cpu_kernel_memset(void *to, int byte, size_t bytes)
{
    return bytes > CHUNK ? fill_chunks(to, byte, bytes)
                         : memset(to, byte, bytes);
}

CPU_ON_FIBER int
cpu_kernel_memcmp(const void *a, const void *b, size_t bytes)
{
    return bytes > CHUNK ? compare_chunks(a, b, bytes) : memcmp(a, b, bytes);
}

CPU_ON_FIBER size_t
cpu_kernel_strlen(const char *text)
{
    size_t length = strnlen(text, CHUNK), more = length;

    while (more == CHUNK) {
        cpu_fibers_leave_abandoned(cpu_worker_tls);
        more = strnlen(text + length, CHUNK);
        length += more;
    }
    return length;
}
