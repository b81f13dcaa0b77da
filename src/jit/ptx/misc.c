/* misc.c - instructions of PTX about addresses, clusters and scheduling.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "image/abi.h"
#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/ptx/ptx.h"
#include "jit/ptx/warp.h"

static const struct ptx_type predicate = {'p', 1};
static const struct ptx_type word = {'u', 32};

/* Returns true if no cluster of the kernel has several blocks. Otherwise
 * reports an error. */
static bool
has_narrow_clusters(struct ptx *ptx)
{
    return !ptx->jit->wide_clusters ||
           ptx_fail(ptx, "clusters of more than one block are not supported");
}

/* Builds no code, for an instruction that is only a hint for the processor. */
bool
ptx_build_hint(struct ptx *ptx, const struct ptx_statement *statement)
{
    (void)ptx;
    (void)statement;
    return true;
}

/* Builds createpolicy, whose result only cache hints use. */
bool
ptx_build_policy(struct ptx *ptx, const struct ptx_statement *statement)
{
    struct ptx_type type = {'b', 64};
    return statement->operand_count
               ? ptx_write(ptx, statement->operands[0].names[0], type,
                           LLVMConstInt(ptx->jit->i64, 0, 0), false)
               : ptx_form_refuse(ptx, statement->operation);
}

bool
ptx_build_sleep(struct ptx *ptx, const struct ptx_statement *statement)
{
    LLVMValueRef time =
        statement->operand_count == 1
            ? ptx_read(ptx, &statement->operands[0], word, false)
            : NULL;
    if (!time) {
        return ptx_form_refuse(ptx, statement->operation);
    }
    ptx_call_runtime(ptx, "__pycuda_nanosleep",
                     LLVMVoidTypeInContext(ptx->jit->context), &time, 1);
    return true;
}

/* Builds isspacep: tests whether a generic address is in a state space. */
bool
ptx_build_is_space(struct ptx *ptx, const struct ptx_statement *statement)
{
    static const struct {
        const char *name;
        enum image_space space;
    } rows[] = {
        {"global", IMAGE_SPACE_GLOBAL},
        {"shared", IMAGE_SPACE_SHARED},
        {"shared::cta", IMAGE_SPACE_SHARED},
        {"shared::cluster", IMAGE_SPACE_SHARED},
        {"const", IMAGE_SPACE_CONSTANT},
        {"local", IMAGE_SPACE_LOCAL},
        {"param", IMAGE_SPACE_PARAMETER},
        {"param::entry", IMAGE_SPACE_PARAMETER},
    };
    struct jit *jit = ptx->jit;
    struct ptx_type wide = {'u', 64};
    const struct ptx_operand *operands = statement->operands;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!ptx_has(statement, rows[i].name) ||
            statement->operand_count != 2) {
            continue;
        }
        LLVMValueRef address = ptx_read(ptx, &operands[1], wide, false);
        if (!address) {
            return false;
        }
        address = LLVMBuildIntToPtr(jit->builder, address, jit->pointer, "");
        LLVMValueRef space =
            ptx_call_runtime(ptx, "__pycuda_space", jit->i32, &address, 1);
        LLVMValueRef own = LLVMBuildICmp(jit->builder, LLVMIntEQ, space,
                                         jit_constant(jit, rows[i].space), "");
        return ptx_write(ptx, operands[0].names[0], predicate, own, false);
    }
    return ptx_form_refuse(ptx, statement->operation);
}

/* Builds mapa and getctarank. A cluster has one block, so the address in
 * another block is the address in this block, and the rank of each block is
 * 0. */
bool
ptx_build_cluster_address(struct ptx *ptx,
                          const struct ptx_statement *statement)
{
    bool maps = strcmp(statement->operation, "mapa") == 0;
    const struct ptx_operand *operands = statement->operands;
    struct ptx_type type;
    unsigned n = statement->modifier_count;
    if (!n || statement->operand_count != 2u + maps ||
        !ptx_parse_type(statement->modifiers[n - 1], &type)) {
        return ptx_form_refuse(ptx, statement->operation);
    }
    if (!has_narrow_clusters(ptx)) {
        return false;
    }
    LLVMValueRef value = maps ? ptx_read(ptx, &operands[1], type, false)
                              : jit_constant(ptx->jit, 0);
    return value && ptx_write(ptx, operands[0].names[0], maps ? type : word,
                              value, false);
}

