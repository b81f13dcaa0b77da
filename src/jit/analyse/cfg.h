/* cfg.h - the control-flow graph of a function, and maps from pointers to
 * numbers.
 *
 * Basic blocks are identified by their index in a jit_cfg. The indices are
 * valid until basic blocks are added to the function or removed.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_ANALYSE_CFG_H
#define PYCUDA_JIT_ANALYSE_CFG_H

#include <stdbool.h>
#include <stddef.h>

#include <llvm-c/Core.h>

#include "jit/jit.h"

/* Map from pointers to numbers; a zero-initialised map is empty. */
struct jit_map {
    const void **keys;
    unsigned *values;
    size_t capacity, count;
};

/* jit_map_slot returns a pointer to the number stored for the key, and adds
 * the key with the number 0 if it is missing. The pointer is valid until the
 * next call of jit_map_slot for this map. jit_map_get returns the number, or 0
 * if the key is missing. */
unsigned *jit_map_slot(struct jit_map *map, const void *key);
unsigned jit_map_get(const struct jit_map *map, const void *key);

struct jit_block {
    LLVMBasicBlockRef block;
    unsigned *successors;
    unsigned successor_count;
    unsigned *predecessors;
    unsigned predecessor_count;
    bool returns;
};

/* Control-flow graph of a function; basic block 0 is the entry. */
struct jit_cfg {
    struct jit_block *blocks;
    unsigned count;
    struct jit_map index; /* maps a basic block to its index plus 1 */
};

/* Reads the control-flow graph of the function into `cfg`. */
void jit_cfg_read(struct jit_cfg *cfg, LLVMValueRef function);
/* Returns the index of a basic block in cfg->blocks. */
unsigned jit_cfg_index(const struct jit_cfg *cfg, LLVMBasicBlockRef block);
/* Sets reached[b] for `from` and each basic block b that can be reached from
 * it. Paths do not continue beyond `stop`, but `stop` itself is set if a path
 * reaches it. NO_BLOCK: all paths continue. */
#define NO_BLOCK (~0u)
void jit_cfg_reach(const struct jit_cfg *cfg, unsigned from, unsigned stop,
                   bool *reached);
/* Value of ends[b] for a basic block b that jumps to other basic blocks: it
 * ends neither at a barrier or warp operation nor with the kernel (see `ends`
 * of jit_cfg_reach_within). */
#define JIT_NO_END JIT_MAX_POINTS
/* Sets reached[b] for `from` and each basic block b that can be reached from
 * it. A path ends at `stop` and, unless `ends` is NULL, at each basic block b
 * with ends[b] != JIT_NO_END: one that ends at a barrier, warp operation or
 * return. If `within` is not NULL, paths use only the basic blocks marked in
 * it. */
void jit_cfg_reach_within(const struct jit_cfg *cfg, unsigned from,
                          unsigned stop, const unsigned *ends,
                          const bool *within, bool *reached);
/* Tests whether the basic block is in a cycle of the control-flow graph. */
bool jit_cfg_is_cyclic(const struct jit_cfg *cfg, unsigned block);

#endif
