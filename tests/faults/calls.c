/* calls.c - functions that come before those of the C library.
 *
 * Each asks sites.c whether this call fails, and else calls the C library's.
 *
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "interpose.h"

#define WHERE __builtin_return_address(0)

/* ---- the heap ---- */

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *block, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);
void __libc_free(void *block);

void *
malloc(size_t bytes)
{
    if (fault_due(CALL_MALLOC, WHERE)) {
        return NULL;
    }
    void *block = __libc_malloc(bytes);
    block_add(block, WHERE);
    return block;
}

void *
calloc(size_t count, size_t bytes)
{
    if (fault_due(CALL_CALLOC, WHERE)) {
        return NULL;
    }
    void *block = __libc_calloc(count, bytes);
    block_add(block, WHERE);
    return block;
}

void *
realloc(void *old, size_t bytes)
{
    if (fault_due(CALL_REALLOC, WHERE)) {
        return NULL;
    }
    block_remove(old);
    void *block = __libc_realloc(old, bytes);
    block_add(block ? block : old, WHERE);
    return block;
}

void *
aligned_alloc(size_t alignment, size_t bytes)
{
    if (fault_due(CALL_ALIGNED, WHERE)) {
        return NULL;
    }
    void *block = __libc_memalign(alignment, bytes);
    block_add(block, WHERE);
    return block;
}

int
posix_memalign(void **block, size_t alignment, size_t bytes)
{
    if (fault_due(CALL_ALIGNED, WHERE)) {
        return errno;
    }
    void *made = __libc_memalign(alignment, bytes);
    if (made == NULL) {
        return ENOMEM;
    }
    block_add(made, WHERE);
    *block = made;
    return 0;
}

void
free(void *block)
{
    block_remove(block);
    __libc_free(block);
}

char *
strdup(const char *text)
{
    if (fault_due(CALL_STRDUP, WHERE)) {
        return NULL;
    }
    size_t bytes = strlen(text) + 1;
    char *copy = __libc_malloc(bytes);
    block_add(copy, WHERE);
    return copy ? memcpy(copy, text, bytes) : NULL;
}

char *
strndup(const char *text, size_t most)
{
    if (fault_due(CALL_STRDUP, WHERE)) {
        return NULL;
    }
    size_t bytes = strnlen(text, most);
    char *copy = __libc_malloc(bytes + 1);
    block_add(copy, WHERE);
    if (copy) {
        memcpy(copy, text, bytes);
        copy[bytes] = 0;
    }
    return copy;
}

int
vasprintf(char **text, const char *format, va_list values)
{
    va_list repeated;

    if (fault_due(CALL_STRDUP, WHERE)) {
        *text = NULL;
        return -1;
    }
    va_copy(repeated, values);
    int length = vsnprintf(NULL, 0, format, repeated);
    va_end(repeated);
    *text = __libc_malloc((size_t)length + 1);
    block_add(*text, WHERE);
    return *text ? vsnprintf(*text, (size_t)length + 1, format, values) : -1;
}

/* ---- functions of the next library ---- */

/* The C library's function.  It is looked up when this library is loaded: a
 * later dlsym() would destroy what dlerror() has for the program. */
#define NEXT(name)                                                            \
    static __typeof__(&name) next_##name;                                     \
    static void __attribute__((constructor)) find_##name(void)                \
    {                                                                         \
        next_##name = (__typeof__(&name))dlsym(RTLD_NEXT, #name);             \
    }

/* A function that fails by returning `failure`. */
#define FAILING(call, type, failure, name, parameters, arguments)             \
    NEXT(name)                                                                \
    type name parameters                                                      \
    {                                                                         \
        if (fault_due(call, WHERE)) {                                         \
            return failure;                                                   \
        }                                                                     \
        return next_##name arguments;                                         \
    }

/* Likewise, and may transfer one byte instead. */
#define TRANSFER(call, name, parameters, arguments, shortened)                \
    NEXT(name)                                                                \
    ssize_t name parameters                                                   \
    {                                                                         \
        if (fault_due(call, WHERE)) {                                         \
            if (!fault_is_short()) {                                          \
                return -1;                                                    \
            }                                                                 \
            return next_##name shortened;                                     \
        }                                                                     \
        return next_##name arguments;                                         \
    }

FAILING(CALL_MMAP, void *, MAP_FAILED, mmap64,
        (void *at, size_t bytes, int access, int flags, int fd, off64_t from),
        (at, bytes, access, flags, fd, from))
FAILING(CALL_MUNMAP, int, -1, munmap, (void *at, size_t bytes), (at, bytes))
FAILING(CALL_MPROTECT, int, -1, mprotect, (void *at, size_t bytes, int access),
        (at, bytes, access))
FAILING(CALL_MADVISE, int, -1, madvise, (void *at, size_t bytes, int advice),
        (at, bytes, advice))
