/* remedy.h - what a program may change after a report of a check.
 *
 * SPDX-License-Identifier: MIT */
#ifndef CPU_CHECK_REMEDY_H
#define CPU_CHECK_REMEDY_H

#include <stddef.h>

struct cpu_check_finding;

/* Writes a clause that proposes a change of the kernel; "" if there is no
 * likely one. Takes no lock. */
void cpu_check_remedy(const struct cpu_check_finding *finding, char *text,
                      size_t size);

#endif
