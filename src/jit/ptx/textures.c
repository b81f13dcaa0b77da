/* textures.c - texture and surface instructions of PTX.
 *
 * The instructions become calls of the runtime's functions for texture and
 * surface objects (image/abi.h). A texture can only be named by the handle of
 * an object (the "unified mode" of PTX); separate samplers are not supported.
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
#include "jit/ptx/atomics.h"
#include "jit/ptx/flow.h"
#include "jit/ptx/ptx.h"
#include "jit/ptx/textures.h"
#include "jit/ptx/warp.h"

enum { MAX_ARGUMENTS = 10, TEXEL_WORDS = 4 };

static const struct ptx_type word = {'s', 32}, real = {'f', 32};

/* The shape of a texture or surface. `axes` is the number of coordinates,
 * without the layer. `elements` is the number of registers in the statement's
 * coordinates, including the layer and unused registers. */
static const struct shape {
    const char *name;
    enum image_access access;
    unsigned axes;
    bool layered;
    unsigned elements;
} shapes[] = {
    {"1d", IMAGE_ACCESS_1D, 1, false, 1},
    {"2d", IMAGE_ACCESS_2D, 2, false, 2},
    {"3d", IMAGE_ACCESS_3D, 3, false, 4},
    {"a1d", IMAGE_ACCESS_1D_LAYERED, 1, true, 2},
    {"a2d", IMAGE_ACCESS_2D_LAYERED, 2, true, 4},
    {"cube", IMAGE_ACCESS_CUBE, 3, false, 4},
    {"acube", IMAGE_ACCESS_CUBE_LAYERED, 3, true, 4},
};

/* An access to a texture or surface. */
struct access {
    struct ptx *ptx;
    const struct ptx_statement *statement;
    const struct shape *shape;
    LLVMValueRef object; /* an i64 */
    LLVMValueRef at[3];  /* coordinates x, y and z */
    LLVMValueRef layer;  /* an i32 */
    bool whole;          /* the coordinates of a texture are integers */
};

/* Builds a call of a runtime function for textures or surfaces. Such a
 * function lets no other thread run, so the call needs no attribute
 * convergent. */
static LLVMValueRef
call(struct ptx *ptx, const char *name, LLVMTypeRef result,
     LLVMValueRef *arguments, unsigned count)
{
    struct jit *jit = ptx->jit;
    LLVMTypeRef types[MAX_ARGUMENTS];
    for (unsigned i = 0; i < count; i++) {
        types[i] = LLVMTypeOf(arguments[i]);
    }
    LLVMValueRef function = jit_declare(jit, name, result, types, count);
    return LLVMBuildCall2(jit->builder, LLVMGlobalGetValueType(function),
                          function, arguments, count, "");
}

/* ---- operands ---- */

/* Reads the handle of an object, the first name in brackets. */
static LLVMValueRef
read_object(struct ptx *ptx, const struct ptx_operand *operand)
{
    struct ptx_type wide = {'u', 64};
    if (operand->kind != PTX_ADDRESS || operand->offset) {
        ptx_fail(ptx, "its texture or surface is not in brackets");
        return NULL;
    }
    struct ptx_symbol *own = ptx_find(ptx, operand->names[0]);
    if (own && own->kind != PTX_SYMBOL_REGISTER && !own->is_reference) {
        ptx_fail(ptx, "'%s' is neither a texture nor a surface",
                 operand->names[0]);
        return NULL;
    }
    return ptx_read_name(ptx, operand->names[0], wide, false);
}

static bool
find_shape(struct access *access)
{
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        if (ptx_has(access->statement, shapes[i].name)) {
            access->shape = &shapes[i];
            return true;
        }
    }
    return ptx_form_refuse(access->ptx, access->statement->operation);
}

