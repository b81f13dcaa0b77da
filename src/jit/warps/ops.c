/* ops.c - describes calls of warp operations.
 *
 * Called by regions.c to find warp operations at which kernels can be split,
 * by lanes.c and by lower.c.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "image/abi.h"
#include "image/image.h"
#include "jit/analyse/cfg.h"
#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/planted_faults.h"
#include "jit/warps/ops.h"

/* Indices of the operands of a warp operation's call; -1: the call has no such
 * operand. The operand `how` is an enum image_shuffle or image_reduce. */
struct form {
    const char *name;
    enum jit_warp_kind kind;
    int mask, value, how, argument, width;
};

static const struct form forms[] = {
    {"__pycuda_warp_barrier", JIT_WARP_BARRIER, 0, -1, -1, -1, -1},
    {"__pycuda_activemask", JIT_WARP_ACTIVE, -1, -1, -1, -1, -1},
    {"__pycuda_shuffle", JIT_WARP_SHUFFLE, 0, 1, 2, 3, 4},
    {"__pycuda_ballot", JIT_WARP_BALLOT, 0, 1, -1, -1, -1},
    {"__pycuda_warp_vote", JIT_WARP_BALLOT, 0, 1, -1, -1, -1},
    {"__pycuda_match_any", JIT_WARP_MATCH, 0, 1, -1, -1, -1},
    {"__pycuda_match_all", JIT_WARP_MATCH_ALL, 0, 1, -1, -1, -1},
    {"__pycuda_reduce", JIT_WARP_REDUCE, 0, 1, 2, -1, -1},
};

static const struct form *
form_of(LLVMValueRef at)
{
    LLVMValueRef callee = jit_callee(at);
    for (size_t i = 0; callee && i < sizeof forms / sizeof *forms; i++) {
        if (strcmp(jit_name(callee), forms[i].name) == 0) {
            return &forms[i];
        }
    }
    return NULL;
}

bool
jit_is_warp_op(LLVMValueRef at)
{
    return form_of(at) != NULL;
}

/* Reads operand number `position` of the call into *number. Returns false if
 * the operand is not a 32-bit constant. */
static bool
read_constant(LLVMValueRef call, int position, int32_t *number)
{
    LLVMValueRef value = LLVMGetOperand(call, (unsigned)position);
    if (!LLVMIsAConstantInt(value)) {
        return false;
    }
    *number = (int32_t)LLVMConstIntGetSExtValue(value);
    return true;
}

/* Returns the width in bits, 32 or 64, of the value that the lanes exchange.
 * Values of up to 32 bits may be passed zero-extended to 64 bits; they count
 * as 32. */
static unsigned
bits_of(LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    if (LLVMIsAZExtInst(value)) {
        type = LLVMTypeOf(LLVMGetOperand(value, 0));
    }
    return LLVMGetIntTypeWidth(type) <= 32 ? 32 : 64;
}

static bool
read_mask(const struct jit_map *lanes_differ, LLVMValueRef call,
          const struct form *form, struct jit_warp_op *op)
{
    LLVMValueRef value =
        form->mask < 0 ? NULL : LLVMGetOperand(call, (unsigned)form->mask);
    op->fixed_mask = !value || LLVMIsAConstantInt(value) ||
                     jit_calls(value, "__pycuda_activemask");
    op->shared_mask = op->fixed_mask || !jit_map_get(lanes_differ, value);
    return op->kind != JIT_WARP_REDUCE || op->shared_mask;
}

static bool
read_shuffle(LLVMValueRef call, const struct form *form,
             struct jit_warp_op *op)
{
    int32_t how, width;
    if (!read_constant(call, form->how, &how) ||
        !read_constant(call, form->width, &width)) {
        return false;
    }
    op->how = how & ~IMAGE_SHUFFLE_CONVERGED;
    op->segment = IMAGE_SHUFFLE_SEGMENT(width);
    op->fixed_argument = read_constant(call, form->argument, &op->argument);
    op->argument &= JIT_LANES - 1;
    return true;
}

/* Tests whether all lanes of a shuffle read the value of the same lane. */
static bool
is_broadcast(const struct jit_map *lanes_differ, LLVMValueRef call,
             const struct form *form, const struct jit_warp_op *op)
{
    LLVMValueRef argument = LLVMGetOperand(call, (unsigned)form->argument);
    return op->how == IMAGE_SHUFFLE_IDX && !op->segment && op->shared_mask &&
           !jit_map_get(lanes_differ, argument);
}

