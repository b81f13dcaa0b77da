/* registers.c - registers of PTX as LLVM values.
 *
 * SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/planted_faults.h"
#include "jit/ptx/ptx.h"
#include "jit/text.h"

bool
ptx_fail(struct ptx *ptx, const char *format, ...)
{
    if (!ptx->wrong) {
        char text[200];
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(text, sizeof text, format, arguments);
        va_end(arguments);
        ptx->wrong = jit_copy(text, strlen(text));
    }
    return false;
}

bool
ptx_form_refuse(struct ptx *ptx, const char *operation)
{
    return ptx_fail(ptx, "'%s' does not exist in a supported form", operation);
}

LLVMTypeRef
ptx_llvm_type(struct ptx *ptx, struct ptx_type type)
{
    LLVMContextRef context = ptx->jit->context;
    if (type.letter != 'f') {
        return LLVMIntTypeInContext(context, type.bits);
    }
    return type.bits == 16   ? LLVMHalfTypeInContext(context)
           : type.bits == 32 ? LLVMFloatTypeInContext(context)
                             : LLVMDoubleTypeInContext(context);
}

/* ---- special registers ---- */

static LLVMValueRef
build_query(struct ptx *ptx, const char *name, LLVMTypeRef result, int axis)
{
    LLVMTypeRef type = ptx->jit->i32;
    LLVMValueRef argument = jit_constant(ptx->jit, (uint64_t)axis);
    LLVMValueRef function =
        jit_declare(ptx->jit, name, result, &type, axis >= 0);
    return LLVMBuildCall2(ptx->jit->builder, LLVMGlobalGetValueType(function),
                          function, &argument, axis >= 0, "");
}

/* Builds the value of %lanemask_lt, _le, _eq, _ge or _gt: a mask of the lanes
 * whose index is less than the current lane's, less or equal, equal, and so
 * on. */
static LLVMValueRef
lane_mask(struct ptx *ptx, const char *which, LLVMValueRef lane)
{
    LLVMBuilderRef builder = ptx->jit->builder;
    LLVMValueRef own =
        LLVMBuildShl(builder, jit_constant(ptx->jit, 1), lane, "");
    LLVMValueRef below =
        LLVMBuildSub(builder, own, jit_constant(ptx->jit, 1), "");
    if (strcmp(which, "eq") == 0) {
        return own;
    }
    if (strcmp(which, "lt") == 0) {
        return below;
    }
    if (strcmp(which, "ge") == 0) {
        return LLVMBuildNot(builder, below, "");
    }
    LLVMValueRef upto = LLVMBuildOr(builder, below, own, "");
    if (strcmp(which, "le") == 0) {
        return upto;
    }
    return strcmp(which, "gt") == 0 ? LLVMBuildNot(builder, upto, "") : NULL;
}

/* Warps that fit on a multiprocessor: 2048 threads, as the device attribute
 * says, in warps of 32. */
enum { WARP_SLOTS = 2048 / 32 };

/* Returns the value of %tid.x and similar registers, NULL for other names. */
static LLVMValueRef
geometry(struct ptx *ptx, const char *name)
{
    static const struct {
        const char *name, *function;
    } rows[] = {
        {"%tid.", "__pycuda_tid"},         {"%ntid.", "__pycuda_ntid"},
        {"%ctaid.", "__pycuda_ctaid"},     {"%nctaid.", "__pycuda_nctaid"},
        {"%clusterid.", "__pycuda_ctaid"}, {"%nclusterid.", "__pycuda_nctaid"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t length = strlen(rows[i].name);
        if (strncmp(name, rows[i].name, length) == 0 &&
            strlen(name) == length + 1 && strchr("xyz", name[length])) {
            return build_query(ptx, rows[i].function, ptx->jit->i32,
                               name[length] - 'x');
        }
    }
    return NULL;
}

/* Returns the value of a clock register, such as %clock64 or its halves %clock
 * and %clock_hi. Returns NULL for other names. */
static LLVMValueRef
clock_value(struct ptx *ptx, const char *name)
{
    static const struct {
        const char *name, *function;
        unsigned shift, bits;
    } rows[] = {
        {"%clock", "__pycuda_clock64", 0, 32},
        {"%clock_hi", "__pycuda_clock64", 32, 32},
        {"%clock64", "__pycuda_clock64", 0, 64},
        {"%globaltimer", "__pycuda_globaltimer", 0, 64},
        {"%globaltimer_lo", "__pycuda_globaltimer", 0, 32},
        {"%globaltimer_hi", "__pycuda_globaltimer", 32, 32},
    };
    struct jit *jit = ptx->jit;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(name, rows[i].name) == 0) {
            LLVMValueRef shift = LLVMConstInt(jit->i64, rows[i].shift, false);
            LLVMValueRef time = LLVMBuildLShr(
                jit->builder, build_query(ptx, rows[i].function, jit->i64, -1),
                shift, "");
            return rows[i].bits == 64
                       ? time
                       : LLVMBuildTrunc(jit->builder, time, jit->i32, "");
        }
    }
    return NULL;
}