/* Reads [object, {coordinates}]. `type` is the type of the coordinates. */
static bool
read_access(struct access *access, const struct ptx_operand *operand,
            struct ptx_type type)
{
    struct ptx *ptx = access->ptx;
    if (!find_shape(access)) {
        return false;
    }
    const struct shape *shape = access->shape;
    if (operand->count != 1 + shape->elements) {
        return ptx_form_refuse(ptx, access->statement->operation);
    }
    access->object = read_object(ptx, operand);
    access->layer = jit_constant(ptx->jit, 0);
    const char *const *names = &operand->names[1];
    if (access->object && shape->layered) {
        access->layer = ptx_read_name(ptx, *names++, word, false);
    }
    bool right = access->object && access->layer;
    for (unsigned i = 0; i < 3 && right; i++) {
        access->at[i] = i < shape->axes
                            ? ptx_read_name(ptx, names[i], type, false)
                            : LLVMConstNull(ptx_llvm_type(ptx, type));
        right = access->at[i] != NULL;
    }
    return right;
}

/* ---- textures ---- */

/* Converts integer coordinates to floats: adds 0.5, since the middle of the
 * texel is sampled. */
static void
use_middles(struct access *access)
{
    LLVMBuilderRef builder = access->ptx->jit->builder;
    LLVMTypeRef type = ptx_llvm_type(access->ptx, real);
    for (unsigned i = 0; i < 3; i++) {
        LLVMValueRef x = LLVMBuildSIToFP(builder, access->at[i], type, "");
        access->at[i] =
            LLVMBuildFAdd(builder, x, LLVMConstReal(type, 0.5), "");
    }
}

/* Stores the gradients in x and in y, {dx...} and {dy...}, as six floats in
 * local memory. Returns the address of the floats. */
static LLVMValueRef
store_gradients(struct access *access, const struct ptx_operand *operands)
{
    struct ptx *ptx = access->ptx;
    struct jit *jit = ptx->jit;
    LLVMTypeRef type = ptx_llvm_type(ptx, real);
    LLVMValueRef memory = ptx_local(ptx, LLVMArrayType2(type, 6), 4);
    unsigned axes = access->shape->axes;
    for (unsigned i = 0; i < 6; i++) {
        const struct ptx_operand *own = &operands[i / 3];
        LLVMValueRef value = LLVMConstNull(type);
        LLVMValueRef index = LLVMConstInt(jit->i64, i, 0);
        if (own->count < axes) {
            ptx_form_refuse(ptx, access->statement->operation);
            return NULL;
        }
        if (i % 3 < axes) {
            value = ptx_read_name(ptx, own->names[i % 3], real, false);
        }
        if (!value) {
            return NULL;
        }
        LLVMBuildStore(
            jit->builder, value,
            LLVMBuildGEP2(jit->builder, type, memory, &index, 1, ""));
    }
    return memory;
}

/* Builds the call that reads a texel into `memory`. `more` points to the
 * `count` operands after the address. */
static bool
sample(struct access *access, const struct ptx_operand *more, unsigned count,
       LLVMValueRef memory)
{
    struct ptx *ptx = access->ptx;
    struct jit *jit = ptx->jit;
    LLVMTypeRef none = LLVMVoidTypeInContext(jit->context);
    bool level = ptx_has(access->statement, "level");
    bool grad = ptx_has(access->statement, "grad");
    if (count != (level ? 1u : grad ? 2u : 0u) || (level && grad)) {
        return ptx_form_refuse(ptx, access->statement->operation);
    }
    if (access->whole && !level && !grad &&
        access->shape->access == IMAGE_ACCESS_1D) {
        LLVMValueRef arguments[] = {access->object, access->at[0], memory};
        call(ptx, "__pycuda_texture_fetch", none, arguments, 3);
        return true;
    }
    if (access->whole) {
        use_middles(access);
    }
    LLVMValueRef arguments[MAX_ARGUMENTS] = {
        access->object, jit_constant(jit, access->shape->access),
        access->at[0],  access->at[1],
        access->at[2],  access->layer};
    const char *name = level  ? "__pycuda_texture_level"
                       : grad ? "__pycuda_texture_gradient"
                              : "__pycuda_texture";
    unsigned n = 6;
    if (level) {
        arguments[n++] = ptx_read(ptx, more, real, false);
    } else if (grad) {
        arguments[n++] = store_gradients(access, more);
    }
    arguments[n] = memory;
    if (!arguments[n - 1]) {
        return false;
    }
    call(ptx, name, none, arguments, n + 1);
    return true;
}