static bool
is_uniform(const struct jit_map *lanes_differ, LLVMValueRef call,
           const struct form *form, const struct jit_warp_op *op)
{
    switch (op->kind) {
    case JIT_WARP_ACTIVE:
        return true;
    case JIT_WARP_SHUFFLE:
        return is_broadcast(lanes_differ, call, form, op);
    case JIT_WARP_BALLOT:
    case JIT_WARP_MATCH_ALL:
    case JIT_WARP_REDUCE:
        return op->shared_mask;
    default:
        return false;
    }
}

bool
jit_read_warp_op(const struct jit_map *lanes_differ, LLVMValueRef call,
                 struct jit_warp_op *op, const char **why)
{
    const struct form *form = form_of(call);
    int32_t how = 0;
    *op = (struct jit_warp_op){.kind = form->kind, .bits = 32};
    *why = NULL;
    if (form->value >= 0) {
        op->bits = bits_of(LLVMGetOperand(call, (unsigned)form->value));
    }
    if (!read_mask(lanes_differ, call, form, op)) {
        *why = "reduces by masks that differ within a warp";
    } else if (op->kind == JIT_WARP_SHUFFLE && !read_shuffle(call, form, op)) {
        *why = "shuffles by a width that is no constant";
    } else if (op->kind == JIT_WARP_REDUCE &&
               !read_constant(call, form->how, &how)) {
        *why = "reduces by an operation that is no constant";
    }
    if (*why) {
        return false;
    }
    op->how = op->kind == JIT_WARP_REDUCE ? how : op->how;
    op->uniform = is_uniform(lanes_differ, call, form, op);
    return true;
}

/* Tests whether the operation has a mask, and the mask is the same in all
 * threads of the block. */
static bool
is_one_mask(const struct jit_map *differs, LLVMValueRef mask)
{
    return mask && (LLVMIsAConstantInt(mask) || !jit_map_get(differs, mask));
}

bool
jit_may_leave_out(const struct jit_map *differs, LLVMValueRef call)
{
    const struct form *form = form_of(call);
    LLVMValueRef mask =
        form->mask < 0 ? NULL : LLVMGetOperand(call, (unsigned)form->mask);
    return is_one_mask(differs, mask) &&
           !(LLVMIsAConstantInt(mask) &&
             LLVMConstIntGetZExtValue(mask) == UINT32_MAX);
}

void
jit_meet_together(struct jit *jit, const struct jit_map *differs,
                  LLVMValueRef call)
{
    const struct form *form = form_of(call);
    LLVMValueRef mask =
        form->mask < 0 ? NULL : LLVMGetOperand(call, (unsigned)form->mask);
    if (is_one_mask(differs, mask)) {
        LLVMSetOperand(call, (unsigned)form->mask,
                       jit_constant(jit, UINT32_MAX));
    } else if (form->kind == JIT_WARP_SHUFFLE) {
        LLVMValueRef how = LLVMGetOperand(call, (unsigned)form->how);
        LLVMSetOperand(
            call, (unsigned)form->how,
            LLVMConstAdd(how, jit_constant(jit, IMAGE_SHUFFLE_CONVERGED)));
    }
}

int
jit_shuffle_source(const struct jit_warp_op *op, int lane, int argument)
{
    int first = lane & op->segment;
    int last = first | (~op->segment & (JIT_LANES - 1)), source = lane;
    switch (op->how) {
    case IMAGE_SHUFFLE_IDX:
        source = first | (argument & ~op->segment);
        break;
    case IMAGE_SHUFFLE_UP:
        source = lane - argument >= first ? lane - argument : lane;
        break;
    case IMAGE_SHUFFLE_DOWN:
        source = lane + argument <= last + PLANTED_FAULT(wrong_lane)
                     ? lane + argument
                     : lane;
        break;
    /* A shuffle by xor: a lane may read from an earlier segment (group of
     * `width` consecutive lanes), but not from a later segment. */
    default:
        source = (lane ^ argument) <= last ? lane ^ argument : lane;
    }
    return source;
}