/* Builds the value of %smid: the linear index of the block modulo `count`, the
 * number of multiprocessors. */
static LLVMValueRef
multiprocessor(struct ptx *ptx, LLVMValueRef count)
{
    LLVMBuilderRef builder = ptx->jit->builder;
    LLVMTypeRef i32 = ptx->jit->i32;
    LLVMValueRef block = build_query(ptx, "__pycuda_ctaid", i32, 2);
    for (int axis = 1; axis >= 0; axis--) {
        LLVMValueRef size = build_query(ptx, "__pycuda_nctaid", i32, axis);
        LLVMValueRef own = build_query(ptx, "__pycuda_ctaid", i32, axis);
        block = LLVMBuildAdd(builder, LLVMBuildMul(builder, block, size, ""),
                             own, "");
    }
    return LLVMBuildURem(builder, block, count, "");
}

/* Tests whether the name consists of `prefix`, a number below `count`, and
 * `suffix`. */
static bool
is_numbered(const char *name, const char *prefix, unsigned count,
            const char *suffix)
{
    char expected[32];

    for (unsigned i = 0; i < count; i++) {
        snprintf(expected, sizeof expected, "%s%u%s", prefix, i, suffix);
        if (strcmp(name, expected) == 0) {
            return true;
        }
    }
    return false;
}

/* Returns the value of a special register that is constant on the CPU device:
 * a cluster has one block, for example. Returns NULL for other names. */
static LLVMValueRef
fixed_value(struct ptx *ptx, const char *name)
{
    static const struct {
        const char *name;
        unsigned value, bits;
    } rows[] = {
        {"%nwarpid", WARP_SLOTS, 32},
        {"%gridid", 0, 64},
        {"%cluster_ctarank", 0, 32},
        {"%cluster_nctarank", 1, 32},
        {"%cluster_ctaid.x", 0, 32},
        {"%cluster_ctaid.y", 0, 32},
        {"%cluster_ctaid.z", 0, 32},
        {"%cluster_nctaid.x", 1, 32},
        {"%cluster_nctaid.y", 1, 32},
        {"%cluster_nctaid.z", 1, 32},
        {"%is_explicit_cluster", 0, 1},
        {"%current_graph_exec", 0, 64},
        /* No shared memory is reserved for the system, so these are 0. */
        {"%reserved_smem_offset_begin", 0, 32},
        {"%reserved_smem_offset_end", 0, 32},
        {"%reserved_smem_offset_cap", 0, 32},
        {"%reserved_smem_offset_0", 0, 32},
        {"%reserved_smem_offset_1", 0, 32},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(name, rows[i].name) == 0) {
            return LLVMConstInt(
                LLVMIntTypeInContext(ptx->jit->context, rows[i].bits),
                rows[i].value, 0);
        }
    }
    /* The performance counters (%pm) and the registers that the driver sets
     * (%envreg) are 0. */
    if (is_numbered(name, "%pm", 8, "_64")) {
        return LLVMConstInt(ptx->jit->i64, 0, 0);
    }
    return is_numbered(name, "%pm", 8, "") ||
                   is_numbered(name, "%envreg", 32, "")
               ? jit_constant(ptx->jit, 0)
               : NULL;
}

