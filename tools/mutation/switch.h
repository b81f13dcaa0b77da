/* switch.h - asks whether a function is switched off, and notes its call.
 *
 * Every C file of tools/mutate.py's copy includes it first.  MUTATION_PAGE,
 * or what PYCUDA_MUTATION_PAGE says, is a file that all processes map: the number of the function that
 * is off, then a byte a function, set when it is called.
 *
 * SPDX-License-Identifier: MIT */
#ifndef MUTATION_SWITCH_H
#define MUTATION_SWITCH_H

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define MUTATION_BYTES 65536

/* One of each in a library or program, however many files have them. */
__attribute__((weak, visibility("hidden"))) unsigned char *mutation_page;

__attribute__((weak, visibility("hidden"), constructor(101))) void
mutation_open(void)
{
    if (mutation_page) {
        return;
    }
    const char *path = getenv("PYCUDA_MUTATION_PAGE");
    int file = open(path ? path : MUTATION_PAGE, O_RDWR | O_CLOEXEC);
    void *page = mmap(NULL, MUTATION_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
                      file, 0);
    close(file);
    if (page != MAP_FAILED) {
        mutation_page = page;
    }
}

static inline int
mutation_off(unsigned number)
{
    if (!mutation_page) {
        return 0;
    }
    /* Written once only: threads share the line. */
    if (!mutation_page[4 + number]) {
        mutation_page[4 + number] = 1;
    }
    return *(volatile unsigned *)(void *)mutation_page == number;
}

#endif
