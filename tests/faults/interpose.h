/* interpose.h - system calls and allocations that the package makes.
 *
 * A call site is a return address within one of the package's libraries, as
 * an offset from where the library is mapped.  sites.c keeps the sites;
 * calls.c has the functions that stand before the C library's.
 *
 * SPDX-License-Identifier: MIT */
#ifndef INTERPOSE_H
#define INTERPOSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Functions that can fail, in the order of fault_names. */
enum call {
    CALL_MALLOC,
    CALL_CALLOC,
    CALL_REALLOC,
    CALL_ALIGNED,
    CALL_STRDUP,
    CALL_PYTHON, /* any allocation of the interpreter for our code */
    CALL_MMAP,
    CALL_MUNMAP,
    CALL_MPROTECT,
    CALL_MADVISE,
    CALL_MINCORE,
    CALL_MEMFD,
    CALL_PIPE,
    CALL_SOCKETPAIR,
    CALL_OPEN,
    CALL_OPENAT,
    CALL_FOPEN,
    CALL_FDOPEN,
    CALL_MEMSTREAM,
    CALL_OPENDIR,
    CALL_SCANDIR,
    CALL_FSTAT,
    CALL_STAT,
    CALL_FSTATAT,
    CALL_FTRUNCATE,
    CALL_FCNTL,
    CALL_READ,
    CALL_FREAD,
    CALL_WRITE,
    CALL_FWRITE,
    CALL_SEND,
    CALL_FSYNC,
    CALL_RENAME,
    CALL_UNLINK,
    CALL_MKDIR,
    CALL_MKDTEMP,
    CALL_REALPATH,
    CALL_UTIMENS,
    CALL_ACCESS,
    CALL_CLOSE,
    CALL_SPAWN,
    CALL_WAITPID,
    CALL_POLL,
    CALL_THREAD,
    CALL_KEY,
    CALL_SIGALTSTACK,
    CALL_AFFINITY,
    CALL_SYSCONF,
    CALL_RLIMIT,
    CALL_DLOPEN,
    CALL_PROCESS_READ,
    CALL_COUNT
};

/* Counts a call from `where`; true, with errno set, if it is to fail.  Any
 * thread; takes no lock and allocates nothing. */
bool fault_due(enum call call, void *where);

/* Is `where` in one of the package's libraries? */
bool fault_is_ours(void *where);

/* How much a read or write that is due may do instead of failing: the fault
 * with error 0 is a short transfer. */
bool fault_is_short(void);

/* Remembers that a block was allocated at `where`, if that is our code, or
 * that a block is gone.  NULL is ignored. */
void block_add(void *block, void *where);
void block_remove(void *block);

#endif