/* Loads word `i` of a texel. */
static LLVMValueRef
texel_word(struct ptx *ptx, LLVMValueRef memory, unsigned i)
{
    struct jit *jit = ptx->jit;
    LLVMValueRef index = LLVMConstInt(jit->i64, i, 0);
    return LLVMBuildLoad2(
        jit->builder, jit->i32,
        LLVMBuildGEP2(jit->builder, jit->i32, memory, &index, 1, ""), "");
}

/* Rounds channels 2i and 2i + 1 of a texel to a pair of halves. */
static LLVMValueRef
texel_halves(struct ptx *ptx, LLVMValueRef memory, unsigned i)
{
    static const struct ptx_half half = {false, 2};
    struct jit *jit = ptx->jit;
    LLVMBuilderRef builder = jit->builder;
    LLVMValueRef both = jit_constant(jit, 0);
    for (unsigned k = 0; k < 2; k++) {
        LLVMValueRef value =
            LLVMBuildBitCast(builder, texel_word(ptx, memory, 2 * i + k),
                             ptx_llvm_type(ptx, real), "");
        value = ptx_half_round(ptx, half, value);
        value = LLVMBuildZExt(builder, value, jit->i32, "");
        value = LLVMBuildShl(builder, value, jit_constant(jit, 16ull * k), "");
        both = LLVMBuildOr(builder, both, value, "");
    }
    return both;
}

/* Writes the texel to the statement's registers. If `resident` is true, the
 * statement has a predicate that tells whether the texel is resident, and the
 * predicate becomes true. */
static bool
write_texel(struct ptx *ptx, const struct ptx_statement *statement,
            LLVMValueRef memory, bool resident)
{
    const struct ptx_operand *to = statement->operands;
    struct ptx_type predicate = {'p', 1};
    bool halves = ptx_has(statement, "f16x2");
    unsigned count = halves ? 2 : TEXEL_WORDS;
    if (to->count != count || !ptx_has(statement, halves ? "v2" : "v4")) {
        return ptx_form_refuse(ptx, statement->operation);
    }
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef value =
            halves ? texel_halves(ptx, memory, i) : texel_word(ptx, memory, i);
        if (!ptx_write(ptx, to->names[i], word, value, false)) {
            return false;
        }
    }
    return !resident || ptx_write(ptx, to[1].names[0], predicate,
                                  LLVMConstInt(ptx->jit->i1, 1, 0), false);
}

/* Builds tld4, which reads one component of four texels. */
static bool
gather(struct access *access, LLVMValueRef memory)
{
    static const char *const names[] = {"r", "g", "b", "a"};
    struct ptx *ptx = access->ptx;
    struct jit *jit = ptx->jit;
    unsigned component = 0;
    while (component < 4 && !ptx_has(access->statement, names[component])) {
        component++;
    }
    if (component == 4 || access->shape->access != IMAGE_ACCESS_2D) {
        return ptx_form_refuse(ptx, access->statement->operation);
    }
    LLVMValueRef arguments[] = {
        access->object, jit_constant(jit, IMAGE_ACCESS_2D_GATHER),
        access->at[0],  access->at[1],
        access->at[2],  jit_constant(jit, component),
        memory};
    call(ptx, "__pycuda_texture", LLVMVoidTypeInContext(jit->context),
         arguments, 7);
    return true;
}

