/* child_table.h - the streams and events of the kernels of one launch.
 *
 * The scheduler lock guards all tables; callers of these functions hold it.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_STREAM_CHILD_TABLE_H
#define PYCUDA_CPU_STREAM_CHILD_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "cpu/stream/child_state.h"

/* Creates an empty table, or returns NULL if there is not enough memory. */
struct cpu_children *cpu_child_table_new(void);
/* Frees the table with its streams and events. */
void cpu_child_table_free(struct cpu_children *table);
/* Returns the stream or event with this kind and key, or NULL. The key may be
 * any number that a kernel passes as a handle. */
struct cpu_child_object *cpu_child_table_find(const struct cpu_children *table,
                                              enum cpu_child_kind kind,
                                              uint64_t key);
/* Creates a stream or an event, which the table owns. `block` is the key of a
 * default stream, and ignored for other kinds. Returns NULL if there is not
 * enough memory. */
struct cpu_child_object *cpu_child_table_add(struct cpu_children *table,
                                             enum cpu_child_kind kind,
                                             uint64_t block);
/* Removes a stream or an event of the table, and frees it. */
void cpu_child_table_remove(struct cpu_children *table,
                            struct cpu_child_object *object);

#endif
