/* slow_path.c - slow-path calls of mathematical functions, also in vector
 * loops.
 *
 * The headers pycuda/cuda/cpu/math_*.h call `__pycuda_rare_F(is_slow,
 * fast_value, x, ...)`. The call means `is_slow ? F(x, ...) : fast_value`,
 * where F is a function of the C library. Before vectorisation,
 * jit_declare_slow_paths declares vector variants of these functions, so that
 * LLVM can vectorise loops that call them. After vectorisation,
 * jit_define_slow_paths defines each variant as a branch: if the condition
 * `is_slow` holds for any lane, the variant calls a function that processes
 * the lanes one by one. Without these variants, every lane would pay for the
 * slow path, or the loop would not be vectorised.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/output/slow_path.h"
#include "jit/report.h"
#include "jit/text.h"

enum { MAX_ARGUMENTS = 4 };

static const char prefix[] = "__pycuda_rare_";
static const unsigned widths[] = {2, 4, 8, 16, 32, 64};

/* A slow-path function __pycuda_rare_F: a call of F, such as sinf, for the
 * rare arguments that the inlined code does not handle; or a vector variant of
 * such a function, which handles several threads. */
struct slow_path {
    LLVMValueRef function;
    LLVMTypeRef types[MAX_ARGUMENTS];
    unsigned count; /* number of arguments of `function` */
    /* number of threads that a call handles; 1: the scalar function */
    unsigned width;
};

const char *
jit_slow_path_function(const char *name)
{
    size_t length = sizeof prefix - 1;
    return strncmp(name, prefix, length) == 0 ? name + length : NULL;
}

static bool
is_slow_path(LLVMValueRef function)
{
    const char *rest = jit_slow_path_function(jit_name(function));
    return rest && !strchr(rest, '.') && LLVMIsDeclaration(function);
}

static LLVMTypeRef
type_of_width(LLVMTypeRef type, unsigned width)
{
    return width == 1 ? type : LLVMVectorType(type, width);
}

static const char *
variant_name(LLVMValueRef function, unsigned width)
{
    return jit_format("%s.%u", jit_name(function), width);
}

static void
describe(struct slow_path *path, LLVMValueRef function, unsigned width)
{
    LLVMTypeRef type = LLVMGlobalGetValueType(function);
    path->width = width;
    path->count = LLVMCountParamTypes(type);
    if (path->count < 3 || path->count > MAX_ARGUMENTS) {
        jit_die("%s has %u arguments", jit_name(function), path->count);
    }
    LLVMGetParamTypes(type, path->types);
    for (unsigned i = 0; i < path->count; i++) {
        path->types[i] = type_of_width(path->types[i], width);
    }
}

static LLVMValueRef
add_function(struct jit *jit, const struct slow_path *path, const char *name)
{
    LLVMTypeRef type = LLVMFunctionType(
        path->types[1], (LLVMTypeRef *)path->types, path->count, 0);
    LLVMValueRef function = LLVMAddFunction(jit->module, name, type);
    jit_add_attribute(jit, function, "nounwind");
    jit_add_attribute(jit, function, "willreturn");
    return function;
}

/* ---- before vectorisation: the variants are declared ---- */

static void
tell_variants(struct jit *jit, LLVMValueRef call, void *data)
{
    LLVMValueRef function = data;
    char text[512];
    size_t used = 0;
    if (jit_callee(call) != function) {
        return;
    }
    unsigned count = LLVMCountParams(function);
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        used += (size_t)snprintf(
            text + used, sizeof text - used, "%s_ZGV_LLVM_N%u%.*s_%s(%s)",
            i ? "," : "", widths[i], (int)count, "vvvv", jit_name(function),
            variant_name(function, widths[i]));
    }
    static const char key[] = "vector-function-abi-variant";
    LLVMAddCallSiteAttribute(call, LLVMAttributeFunctionIndex,
                             LLVMCreateStringAttribute(jit->context, key,
                                                       sizeof key - 1, text,
                                                       (unsigned)used));
}

LLVMValueRef
jit_slow_path_variant(struct jit *jit, LLVMValueRef function, unsigned width)
{
    const char *name = variant_name(function, width);
    LLVMValueRef variant = LLVMGetNamedFunction(jit->module, name);
    struct slow_path path;
    describe(&path, function, width);
    return variant ? variant : add_function(jit, &path, name);
}

/* Declares again the scalar slow-path functions that LLVM has removed because
 * the module calls only their vector variants. */
static void
restore_scalars(struct jit *jit)
{
    LLVMValueRef function = LLVMGetFirstFunction(jit->module);
    for (; function; function = LLVMGetNextFunction(function)) {
        const char *name = jit_name(function);
        const char *dot =
            jit_slow_path_function(name) ? strchr(name, '.') : NULL;
        char *scalar = dot ? jit_copy(name, (size_t)(dot - name)) : NULL;
        if (!scalar || !LLVMIsDeclaration(function) ||
            LLVMGetNamedFunction(jit->module, scalar)) {
            continue;
        }
        struct slow_path path;
        describe(&path, function, 1);
        for (unsigned i = 0; i < path.count; i++) {
            path.types[i] = LLVMGetElementType(path.types[i]);
        }
        add_function(jit, &path, scalar);
    }
}