bool
ptx_build_texture(struct ptx *ptx, const struct ptx_statement *statement)
{
    struct access access = {.ptx = ptx, .statement = statement};
    unsigned n = statement->modifier_count, count = statement->operand_count;
    const struct ptx_operand *operands = statement->operands;
    struct ptx_type type;
    bool gathers = strcmp(statement->operation, "tld4") == 0;
    bool resident = count > 1 && operands[1].kind != PTX_ADDRESS;
    if (!ptx_only(statement,
                  " 1d 2d 3d a1d a2d cube acube v2 v4 level grad r g b a "
                  "f16x2 ") ||
        !n || !ptx_parse_type(statement->modifiers[n - 1], &type) ||
        type.bits != 32 || type.letter == 'u' || type.letter == 'b' ||
        count < 2u + resident) {
        return ptx_form_refuse(ptx, statement->operation);
    }
    access.whole = type.letter == 's';
    if (!read_access(&access, &operands[1 + resident], type)) {
        return false;
    }
    LLVMValueRef memory =
        ptx_local(ptx, LLVMArrayType2(ptx->jit->i32, TEXEL_WORDS), 16);
    bool right = gathers ? gather(&access, memory)
                         : sample(&access, &operands[2 + resident],
                                  count - 2 - resident, memory);
    return right && write_texel(ptx, statement, memory, resident);
}

/* ---- surfaces ---- */

/* Returns the number by which the runtime identifies the modifier .trap,
 * .clamp or .zero, which says what an access outside of the surface does. */
static LLVMValueRef
boundary(struct ptx *ptx, const struct ptx_statement *statement)
{
    return jit_constant(ptx->jit, ptx_has(statement, "trap")    ? 0
                                  : ptx_has(statement, "clamp") ? 1
                                                                : 2);
}

/* Sets the first six arguments, which are the same for all of the runtime's
 * functions for surfaces. */
static void
begin_arguments(struct access *access, LLVMValueRef *arguments)
{
    arguments[0] = access->object;
    arguments[1] = jit_constant(access->ptx->jit, access->shape->access);
    memcpy(&arguments[2], access->at, sizeof access->at);
    arguments[5] = access->layer;
}

/* Builds suld and sust: `count` elements of the type are copied to or from
 * registers through memory. */
static bool
move_elements(struct access *access, struct ptx_type type, bool stores)
{
    struct ptx *ptx = access->ptx;
    struct jit *jit = ptx->jit;
    const struct ptx_statement *statement = access->statement;
    const struct ptx_operand *own = &statement->operands[stores];
    unsigned count = ptx_has(statement, "v2")   ? 2
                     : ptx_has(statement, "v4") ? 4
                                                : 1;
    LLVMTypeRef llvm = ptx_llvm_type(ptx, type);
    LLVMValueRef memory = ptx_local(ptx, LLVMArrayType2(llvm, count), 16);
    LLVMValueRef arguments[MAX_ARGUMENTS];
    if (ptx_elements(own) != count) {
        return ptx_form_refuse(ptx, statement->operation);
    }
    begin_arguments(access, arguments);
    arguments[6] = memory;
    arguments[7] = jit_constant(jit, count * type.bits / 8);
    arguments[8] = boundary(ptx, statement);
    for (unsigned i = 0; i < count && stores; i++) {
        LLVMValueRef index = LLVMConstInt(jit->i64, i, 0);
        LLVMValueRef value = ptx_read_name(ptx, own->names[i], type, true);
        if (!value) {
            return false;
        }
        LLVMBuildStore(
            jit->builder, value,
            LLVMBuildGEP2(jit->builder, llvm, memory, &index, 1, ""));
    }
    call(ptx, stores ? "__pycuda_surface_write" : "__pycuda_surface_read",
         LLVMVoidTypeInContext(jit->context), arguments, 9);
    for (unsigned i = 0; i < count && !stores; i++) {
        LLVMValueRef index = LLVMConstInt(jit->i64, i, 0);
        LLVMValueRef value = LLVMBuildLoad2(
            jit->builder, llvm,
            LLVMBuildGEP2(jit->builder, llvm, memory, &index, 1, ""), "");
        if (!ptx_write(ptx, own->names[i], type, value, true)) {
            return false;
        }
    }
    return true;
}