/* Builds barrier.cluster. The only block of the cluster waits for all its
 * threads. */
static bool
build_cluster_barrier(struct ptx *ptx, const struct ptx_statement *statement)
{
    struct jit *jit = ptx->jit;
    if (!ptx_only(statement, " cluster arrive wait release acquire relaxed "
                             "aligned ")) {
        return ptx_form_refuse(ptx, statement->operation);
    }
    if (!has_narrow_clusters(ptx)) {
        return false;
    }
    if (ptx_has(statement, "wait")) {
        LLVMValueRef arguments[] = {jit_constant(jit, IMAGE_BARRIER_PLAIN),
                                    jit_constant(jit, 0)};
        ptx_call_runtime(ptx, "__pycuda_barrier", jit->i32, arguments, 2);
    }
    return true;
}

/* Tests whether the operand is the number 0. */
static bool
is_zero(const struct ptx_operand *operand)
{
    return operand->kind == PTX_INTEGER && !operand->bits;
}

/* Builds bar.red d, a{, b}, {!}p: a barrier of b threads that counts the
 * predicates, or combines them with `and` or `or`. Barrier 0 of all threads is
 * the barrier of __syncthreads_count(), __syncthreads_and() and
 * __syncthreads_or(). */
static bool
build_barrier_reduction(struct ptx *ptx, const struct ptx_statement *statement)
{
    struct jit *jit = ptx->jit;
    const struct ptx_operand *operands = statement->operands;
    unsigned count = statement->operand_count;
    bool counts = ptx_has(statement, "popc");
    enum image_barrier kind = counts                      ? IMAGE_BARRIER_COUNT
                              : ptx_has(statement, "and") ? IMAGE_BARRIER_AND
                                                          : IMAGE_BARRIER_OR;
    if (count < 3 || count > 4 ||
        (counts && (ptx_has(statement, "and") || ptx_has(statement, "or"))) ||
        !ptx_only(statement, " red popc and or aligned cta ")) {
        return ptx_form_refuse(ptx, statement->operation);
    }
    LLVMValueRef value = ptx_read(ptx, &operands[count - 1], predicate, false);
    LLVMValueRef id = value ? ptx_read(ptx, &operands[1], word, false) : NULL;
    LLVMValueRef threads = id && count == 4
                               ? ptx_read(ptx, &operands[2], word, false)
                               : jit_constant(jit, 0);
    if (!id || !threads) {
        return false;
    }
    value = LLVMBuildZExt(jit->builder, value, jit->i32, "");
    LLVMValueRef arguments[] = {id, threads, jit_constant(jit, kind), value};
    bool plain = count == 3 && is_zero(&operands[1]);
    value = ptx_call_runtime(
        ptx, plain ? "__pycuda_barrier" : "__pycuda_barrier_reduce", jit->i32,
        plain ? &arguments[2] : arguments, plain ? 2 : 4);
    if (counts) {
        return ptx_write(ptx, operands[0].names[0], word, value, false);
    }
    value = LLVMBuildICmp(jit->builder, LLVMIntNE, value, jit_constant(jit, 0),
                          "");
    return ptx_write(ptx, operands[0].names[0], predicate, value, false);
}

/* Builds bar.arrive a, b. */
static bool
build_arrival(struct ptx *ptx, const struct ptx_statement *statement)
{
    const struct ptx_operand *operands = statement->operands;
    if (statement->operand_count != 2 ||
        !ptx_only(statement, " arrive aligned cta ")) {
        return ptx_form_refuse(ptx, statement->operation);
    }
    LLVMValueRef arguments[2];
    for (unsigned i = 0; i < 2; i++) {
        arguments[i] = ptx_read(ptx, &operands[i], word, false);
        if (!arguments[i]) {
            return false;
        }
    }
    ptx_call_runtime(ptx, "__pycuda_barrier_arrive",
                     LLVMVoidTypeInContext(ptx->jit->context), arguments, 2);
    return true;
}

bool
ptx_build_barrier(struct ptx *ptx, const struct ptx_statement *statement)
{
    if (ptx_has(statement, "cluster")) {
        return build_cluster_barrier(ptx, statement);
    }
    if (ptx_has(statement, "arrive")) {
        return build_arrival(ptx, statement);
    }
    return ptx_has(statement, "red") ? build_barrier_reduction(ptx, statement)
                                     : ptx_build_effect(ptx, statement);
}
