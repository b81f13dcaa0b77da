/* intrinsics.c - lowers intrinsics of clang and nvptx to runtime functions.
 *
 * The package's CUDA headers call the runtime functions (image/abi.h)
 * directly. This pass maps two other kinds of calls to runtime functions:
 * those that the front end itself creates (printf, traps, malloc), and the few
 * nvptx builtins that programs use directly. check.c reports an nvptx
 * intrinsic that is missing from the table.
 *
 * SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/report.h"
#include "jit/retarget/retarget.h"

struct rename {
    const char *from;
    const char *to;
};

static const struct rename renames[] = {
    {"vprintf", "__pycuda_vprintf"}, {"malloc", "__pycuda_malloc"},
    {"free", "__pycuda_free"},       {"_Znwm", "__pycuda_malloc"},
    {"_Znam", "__pycuda_malloc"},    {"_ZdlPv", "__pycuda_free"},
    {"_ZdaPv", "__pycuda_free"},     {"__cxa_pure_virtual", "__pycuda_trap"},
};

/* Maps intrinsic `from` to the function to call instead, with constants that
 * are passed before the intrinsic's own arguments. */
struct mapping {
    const char *from;
    const char *to;
    int count;
    int values[2];
};

static const struct mapping mappings[] = {
    {"llvm.trap", "__pycuda_trap", 0, {0}},
    {"llvm.debugtrap", "__pycuda_trap", 0, {0}},
    {"llvm.nvvm.barrier0", "__pycuda_barrier", 2, {0, 0}},
    {"llvm.nvvm.barrier0.popc", "__pycuda_barrier", 1, {1}},
    {"llvm.nvvm.barrier0.and", "__pycuda_barrier", 1, {2}},
    {"llvm.nvvm.barrier0.or", "__pycuda_barrier", 1, {3}},
    {"llvm.nvvm.bar.warp.sync", "__pycuda_warp_barrier", 0, {0}},
    {"llvm.nvvm.read.ptx.sreg.tid.x", "__pycuda_tid", 1, {0}},
    {"llvm.nvvm.read.ptx.sreg.tid.y", "__pycuda_tid", 1, {1}},
    {"llvm.nvvm.read.ptx.sreg.tid.z", "__pycuda_tid", 1, {2}},
    {"llvm.nvvm.read.ptx.sreg.ctaid.x", "__pycuda_ctaid", 1, {0}},
    {"llvm.nvvm.read.ptx.sreg.ctaid.y", "__pycuda_ctaid", 1, {1}},
    {"llvm.nvvm.read.ptx.sreg.ctaid.z", "__pycuda_ctaid", 1, {2}},
    {"llvm.nvvm.read.ptx.sreg.ntid.x", "__pycuda_ntid", 1, {0}},
    {"llvm.nvvm.read.ptx.sreg.ntid.y", "__pycuda_ntid", 1, {1}},
    {"llvm.nvvm.read.ptx.sreg.ntid.z", "__pycuda_ntid", 1, {2}},
    {"llvm.nvvm.read.ptx.sreg.nctaid.x", "__pycuda_nctaid", 1, {0}},
    {"llvm.nvvm.read.ptx.sreg.nctaid.y", "__pycuda_nctaid", 1, {1}},
    {"llvm.nvvm.read.ptx.sreg.nctaid.z", "__pycuda_nctaid", 1, {2}},
    {"llvm.nvvm.read.ptx.sreg.clock64", "__pycuda_clock64", 0, {0}},
    {"llvm.nvvm.read.ptx.sreg.globaltimer", "__pycuda_globaltimer", 0, {0}},
};

/* Renames undefined C and C++ library functions, such as malloc, to those of
 * the runtime. Functions that the program itself defines keep their names. */
static void
rename_functions(struct jit *jit)
{
    for (size_t i = 0; i < sizeof renames / sizeof *renames; i++) {
        LLVMValueRef old = LLVMGetNamedFunction(jit->module, renames[i].from);
        if (!old || !LLVMIsDeclaration(old)) {
            continue;
        }
        LLVMValueRef known = LLVMGetNamedFunction(jit->module, renames[i].to);
        if (known) {
            LLVMReplaceAllUsesWith(old, known);
            LLVMDeleteFunction(old);
        } else {
            LLVMSetValueName2(old, renames[i].to, strlen(renames[i].to));
        }
    }
}