FAILING(CALL_MINCORE, int, -1, mincore,
        (void *at, size_t bytes, unsigned char *there), (at, bytes, there))
FAILING(CALL_MEMFD, int, -1, memfd_create, (const char *name, unsigned flags),
        (name, flags))
FAILING(CALL_PIPE, int, -1, pipe2, (int ends[2], int flags), (ends, flags))
FAILING(CALL_SOCKETPAIR, int, -1, socketpair,
        (int domain, int type, int protocol, int ends[2]),
        (domain, type, protocol, ends))
FAILING(CALL_FOPEN, FILE *, NULL, fopen64,
        (const char *path, const char *mode), (path, mode))
FAILING(CALL_FDOPEN, FILE *, NULL, fdopen, (int fd, const char *mode),
        (fd, mode))
FAILING(CALL_MEMSTREAM, FILE *, NULL, open_memstream,
        (char **text, size_t *bytes), (text, bytes))
FAILING(CALL_OPENDIR, DIR *, NULL, opendir, (const char *path), (path))
FAILING(CALL_SCANDIR, int, -1, scandir64,
        (const char *path, struct dirent64 ***list,
         int (*filter)(const struct dirent64 *),
         int (*compare)(const struct dirent64 **, const struct dirent64 **)),
        (path, list, filter, compare))
FAILING(CALL_SCANDIR, int, -1, scandirat64,
        (int fd, const char *path, struct dirent64 ***list,
         int (*filter)(const struct dirent64 *),
         int (*compare)(const struct dirent64 **, const struct dirent64 **)),
        (fd, path, list, filter, compare))
FAILING(CALL_FSTAT, int, -1, fstat64, (int fd, struct stat64 *status),
        (fd, status))
FAILING(CALL_STAT, int, -1, stat64, (const char *path, struct stat64 *status),
        (path, status))
FAILING(CALL_FSTATAT, int, -1, fstatat64,
        (int fd, const char *path, struct stat64 *status, int flags),
        (fd, path, status, flags))
FAILING(CALL_FTRUNCATE, int, -1, ftruncate64, (int fd, off64_t bytes),
        (fd, bytes))
FAILING(CALL_FSYNC, int, -1, fsync, (int fd), (fd))
FAILING(CALL_RENAME, int, -1, rename, (const char *from, const char *to),
        (from, to))
FAILING(CALL_UNLINK, int, -1, unlink, (const char *path), (path))
FAILING(CALL_UNLINK, int, -1, unlinkat, (int fd, const char *path, int flags),
        (fd, path, flags))
FAILING(CALL_UNLINK, int, -1, rmdir, (const char *path), (path))
FAILING(CALL_MKDIR, int, -1, mkdir, (const char *path, mode_t mode),
        (path, mode))
FAILING(CALL_MKDTEMP, char *, NULL, mkdtemp, (char *path), (path))
FAILING(CALL_REALPATH, char *, NULL, realpath,
        (const char *path, char *resolved), (path, resolved))
FAILING(CALL_UTIMENS, int, -1, futimens,
        (int fd, const struct timespec times[2]), (fd, times))
FAILING(CALL_ACCESS, int, -1, access, (const char *path, int mode),
        (path, mode))
FAILING(CALL_SPAWN, int, errno, posix_spawn,
        (pid_t * pid, const char *path,
         const posix_spawn_file_actions_t *actions,
         const posix_spawnattr_t *attributes, char *const argv[],
         char *const environment[]),
        (pid, path, actions, attributes, argv, environment))
FAILING(CALL_WAITPID, pid_t, -1, waitpid, (pid_t pid, int *status, int flags),
        (pid, status, flags))
FAILING(CALL_POLL, int, -1, poll,
        (struct pollfd * ends, nfds_t count, int milliseconds),
        (ends, count, milliseconds))
FAILING(CALL_THREAD, int, errno, pthread_create,
        (pthread_t * thread, const pthread_attr_t *attributes,
         void *(*body)(void *), void *argument),
        (thread, attributes, body, argument))
FAILING(CALL_KEY, int, errno, pthread_key_create,
        (pthread_key_t * key, void (*end)(void *)), (key, end))
FAILING(CALL_SIGALTSTACK, int, -1, sigaltstack,
        (const stack_t *stack, stack_t *old), (stack, old))
FAILING(CALL_AFFINITY, int, -1, sched_getaffinity,
        (pid_t pid, size_t bytes, cpu_set_t *set), (pid, bytes, set))
FAILING(CALL_SYSCONF, long, -1, sysconf, (int name), (name))
FAILING(CALL_RLIMIT, int, -1, getrlimit64,
        (__rlimit_resource_t name, struct rlimit64 *limit), (name, limit))
FAILING(CALL_PROCESS_READ, ssize_t, -1, process_vm_readv,
        (pid_t pid, const struct iovec *to, unsigned long to_count,
         const struct iovec *from, unsigned long from_count,
         unsigned long flags),
        (pid, to, to_count, from, from_count, flags))