/* Builds sured, an atomic operation on a texel. If the coordinates are outside
 * the surface, the kernel ends (.trap), the nearest texel is updated (.clamp),
 * or nothing happens (.zero). Returns false with an error for a wrong
 * statement. */
static bool
reduce_texel(struct access *access, struct ptx_type type)
{
    struct ptx *ptx = access->ptx;
    struct jit *jit = ptx->jit;
    const struct ptx_statement *statement = access->statement;
    struct ptx_atomic atomic = {.type = type};
    LLVMValueRef arguments[MAX_ARGUMENTS];
    LLVMValueRef value = ptx_read(ptx, &statement->operands[1], type, false);
    if (!value) {
        return false;
    }
    begin_arguments(access, arguments);
    arguments[6] = jit_constant(jit, type.bits / 8);
    arguments[7] = boundary(ptx, statement);
    LLVMValueRef at =
        call(ptx, "__pycuda_surface_texel", jit->pointer, arguments, 8);
    struct ptx_conditional inside =
        ptx_conditional_begin(ptx, LLVMBuildIsNotNull(jit->builder, at, ""));
    bool right = ptx_atomic_update(ptx, statement, &atomic, at, value) != NULL;
    ptx_conditional_end(ptx, &inside);
    return right;
}

bool
ptx_build_surface(struct ptx *ptx, const struct ptx_statement *statement)
{
    struct access access = {.ptx = ptx, .statement = statement};
    struct ptx_type type = {'b', 0};
    bool loads = strcmp(statement->operation, "suld") == 0;
    bool reduces = strcmp(statement->operation, "sured") == 0;
    for (unsigned i = 0; i < statement->modifier_count && !type.bits; i++) {
        ptx_parse_type(statement->modifiers[i], &type);
    }
    if (!ptx_only(statement,
                  reduces ? " b 1d 2d 3d trap clamp zero add min max and or "
                          : " b 1d 2d 3d a1d a2d v2 v4 ca cg cs cv wb wt "
                            "trap clamp zero ") ||
        !ptx_has(statement, "b") || !type.bits || type.bits == 128 ||
        statement->operand_count != 2) {
        return ptx_form_refuse(ptx, statement->operation);
    }
    if (!read_access(&access, &statement->operands[loads], word)) {
        return false;
    }
    return reduces ? reduce_texel(&access, type)
                   : move_elements(&access, type, !loads);
}

/* ---- queries ---- */

bool
ptx_build_texture_query(struct ptx *ptx, const struct ptx_statement *statement)
{
#define QUERY_NAME(name, value) #name,
    static const char *const names[] = {IMAGE_TEXTURE_QUERIES(QUERY_NAME)};
    struct jit *jit = ptx->jit;
    bool texture = statement->operation[0] == 't';
    if (statement->modifier_count != 2 || statement->operand_count != 2 ||
        !ptx_has(statement, "b32")) {
        return ptx_form_refuse(ptx, statement->operation);
    }
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(statement->modifiers[0], names[i]) != 0) {
            continue;
        }
        LLVMValueRef arguments[] = {read_object(ptx, &statement->operands[1]),
                                    jit_constant(jit, i)};
        if (!arguments[0]) {
            return false;
        }
        LLVMValueRef value = call(
            ptx, texture ? "__pycuda_texture_query" : "__pycuda_surface_query",
            jit->i32, arguments, 2);
        return ptx_write(ptx, statement->operands[0].names[0], word, value,
                         false);
    }
    return ptx_form_refuse(ptx, statement->operation);
}
