/* live.c - finds where a value is live in a split kernel, and replaces its
 * uses.
 *
 * Called by spill.c and spilled_values.c, which pass values across barriers.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include <llvm-c/Core.h>

#include "jit/analyse/cfg.h"
#include "jit/analyse/live.h"
#include "jit/regions/split.h"
#include "jit/text.h"

/* Sets live[] for the basic block in which the instruction `user` needs the
 * value. A phi needs it at the end of the predecessors from which the value
 * comes. */
static void
add_use_blocks(const struct jit_cfg *cfg, LLVMValueRef value,
               LLVMValueRef user, bool *live)
{
    if (!LLVMIsAPHINode(user)) {
        live[jit_cfg_index(cfg, LLVMGetInstructionParent(user))] = true;
        return;
    }
    for (unsigned i = 0; i < LLVMCountIncoming(user); i++) {
        if (LLVMGetIncomingValue(user, i) == value) {
            live[jit_cfg_index(cfg, LLVMGetIncomingBlock(user, i))] = true;
        }
    }
}

/* Sets live[] for all basic blocks at whose start the value is live. The
 * caller has set live[] for the basic blocks that use the value. The search
 * follows predecessors from these blocks back to the definition. */
static void
spread_back(const struct jit_cfg *cfg, unsigned definition, bool *live)
{
    unsigned *queue = jit_allocate((cfg->count + 1) * sizeof *queue);
    unsigned count = 0;
    live[definition] = false;
    for (unsigned i = 0; i < cfg->count; i++) {
        if (live[i]) {
            queue[count++] = i;
        }
    }
    for (unsigned i = 0; i < count; i++) {
        const struct jit_block *row = &cfg->blocks[queue[i]];
        for (unsigned k = 0; k < row->predecessor_count; k++) {
            unsigned from = row->predecessors[k];
            if (from != definition && !live[from]) {
                live[from] = true;
                queue[count++] = from;
            }
        }
    }
    free(queue);
}

/* Tests whether the value is used outside of the basic block that defines it.
 * A use by a phi always counts as outside. */
static bool
used_elsewhere(LLVMValueRef value)
{
    LLVMUseRef use = LLVMGetFirstUse(value);
    for (; use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsAPHINode(user) || LLVMGetInstructionParent(user) !=
                                        LLVMGetInstructionParent(value)) {
            return true;
        }
    }
    return false;
}

jit_point_set
jit_live_points(const struct jit_split *split, LLVMValueRef value)
{
    const struct jit_cfg *cfg = &split->cfg;
    jit_point_set points = 0;
    if (LLVMIsAAllocaInst(value) || !used_elsewhere(value)) {
        return 0;
    }
    bool *live = jit_allocate(cfg->count);
    LLVMUseRef use = LLVMGetFirstUse(value);
    for (; use; use = LLVMGetNextUse(use)) {
        add_use_blocks(cfg, value, LLVMGetUser(use), live);
    }
    spread_back(cfg, jit_cfg_index(cfg, LLVMGetInstructionParent(value)),
                live);
    for (unsigned k = 1; k < split->count; k++) {
        if (live[jit_cfg_index(cfg, split->points[k].next)]) {
            points |= JIT_POINT(k);
        }
    }
    free(live);
    return points;
}

/* ---- replacing uses ---- */

/* Replaces the uses of the value by phis with the value that `make` builds. If
 * the phi has several operands for one predecessor, all get the same
 * replacement, as LLVM requires. */
static void
replace_in_phi(LLVMValueRef phi, LLVMValueRef value, jit_make_at *make,
               void *data)
{
    unsigned count = LLVMCountIncoming(phi);
    for (unsigned i = 0; i < count; i++) {
        LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, i);
        if (LLVMGetIncomingValue(phi, i) != value ||
            from == LLVMGetInstructionParent(value)) {
            continue;
        }
        LLVMValueRef by = make(value, LLVMGetBasicBlockTerminator(from), data);
        for (unsigned k = i; k < count; k++) {
            if (LLVMGetIncomingBlock(phi, k) == from) {
                LLVMSetOperand(phi, k, by);
            }
        }
    }
}

static void
replace_in(LLVMValueRef user, LLVMValueRef value, jit_make_at *make,
           void *data)
{
    if (LLVMIsAPHINode(user)) {
        replace_in_phi(user, value, make, data);
        return;
    }
    if (LLVMGetInstructionParent(user) == LLVMGetInstructionParent(value)) {
        return;
    }
    LLVMValueRef by = make(value, user, data);
    int count = LLVMGetNumOperands(user);
    for (int i = 0; i < count; i++) {
        if (LLVMGetOperand(user, (unsigned)i) == value) {
            LLVMSetOperand(user, (unsigned)i, by);
        }
    }
}

void
jit_replace_elsewhere(LLVMValueRef value, jit_make_at *make, void *data)
{
    unsigned count = 0;
    LLVMUseRef use = LLVMGetFirstUse(value);
    for (; use; use = LLVMGetNextUse(use)) {
        count++;
    }
    LLVMValueRef *users = jit_allocate(count * sizeof(LLVMValueRef));
    count = 0;
    for (use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
        users[count++] = LLVMGetUser(use);
    }
    for (unsigned i = 0; i < count; i++) {
        replace_in(users[i], value, make, data);
    }
    free(users);
}