static void
map_call(struct jit *jit, LLVMValueRef call, const struct mapping *row)
{
    LLVMValueRef arguments[8];
    LLVMTypeRef types[8];
    unsigned count = 0, own = LLVMGetNumArgOperands(call);
    for (int i = 0; i < row->count; i++) {
        arguments[count++] = jit_constant(jit, (uint64_t)row->values[i]);
    }
    for (unsigned i = 0; i < own && count < 8; i++) {
        arguments[count++] = LLVMGetOperand(call, i);
    }
    for (unsigned i = 0; i < count; i++) {
        types[i] = LLVMTypeOf(arguments[i]);
    }
    LLVMTypeRef result = LLVMTypeOf(call);
    bool unused = LLVMGetTypeKind(result) == LLVMVoidTypeKind;
    bool barrier = strcmp(row->to, "__pycuda_barrier") == 0;
    LLVMValueRef to =
        jit_declare(jit, row->to, barrier ? jit->i32 : result, types, count);
    LLVMPositionBuilderBefore(jit->builder, call);
    LLVMValueRef made = LLVMBuildCall2(
        jit->builder, LLVMGlobalGetValueType(to), to, arguments, count, "");
    if (unused) {
        LLVMInstructionEraseFromParent(call);
    } else {
        jit_replace(call, made);
    }
}

static void
map_instruction(struct jit *jit, LLVMValueRef instruction, void *data)
{
    (void)data;
    if (!jit_is_call(instruction, "llvm.")) {
        return;
    }
    for (size_t i = 0; i < sizeof mappings / sizeof *mappings; i++) {
        if (jit_calls(instruction, mappings[i].from)) {
            map_call(jit, instruction, &mappings[i]);
            return;
        }
    }
    if (jit_calls(instruction, "llvm.nvvm.read.ptx.sreg.warpsize")) {
        jit_replace(instruction, jit_constant(jit, 32));
    }
}

/* Lowers a call of __pycuda_exchange_16(at, expected, desired, found) from
 * nv_atomics.h, a 16-byte compare-and-swap, to an atomic instruction. The
 * header cannot use one, because clang for nvptx has none with 16 bytes. */
static void
lower_exchange(struct jit *jit, LLVMValueRef instruction, void *data)
{
    (void)data;
    if (!jit_calls(instruction, "__pycuda_exchange_16")) {
        return;
    }
    LLVMTypeRef wide = LLVMIntTypeInContext(jit->context, 128);
    LLVMPositionBuilderBefore(jit->builder, instruction);
    LLVMValueRef expected =
        LLVMBuildLoad2(jit->builder, wide, LLVMGetOperand(instruction, 1), "");
    LLVMValueRef desired =
        LLVMBuildLoad2(jit->builder, wide, LLVMGetOperand(instruction, 2), "");
    LLVMSetAlignment(expected, 1);
    LLVMSetAlignment(desired, 1);
    LLVMValueRef pair = LLVMBuildAtomicCmpXchg(
        jit->builder, LLVMGetOperand(instruction, 0), expected, desired,
        LLVMAtomicOrderingSequentiallyConsistent,
        LLVMAtomicOrderingSequentiallyConsistent, false);
    LLVMSetAlignment(pair, 16);
    LLVMValueRef found = LLVMBuildExtractValue(jit->builder, pair, 0, "");
    LLVMValueRef store =
        LLVMBuildStore(jit->builder, found, LLVMGetOperand(instruction, 3));
    LLVMSetAlignment(store, 1);
    LLVMInstructionEraseFromParent(instruction);
}

/* ---- clusters of blocks: pycuda/cuda/cpu/clusters.h ---- */

static const char cluster_mark[] = "pycuda_cluster ";

/* Tests whether `text`, a list of numbers with separators, contains no number
 * other than 1. An item that is not a number counts as another number. */
static bool
list_is_ones(const char *text)
{
    for (; *text; text++) {
        if (*text == '1' && !isalnum((unsigned char)text[1]) &&
            text[1] != '_') {
            continue;
        }
        if (*text != ' ' && *text != ',') {
            return false;
        }
    }
    return true;
}

/* Removes the annotations that __cluster_dims__ left in the module. Returns
 * true if one of them requests clusters of several blocks. */
static bool
clusters_are_wide(struct jit *jit)
{
    LLVMValueRef function = LLVMGetFirstFunction(jit->module);
    size_t n = sizeof cluster_mark - 1;
    bool wide = false;

    for (; function; function = LLVMGetNextFunction(function)) {
        const char *section = LLVMGetSection(function);
        if (section && strncmp(section, cluster_mark, n) == 0) {
            wide |= !list_is_ones(section + n);
            LLVMSetSection(function, "");
        }
    }
    return wide;
}

static void
lower_cluster(struct jit *jit, LLVMValueRef instruction, void *data)
{
    (void)data;
    if (!jit_calls(instruction, "__pycuda_cluster")) {
        return;
    }
    if (jit->wide_clusters) {
        jit_user_error(instruction,
                       "__cluster_dims__: clusters of more than one block "
                       "cannot run on the CPU device");
    }
    LLVMInstructionEraseFromParent(instruction);
}

void
jit_map_intrinsics(struct jit *jit)
{
    jit->wide_clusters = clusters_are_wide(jit);
    rename_functions(jit);
    jit_each_instruction_of_module(jit, lower_cluster, NULL);
    jit_each_instruction_of_module(jit, map_instruction, NULL);
    jit_each_instruction_of_module(jit, lower_exchange, NULL);
}