LLVMValueRef
ptx_special(struct ptx *ptx, const char *name)
{
    struct jit *jit = ptx->jit;
    LLVMBuilderRef builder = jit->builder;
    LLVMValueRef time = clock_value(ptx, name);
    if (time) {
        return time;
    }
    LLVMValueRef number = fixed_value(ptx, name);
    if (number) {
        return number;
    }
    if (strcmp(name, "%smid") == 0 || strcmp(name, "%nsmid") == 0) {
        LLVMValueRef count =
            build_query(ptx, "__pycuda_multiprocessors", jit->i32, -1);
        return name[1] == 'n' ? count : multiprocessor(ptx, count);
    }
    if (strcmp(name, "%dynamic_smem_size") == 0) {
        return build_query(ptx, "__pycuda_dynamic_shared", jit->i32, -1);
    }
    bool warp = strcmp(name, "%warpid") == 0;
    bool mask = strncmp(name, "%lanemask_", 10) == 0;
    if (!warp && !mask && strcmp(name, "%laneid") != 0) {
        return geometry(ptx, name);
    }
    LLVMValueRef linear = build_query(ptx, "__pycuda_linear", jit->i32, -1);
    if (warp) {
        return LLVMBuildLShr(builder, linear, jit_constant(jit, 5), "");
    }
    LLVMValueRef lane =
        LLVMBuildAnd(builder, linear, jit_constant(jit, 31), "");
    return mask ? lane_mask(ptx, name + 10, lane) : lane;
}

/* ---- reads and writes ---- */

/* Converts the value of the register `name` to the PTX type. If the value has
 * more bits than the type, truncates it if `cut` is true, and fails
 * otherwise. */
static LLVMValueRef
fit(struct ptx *ptx, const char *name, LLVMValueRef value,
    struct ptx_type type, bool cut)
{
    unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(value));
    LLVMTypeRef integer = LLVMIntTypeInContext(ptx->jit->context, type.bits);
    if (bits > type.bits && cut) {
        value = LLVMBuildTrunc(ptx->jit->builder, value, integer, "");
    } else if (bits != type.bits) {
        ptx_fail(ptx, "'%s' has %u bits, but %u are required", name, bits,
                 type.bits);
        return NULL;
    }
    return LLVMBuildBitCast(ptx->jit->builder, value, ptx_llvm_type(ptx, type),
                            "");
}

/* Returns the value of a register, a special register, the handle in a
 * reference or an address of another variable, as an integer of its own width;
 * NULL for unknown names. */
static LLVMValueRef
value_of(struct ptx *ptx, const char *name)
{
    struct ptx_symbol *own = ptx_find(ptx, name);
    if (own && own->kind == PTX_SYMBOL_REGISTER) {
        LLVMTypeRef type =
            LLVMIntTypeInContext(ptx->jit->context, own->type.bits);
        return LLVMBuildLoad2(ptx->jit->builder, type, ptx_slot(ptx, own), "");
    }
    if (own && own->is_reference) {
        return LLVMBuildLoad2(ptx->jit->builder, ptx->jit->i64, own->value,
                              "");
    }
    if (own && (own->kind == PTX_SYMBOL_VARIABLE ||
                own->kind == PTX_SYMBOL_FUNCTION)) {
        return ptx_symbol_address(ptx, own);
    }
    if (strcmp(name, "WARP_SZ") == 0) {
        return jit_constant(ptx->jit, 32);
    }
    return name[0] == '%' ? ptx_special(ptx, name) : NULL;
}

/* Reads a number that is an element of a vector of operands. */
static LLVMValueRef
read_number(struct ptx *ptx, const char *name, struct ptx_type type)
{
    struct ptx_operand operand = {0};
    const char *end = ptx_read_number(ptx, name, &operand);
    if (!end || *end) {
        ptx_fail(ptx, "it uses '%s'", name);
        return NULL;
    }
    return ptx_read(ptx, &operand, type, false);
}

LLVMValueRef
ptx_read_name(struct ptx *ptx, const char *name, struct ptx_type type,
              bool cut)
{
    if (isdigit((unsigned char)name[0]) || name[0] == '-') {
        return read_number(ptx, name, type);
    }
    bool negated = name[0] == '!';
    struct ptx_symbol *own = ptx_find(ptx, name + negated);
    LLVMValueRef value = value_of(ptx, name + negated);
    if (!value) {
        ptx_fail(ptx, "it uses '%s'", name);
        return NULL;
    }
    if (negated) {
        value = LLVMBuildNot(ptx->jit->builder, value, "");
    }
    /* An address in the shared space fits in 32 bits. */
    cut |= own && own->kind == PTX_SYMBOL_VARIABLE &&
           own->space == PTX_SPACE_SHARED && type.bits >= 32;
    return fit(ptx, name, value, type, cut);
}