bool
jit_declare_slow_paths(struct jit *jit)
{
    bool any = false;
    restore_scalars(jit);
    LLVMValueRef function = LLVMGetFirstFunction(jit->module);
    for (; function; function = LLVMGetNextFunction(function)) {
        if (!is_slow_path(function)) {
            continue;
        }
        any = true;
        for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
            struct slow_path path;
            const char *name = variant_name(function, widths[i]);
            describe(&path, function, widths[i]);
            if (!LLVMGetNamedFunction(jit->module, name)) {
                add_function(jit, &path, name);
            }
        }
        jit_each_instruction_of_module(jit, tell_variants, function);
    }
    return any;
}

/* ---- after vectorisation: the variants are defined ---- */

static LLVMValueRef
libm_function(struct jit *jit, LLVMValueRef function)
{
    struct slow_path scalar;
    describe(&scalar, function, 1);
    return jit_declare(jit, jit_slow_path_function(jit_name(function)),
                       scalar.types[1], scalar.types + 2, scalar.count - 2);
}

/* Returns the condition of the branch to the slow path. In a scalar function
 * this is the first argument, which says whether the slow path is needed. In a
 * vector variant it is the OR of the lanes of the first argument. */
static LLVMValueRef
any_lane(struct jit *jit, const struct slow_path *path, LLVMValueRef function)
{
    LLVMValueRef rares = LLVMGetParam(function, 0);
    if (path->width == 1) {
        return rares;
    }
    static const char name[] = "llvm.vector.reduce.or";
    LLVMTypeRef type = path->types[0];
    LLVMValueRef reduce = LLVMGetIntrinsicDeclaration(
        jit->module, LLVMLookupIntrinsicID(name, sizeof name - 1), &type, 1);
    return LLVMBuildCall2(jit->builder, LLVMGlobalGetValueType(reduce), reduce,
                          &rares, 1, "");
}

static void
set_unlikely(struct jit *jit, LLVMValueRef branch)
{
    LLVMContextRef context = jit->context;
    LLVMMetadataRef parts[3] = {
        LLVMMDStringInContext2(context, "branch_weights", 14),
        LLVMValueAsMetadata(jit_constant(jit, 1)),
        LLVMValueAsMetadata(jit_constant(jit, 100000)),
    };
    LLVMSetMetadata(
        branch, LLVMGetMDKindIDInContext(context, "prof", 4),
        LLVMMetadataAsValue(context, LLVMMDNodeInContext2(context, parts, 3)));
}

/* Writes the code function(is_slow, fast_value, ...) { return is_slow ?
 * slow(...) : fast_value; }. `slow` receives the arguments from number `first`
 * on. */
static void
write_branch(struct jit *jit, const struct slow_path *path,
             LLVMValueRef function, LLVMValueRef slow, unsigned first)
{
    LLVMBuilderRef builder = jit->builder;
    LLVMValueRef arguments[MAX_ARGUMENTS];
    LLVMBasicBlockRef start =
        LLVMAppendBasicBlockInContext(jit->context, function, "start");
    LLVMBasicBlockRef seldom =
        LLVMAppendBasicBlockInContext(jit->context, function, "seldom");
    LLVMBasicBlockRef end =
        LLVMAppendBasicBlockInContext(jit->context, function, "end");
    for (unsigned i = 0; i < path->count; i++) {
        arguments[i] = LLVMGetParam(function, i);
    }
    LLVMPositionBuilderAtEnd(builder, start);
    LLVMValueRef any = any_lane(jit, path, function);
    set_unlikely(jit, LLVMBuildCondBr(builder, any, seldom, end));
    LLVMPositionBuilderAtEnd(builder, seldom);
    LLVMValueRef value =
        LLVMBuildCall2(builder, LLVMGlobalGetValueType(slow), slow,
                       arguments + first, path->count - first, "");
    LLVMBuildBr(builder, end);
    LLVMPositionBuilderAtEnd(builder, end);
    LLVMValueRef phi = LLVMBuildPhi(builder, path->types[1], "");
    LLVMAddIncoming(phi, &value, &seldom, 1);
    LLVMAddIncoming(phi, &arguments[1], &start, 1);
    LLVMBuildRet(builder, phi);
    LLVMSetLinkage(function, LLVMInternalLinkage);
    jit_add_attribute(jit, function, "alwaysinline");
}

/* Writes one iteration of the loop over lanes: calls `scalar` with the lane's
 * arguments. Returns `result` with the value inserted at the lane. */