TRANSFER(CALL_READ, read, (int fd, void *to, size_t bytes), (fd, to, bytes),
         (fd, to, bytes > 0))
TRANSFER(CALL_WRITE, write, (int fd, const void *from, size_t bytes),
         (fd, from, bytes), (fd, from, bytes > 0))
TRANSFER(CALL_SEND, send, (int fd, const void *from, size_t bytes, int flags),
         (fd, from, bytes, flags), (fd, from, bytes > 0, flags))

#define STREAM(call, name, pointer)                                           \
    NEXT(name)                                                                \
    size_t name(pointer bytes, size_t size, size_t count, FILE *stream)       \
    {                                                                         \
        if (fault_due(call, WHERE)) {                                         \
            return count ? next_##name(bytes, size, count / 2, stream) : 0;   \
        }                                                                     \
        return next_##name(bytes, size, count, stream);                       \
    }
STREAM(CALL_FREAD, fread, void *)
STREAM(CALL_FWRITE, fwrite, const void *)

NEXT(close)

/* The descriptor is gone whatever close() says. */
int
close(int fd)
{
    bool due = fault_due(CALL_CLOSE, WHERE);
    int error = errno;
    int code = next_close(fd);

    if (due) {
        errno = error;
        return -1;
    }
    return code;
}

NEXT(open64)

int
open64(const char *path, int flags, ...)
{
    va_list more;

    va_start(more, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;
    va_end(more);
    return fault_due(CALL_OPEN, WHERE) ? -1 : next_open64(path, flags, mode);
}

NEXT(openat64)

int
openat64(int fd, const char *path, int flags, ...)
{
    va_list more;

    va_start(more, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;
    va_end(more);
    return fault_due(CALL_OPENAT, WHERE)
               ? -1
               : next_openat64(fd, path, flags, mode);
}

NEXT(fcntl64)

int
fcntl64(int fd, int command, ...)
{
    va_list more;

    va_start(more, command);
    void *value = va_arg(more, void *);
    va_end(more);
    return fault_due(CALL_FCNTL, WHERE) ? -1
                                        : next_fcntl64(fd, command, value);
}

/* The C library looks at who calls it for a path without a slash only. */
NEXT(dlopen)

void *
dlopen(const char *path, int flags)
{
    if (fault_due(CALL_DLOPEN, WHERE)) {
        return next_dlopen("/no/such/library.so", flags); /* sets dlerror() */
    }
    return next_dlopen(path, flags);
}

/* ---- Python's allocators ---- */

/* PyMemAllocatorEx of CPython 3.8 and later. */
struct python_allocator {
    void *context;
    void *(*malloc)(void *, size_t);
    void *(*calloc)(void *, size_t, size_t);
    void *(*realloc)(void *, void *, size_t);
    void (*free)(void *, void *);
};

static struct python_allocator old[3];

#define DEPTH 14 /* frames between an allocator and our code */

/* Is this allocation one of our code's, and due?  The first return address
 * in one of our libraries is the site. */
static bool
python_due(void)
{
    void *frames[DEPTH];
    int count = backtrace(frames, DEPTH);

    for (int i = 2; i < count; i++) {
        if (fault_is_ours(frames[i])) {
            return fault_due(CALL_PYTHON, frames[i]);
        }
    }
    return false;
}

static void *
python_malloc(void *context, size_t bytes)
{
    struct python_allocator *a = context;

    return python_due() ? NULL : a->malloc(a->context, bytes);
}

static void *
python_calloc(void *context, size_t count, size_t bytes)
{
    struct python_allocator *a = context;

    return python_due() ? NULL : a->calloc(a->context, count, bytes);
}

static void *
python_realloc(void *context, void *block, size_t bytes)
{
    struct python_allocator *a = context;

    return python_due() ? NULL : a->realloc(a->context, block, bytes);
}

static void
python_free(void *context, void *block)
{
    struct python_allocator *a = context;

    a->free(a->context, block);
}

/* Hooks the interpreter's allocators: `first` to 2 of raw, memory, object. */
int
fault_hook_python(int first)
{
    void (*get)(int, struct python_allocator *) =
        (void (*)(int, struct python_allocator *))dlsym(RTLD_DEFAULT,
                                                        "PyMem_GetAllocator");
    void (*set)(int, struct python_allocator *) =
        (void (*)(int, struct python_allocator *))dlsym(RTLD_DEFAULT,
                                                        "PyMem_SetAllocator");
    void *frame;

    if (get == NULL || set == NULL) {
        return -1;
    }
    backtrace(&frame, 1); /* loads what it needs */
    for (int domain = first; domain < 3; domain++) {
        get(domain, &old[domain]);
        struct python_allocator hooked = {&old[domain], python_malloc,
                                          python_calloc, python_realloc,
                                          python_free};
        set(domain, &hooked);
    }
    return 0;
}