/* Adds the offset of an operand, such as 8 in `variable + 8`, to the value of
 * the operand. */
static LLVMValueRef
add_offset(struct ptx *ptx, const struct ptx_operand *operand,
           LLVMValueRef value)
{
    if (!value || !operand->offset) {
        return value;
    }
    LLVMTypeRef type = LLVMTypeOf(value);
    if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind) {
        ptx_fail(ptx, "an operand is of the wrong kind");
        return NULL;
    }
    return LLVMBuildAdd(ptx->jit->builder, value,
                        LLVMConstInt(type, (uint64_t)operand->offset, 1), "");
}

LLVMValueRef
ptx_read(struct ptx *ptx, const struct ptx_operand *operand,
         struct ptx_type type, bool cut)
{
    LLVMTypeRef wanted = ptx_llvm_type(ptx, type);
    if (operand->kind == PTX_REGISTER) {
        return add_offset(ptx, operand,
                          ptx_read_name(ptx, operand->names[0], type, cut));
    }
    if (operand->kind == PTX_ELEMENT) {
        LLVMValueRef value = ptx_element_address(ptx, operand);
        return value
                   ? fit(ptx, operand->names[0], value, type, type.bits == 32)
                   : NULL;
    }
    if (operand->kind == PTX_INTEGER && type.letter != 'f') {
        return LLVMConstInt(wanted, operand->bits, 0);
    }
    if (operand->kind == PTX_FLOAT && type.letter != 's') {
        LLVMTypeRef bits =
            LLVMIntTypeInContext(ptx->jit->context, operand->width);
        LLVMValueRef value = LLVMConstInt(bits, operand->bits, 0);
        struct ptx_type own = {'f', operand->width};
        value = LLVMConstBitCast(value, ptx_llvm_type(ptx, own));
        if (type.letter != 'f') {
            return fit(ptx, "a number", LLVMConstBitCast(value, bits), type,
                       false);
        }
        return LLVMBuildFPCast(ptx->jit->builder, value, wanted, "");
    }
    ptx_fail(ptx, "an operand is of the wrong kind");
    return NULL;
}

bool
ptx_write(struct ptx *ptx, const char *name, struct ptx_type type,
          LLVMValueRef value, bool widen)
{
    LLVMBuilderRef builder = ptx->jit->builder;
    struct ptx_symbol *own = ptx_find(ptx, name);
    if (strcmp(name, "_") == 0) {
        return true;
    }
    if (!own || own->kind != PTX_SYMBOL_REGISTER) {
        return ptx_fail(ptx, "it writes to '%s'", name);
    }
    LLVMTypeRef target =
        LLVMIntTypeInContext(ptx->jit->context, own->type.bits);
    value = LLVMBuildBitCast(
        builder, value, LLVMIntTypeInContext(ptx->jit->context, type.bits),
        "");
    if (own->type.bits > type.bits && widen) {
        value = type.letter == 's' && !PLANTED_FAULT(ptx_sign_lost)
                    ? LLVMBuildSExt(builder, value, target, "")
                    : LLVMBuildZExt(builder, value, target, "");
    } else if (own->type.bits != type.bits) {
        return ptx_fail(ptx, "'%s' has %u bits, but %u are written", name,
                        own->type.bits, type.bits);
    }
    LLVMValueRef slot = ptx_slot(ptx, own);
    if (ptx->predicate && !PLANTED_FAULT(ptx_guard_lost)) {
        LLVMValueRef old = LLVMBuildLoad2(builder, target, slot, "");
        value = LLVMBuildSelect(builder, ptx->predicate, value, old, "");
    }
    LLVMBuildStore(builder, value, slot);
    return true;
}

LLVMValueRef
ptx_intrinsic(struct ptx *ptx, const char *name, LLVMTypeRef type,
              LLVMValueRef *arguments, unsigned count)
{
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef function =
        LLVMGetIntrinsicDeclaration(ptx->jit->module, id, &type, 1);
    return LLVMBuildCall2(ptx->jit->builder, LLVMGlobalGetValueType(function),
                          function, arguments, count, "");
}