static LLVMValueRef
write_lane(struct jit *jit, const struct slow_path *path, LLVMValueRef slow,
           LLVMValueRef scalar, LLVMValueRef lane, LLVMValueRef result)
{
    LLVMBuilderRef builder = jit->builder;
    LLVMValueRef arguments[MAX_ARGUMENTS];
    LLVMValueRef rares =
        LLVMBuildSExt(builder, LLVMGetParam(slow, 0),
                      type_of_width(jit->i32, path->width), "");
    arguments[0] = LLVMBuildTrunc(
        builder, LLVMBuildExtractElement(builder, rares, lane, ""), jit->i1,
        "");
    for (unsigned i = 1; i < path->count; i++) {
        arguments[i] =
            LLVMBuildExtractElement(builder, LLVMGetParam(slow, i), lane, "");
    }
    LLVMValueRef value =
        LLVMBuildCall2(builder, LLVMGlobalGetValueType(scalar), scalar,
                       arguments, path->count, "");
    return LLVMBuildInsertElement(builder, result, value, lane, "");
}

/* Writes the slow path of a vector variant: a function that calls the scalar
 * function for each lane. The scalar function tests the lane's condition. */
static LLVMValueRef
write_lanes(struct jit *jit, const struct slow_path *path, LLVMValueRef scalar,
            const char *name)
{
    LLVMBuilderRef builder = jit->builder;
    LLVMValueRef slow = add_function(jit, path, name);
    LLVMBasicBlockRef blocks[3];
    for (int i = 0; i < 3; i++) {
        blocks[i] = LLVMAppendBasicBlockInContext(jit->context, slow, "");
    }
    LLVMPositionBuilderAtEnd(builder, blocks[0]);
    LLVMBuildBr(builder, blocks[1]);
    LLVMPositionBuilderAtEnd(builder, blocks[1]);
    LLVMValueRef lane = LLVMBuildPhi(builder, jit->i32, "");
    LLVMValueRef result = LLVMBuildPhi(builder, path->types[1], "");
    LLVMValueRef after[2],
        before[2] = {jit_constant(jit, 0), LLVMGetUndef(path->types[1])};
    after[1] = write_lane(jit, path, slow, scalar, lane, result);
    after[0] = LLVMBuildAdd(builder, lane, jit_constant(jit, 1), "");
    LLVMAddIncoming(lane, before, blocks, 1);
    LLVMAddIncoming(lane, after, blocks + 1, 1);
    LLVMAddIncoming(result, before + 1, blocks, 1);
    LLVMAddIncoming(result, after + 1, blocks + 1, 1);
    LLVMValueRef more = LLVMBuildICmp(builder, LLVMIntULT, after[0],
                                      jit_constant(jit, path->width), "");
    LLVMBuildCondBr(builder, more, blocks[1], blocks[2]);
    LLVMPositionBuilderAtEnd(builder, blocks[2]);
    LLVMBuildRet(builder, after[1]);
    LLVMSetLinkage(slow, LLVMInternalLinkage);
    jit_add_attribute(jit, slow, "noinline");
    jit_add_attribute(jit, slow, "cold");
    return slow;
}

static void
define_variant(struct jit *jit, LLVMValueRef function, unsigned width,
               LLVMValueRef scalar)
{
    struct slow_path path;
    const char *name = variant_name(function, width);
    LLVMValueRef variant = LLVMGetNamedFunction(jit->module, name);
    if (!variant || !LLVMGetFirstUse(variant)) {
        return;
    }
    describe(&path, function, width);
    LLVMValueRef slow =
        write_lanes(jit, &path, scalar, jit_format("%s.lanes", name));
    write_branch(jit, &path, variant, slow, 0);
}

/* Writes the scalar function that the slow path of a vector variant calls for
 * each lane. The function is not inlined. */
static LLVMValueRef
define_scalar(struct jit *jit, LLVMValueRef function)
{
    struct slow_path path;
    describe(&path, function, 1);
    LLVMValueRef libm = libm_function(jit, function);
    LLVMValueRef lane =
        add_function(jit, &path, jit_format("%s.lane", jit_name(function)));
    write_branch(jit, &path, lane, libm, 2);
    jit_drop_attribute(lane, "alwaysinline");
    jit_add_attribute(jit, lane, "noinline");
    return lane;
}

void
jit_define_slow_paths(struct jit *jit)
{
    restore_scalars(jit);
    LLVMValueRef next, function = LLVMGetFirstFunction(jit->module);
    for (; function; function = next) {
        next = LLVMGetNextFunction(function);
        if (!is_slow_path(function)) {
            continue;
        }
        struct slow_path path;
        LLVMValueRef lane = define_scalar(jit, function);
        for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
            define_variant(jit, function, widths[i], lane);
        }
        describe(&path, function, 1);
        write_branch(jit, &path, function, libm_function(jit, function), 2);
    }
    jit_run_passes(jit, "always-inline,globaldce");
}
