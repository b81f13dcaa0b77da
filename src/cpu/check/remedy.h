/* remedy.h - proposes a change of the program for each report of a check.
 *
 * SPDX-License-Identifier: MIT */
#ifndef CPU_CHECK_REMEDY_H
#define CPU_CHECK_REMEDY_H

#include <stddef.h>

struct cpu_check_finding;

/* Writes a clause that proposes a change of the kernel which would correct the
 * reported error; "" if none is likely. Takes no lock. */
void cpu_check_remedy(const struct cpu_check_finding *finding, char *text,
                      size_t size);

#endif
