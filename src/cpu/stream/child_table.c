/* child_table.c - the streams and events of the kernels of one launch, as a
 * hash table.
 *
 * Called by child_ops.c. Kernels pass handles of streams and events, which may
 * be wrong, so a handle is looked up before it is used as an address. The
 * table grows with the number of objects. Removed objects are kept for reuse,
 * since each launch by a block whose default stream is idle adds a stream.
 *
 * The scheduler lock guards everything here.
 *
 * SPDX-License-Identifier: MIT */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "cpu/stream/child_state.h"
#include "cpu/stream/child_table.h"

/* The table grows if its buckets have more than this number of objects on
 * average. */
enum { BUCKET_OBJECTS = 2 };

/* Returns the index of a key's bucket. Keys are addresses or small numbers. */
static size_t
bucket_index(uint64_t key, size_t bucket_count)
{
    return (size_t)(key * 0x9e3779b97f4a7c15u >> 32) & (bucket_count - 1);
}

struct cpu_children *
cpu_child_table_new(void)
{
    struct cpu_children *table = calloc(1, sizeof *table);

    if (table) {
        table->buckets = table->initial;
        table->bucket_count = CPU_CHILD_BUCKETS;
    }
    return table;
}

static void
list_free(struct cpu_child_object *object)
{
    while (object) {
        struct cpu_child_object *next = object->next;

        free(object);
        object = next;
    }
}

void
cpu_child_table_free(struct cpu_children *table)
{
    for (size_t i = 0; table->object_count && i < table->bucket_count; i++) {
        list_free(table->buckets[i]);
    }
    list_free(table->spares);
    if (table->buckets != table->initial) {
        free(table->buckets);
    }
    free(table);
}

struct cpu_child_object *
cpu_child_table_find(const struct cpu_children *table,
                     enum cpu_child_kind kind, uint64_t key)
{
    struct cpu_child_object *object =
        table->buckets[bucket_index(key, table->bucket_count)];

    while (object && (object->key != key || object->kind != kind)) {
        object = object->next;
    }
    return object;
}

static void
bucket_insert(struct cpu_child_object **buckets, size_t bucket_count,
              struct cpu_child_object *object)
{
    struct cpu_child_object **bucket =
        &buckets[bucket_index(object->key, bucket_count)];

    object->next = *bucket;
    *bucket = object;
}

/* Doubles the number of buckets. Does nothing if there is not enough memory:
 * the table is then slower. */
static void
grow(struct cpu_children *table)
{
    size_t count = 2 * table->bucket_count;
    struct cpu_child_object **buckets = calloc(count, sizeof *buckets);

    if (!buckets) {
        return;
    }
    for (size_t i = 0; i < table->bucket_count; i++) {
        while (table->buckets[i]) {
            struct cpu_child_object *object = table->buckets[i];

            table->buckets[i] = object->next;
            bucket_insert(buckets, count, object);
        }
    }
    if (table->buckets != table->initial) {
        free(table->buckets);
    }
    table->buckets = buckets;
    table->bucket_count = count;
}

struct cpu_child_object *
cpu_child_table_add(struct cpu_children *table, enum cpu_child_kind kind,
                    uint64_t block)
{
    struct cpu_child_object *object = table->spares;

    if (object) {
        table->spares = object->next;
    } else if (!(object = malloc(sizeof *object))) {
        return NULL;
    }
    object->op = NULL;
    object->kind = kind;
    object->key =
        kind == CPU_CHILD_DEFAULT_STREAM ? block : (uint64_t)(uintptr_t)object;
    if (table->object_count++ >= BUCKET_OBJECTS * table->bucket_count) {
        grow(table);
    }
    bucket_insert(table->buckets, table->bucket_count, object);
    return object;
}

void
cpu_child_table_remove(struct cpu_children *table,
                       struct cpu_child_object *object)
{
    struct cpu_child_object **at =
        &table->buckets[bucket_index(object->key, table->bucket_count)];

    while (*at != object) {
        at = &(*at)->next;
    }
    *at = object->next;
    object->next = table->spares;
    table->spares = object;
    table->object_count--;
}
