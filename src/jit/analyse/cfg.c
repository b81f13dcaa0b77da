/* cfg.c - control-flow graph of a function, with basic blocks identified by
 * index; and a map from pointers to numbers.
 *
 * Called by the passes that split kernels at barriers, by checks/ and by
 * output/unswitch.c. Without state.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "jit/analyse/cfg.h"
#include "jit/report.h"
#include "jit/text.h"

/* Returns the index of the map's slot that has the key, or of a free slot if
 * none has it. */
static size_t
map_slot(const struct jit_map *map, const void *key)
{
    size_t mask = map->capacity - 1;
    size_t at = ((uintptr_t)key >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 20;
    for (at &= mask; map->keys[at] && map->keys[at] != key;) {
        at = (at + 1) & mask;
    }
    return at;
}

static void
map_grow(struct jit_map *map)
{
    struct jit_map old = *map;
    map->capacity = old.capacity ? 2 * old.capacity : 256;
    map->keys = jit_allocate(map->capacity * sizeof *map->keys);
    map->values = jit_allocate(map->capacity * sizeof *map->values);
    for (size_t i = 0; i < old.capacity; i++) {
        if (old.keys[i]) {
            size_t at = map_slot(map, old.keys[i]);
            map->keys[at] = old.keys[i];
            map->values[at] = old.values[i];
        }
    }
}

unsigned *
jit_map_slot(struct jit_map *map, const void *key)
{
    if (2 * (map->count + 1) > map->capacity) {
        map_grow(map);
    }
    size_t at = map_slot(map, key);
    if (!map->keys[at]) {
        map->keys[at] = key;
        map->count++;
    }
    return &map->values[at];
}

unsigned
jit_map_get(const struct jit_map *map, const void *key)
{
    if (!map->capacity) {
        return 0;
    }
    size_t at = map_slot(map, key);
    return map->keys[at] ? map->values[at] : 0;
}

unsigned
jit_cfg_index(const struct jit_cfg *cfg, LLVMBasicBlockRef block)
{
    unsigned found = jit_map_get(&cfg->index, block);
    if (!found) {
        jit_die("a block is not in the control-flow graph");
    }
    return found - 1;
}

/* Adds an edge between two basic blocks. An edge is added only once, even if
 * the terminator has it several times, as a switch may. */
static void
add_edge(struct jit_cfg *cfg, unsigned from, unsigned to)
{
    struct jit_block *source = &cfg->blocks[from];
    for (unsigned i = 0; i < source->successor_count; i++) {
        if (source->successors[i] == to) {
            return;
        }
    }
    source->successors[source->successor_count++] = to;
    cfg->blocks[to].predecessor_count++;
}

static void
read_edges(struct jit_cfg *cfg, unsigned from)
{
    struct jit_block *row = &cfg->blocks[from];
    LLVMValueRef end = LLVMGetBasicBlockTerminator(row->block);
    unsigned count = LLVMGetNumSuccessors(end);
    row->returns = LLVMIsAReturnInst(end) != NULL;
    row->successors = jit_allocate((count + 1) * sizeof *row->successors);
    for (unsigned i = 0; i < count; i++) {
        add_edge(cfg, from, jit_cfg_index(cfg, LLVMGetSuccessor(end, i)));
    }
}

static void
read_predecessors(struct jit_cfg *cfg)
{
    for (unsigned i = 0; i < cfg->count; i++) {
        struct jit_block *row = &cfg->blocks[i];
        row->predecessors = jit_allocate((row->predecessor_count + 1) *
                                         sizeof *row->predecessors);
        row->predecessor_count = 0;
    }
    for (unsigned i = 0; i < cfg->count; i++) {
        for (unsigned k = 0; k < cfg->blocks[i].successor_count; k++) {
            struct jit_block *to = &cfg->blocks[cfg->blocks[i].successors[k]];
            to->predecessors[to->predecessor_count++] = i;
        }
    }
}

void
jit_cfg_read(struct jit_cfg *cfg, LLVMValueRef function)
{
    memset(cfg, 0, sizeof *cfg);
    cfg->blocks = jit_allocate((LLVMCountBasicBlocks(function) + 1) *
                               sizeof *cfg->blocks);
    LLVMBasicBlockRef at = LLVMGetFirstBasicBlock(function);
    for (; at; at = LLVMGetNextBasicBlock(at)) {
        cfg->blocks[cfg->count].block = at;
        *jit_map_slot(&cfg->index, at) = ++cfg->count;
    }
    for (unsigned i = 0; i < cfg->count; i++) {
        read_edges(cfg, i);
    }
    read_predecessors(cfg);
}

void
jit_cfg_reach(const struct jit_cfg *cfg, unsigned from, unsigned stop,
              bool *reached)
{
    jit_cfg_reach_within(cfg, from, stop, NULL, NULL, reached);
}

void
jit_cfg_reach_within(const struct jit_cfg *cfg, unsigned from, unsigned stop,
                     const unsigned *ends, const bool *within, bool *reached)
{
    unsigned *queue = jit_allocate((cfg->count + 1) * sizeof *queue);
    unsigned count = 0;
    queue[count++] = from;
    reached[from] = true;
    for (unsigned i = 0; i < count; i++) {
        const struct jit_block *row = &cfg->blocks[queue[i]];
        bool ends_here =
            queue[i] == stop || (ends && ends[queue[i]] != JIT_NO_END);
        for (unsigned k = 0; !ends_here && k < row->successor_count; k++) {
            unsigned to = row->successors[k];
            if (!reached[to] && (!within || within[to])) {
                reached[to] = true;
                queue[count++] = to;
            }
        }
    }
    free(queue);
}

bool
jit_cfg_is_cyclic(const struct jit_cfg *cfg, unsigned block)
{
    bool *reached = jit_allocate(cfg->count);
    for (unsigned i = 0; i < cfg->blocks[block].successor_count; i++) {
        jit_cfg_reach(cfg, cfg->blocks[block].successors[i], NO_BLOCK,
                      reached);
    }
    bool cyclic = reached[block];
    free(reached);
    return cyclic;
}
