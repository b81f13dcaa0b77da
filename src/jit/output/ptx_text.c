/* ptx_text.c - writes the module as PTX, by LLVM's NVPTX back end.
 *
 * A function of the runtime for which nvptx has an intrinsic, such as
 * __pycuda_tid, is replaced by that intrinsic. All other functions of the
 * runtime stay external functions, which the reader of PTX (jit/ptx) knows.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>

#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/output/output.h"
#include "jit/report.h"
#include "jit/retarget/retarget.h"
#include "jit/text.h"

/* The highest compute capability that LLVM 19 can generate code for, times
 * 10. */
enum { MAX_ARCH = 90 };

static const struct {
    const char *from, *to;
    bool has_axis; /* the name of the intrinsic ends in .x, .y or .z */
    bool drops_arguments;
} rows[] = {
    {"__pycuda_tid", "llvm.nvvm.read.ptx.sreg.tid", true, true},
    {"__pycuda_ntid", "llvm.nvvm.read.ptx.sreg.ntid", true, true},
    {"__pycuda_ctaid", "llvm.nvvm.read.ptx.sreg.ctaid", true, true},
    {"__pycuda_nctaid", "llvm.nvvm.read.ptx.sreg.nctaid", true, true},
    {"__pycuda_warp_barrier", "llvm.nvvm.bar.warp.sync", false, false},
    {"__pycuda_trap", "llvm.trap", false, false},
    {"__pycuda_clock64", "llvm.nvvm.read.ptx.sreg.clock64", false, false},
    {"__pycuda_globaltimer", "llvm.nvvm.read.ptx.sreg.globaltimer", false,
     false},
};

/* Functions of the runtime that exist in CUDA under another name. */
static const char *const renames[][2] = {{"__pycuda_vprintf", "vprintf"},
                                         {"__pycuda_malloc", "malloc"},
                                         {"__pycuda_free", "free"}};

static void
replace_by(struct jit *jit, LLVMValueRef call, const char *name, bool drop)
{
    LLVMValueRef arguments[2];
    unsigned count = drop ? 0 : LLVMGetNumArgOperands(call);
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    if (!id || count > 2) {
        jit_die("PTX: no intrinsic %s", name);
    }
    for (unsigned i = 0; i < count; i++) {
        arguments[i] = LLVMGetOperand(call, i);
    }
    LLVMValueRef to = LLVMGetIntrinsicDeclaration(jit->module, id, NULL, 0);
    LLVMPositionBuilderBefore(jit->builder, call);
    LLVMValueRef made = LLVMBuildCall2(
        jit->builder, LLVMGlobalGetValueType(to), to, arguments, count, "");
    if (LLVMGetTypeKind(LLVMTypeOf(call)) == LLVMVoidTypeKind) {
        LLVMInstructionEraseFromParent(call);
    } else {
        jit_replace(call, made);
    }
}

static bool
is_zero(LLVMValueRef value)
{
    return LLVMIsAConstantInt(value) && !LLVMConstIntGetZExtValue(value);
}

/* Replaces a call of a function of the runtime by an intrinsic of nvptx. */
static void
replace_call(struct jit *jit, LLVMValueRef call, void *data)
{
    (void)data;
    if (jit_calls(call, "__pycuda_barrier") &&
        is_zero(LLVMGetOperand(call, 0)) && !LLVMGetFirstUse(call)) {
        replace_by(jit, call, "llvm.nvvm.barrier0", true);
        return;
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!jit_calls(call, rows[i].from)) {
            continue;
        }
        LLVMValueRef axis = rows[i].has_axis ? LLVMGetOperand(call, 0) : NULL;
        if (axis && (!LLVMIsAConstantInt(axis) ||
                     LLVMConstIntGetZExtValue(axis) > 2)) {
            return;
        }
        const char *name =
            axis ? jit_format("%s.%c", rows[i].to,
                              'x' + (char)LLVMConstIntGetZExtValue(axis))
                 : rows[i].to;
        replace_by(jit, call, name, rows[i].drops_arguments);
        return;
    }
}

/* Replaces a conversion of a float to an integer by the PTX instruction cvt.
 * For NaN and for numbers out of range, cvt has the same result as a
 * conversion in CUDA C++. LLVM's back end would write several instructions,
 * which convert NaN to 0. For an integer of fewer than 32 bits, the float
 * becomes a 32-bit integer whose low bits are the result, as in code of nvcc.
 */
static void
replace_conversion(struct jit *jit, LLVMValueRef at, void *data)
{
    static const char *const names[2][2][2] = {
        /* indices: [float or double][result of up to 32, or of 64 bits][signed
         * or unsigned] */
        {{"llvm.nvvm.f2i.rz", "llvm.nvvm.f2ui.rz"},
         {"llvm.nvvm.f2ll.rz", "llvm.nvvm.f2ull.rz"}},
        {{"llvm.nvvm.d2i.rz", "llvm.nvvm.d2ui.rz"},
         {"llvm.nvvm.d2ll.rz", "llvm.nvvm.d2ull.rz"}}};
    LLVMTypeRef type = LLVMTypeOf(at);
    bool saturates = jit_is_call(at, "llvm.fptosi.sat.") ||
                     jit_is_call(at, "llvm.fptoui.sat.");
    bool is_unsigned =
        LLVMIsAFPToUIInst(at) || jit_is_call(at, "llvm.fptoui.sat.");
    (void)data;
    if ((!saturates && !LLVMIsAFPToSIInst(at) && !LLVMIsAFPToUIInst(at)) ||
        LLVMGetTypeKind(type) != LLVMIntegerTypeKind) {
        return;
    }
    unsigned bits = LLVMGetIntTypeWidth(type);
    if (bits > 64 || (bits >= 32 && !saturates)) {
        return;
    }
    LLVMPositionBuilderBefore(jit->builder, at);
    LLVMValueRef from = LLVMGetOperand(at, 0);
    LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(from));
    if (kind == LLVMHalfTypeKind || kind == LLVMBFloatTypeKind) {
        LLVMTypeRef wide = LLVMFloatTypeInContext(jit->context);
        from = LLVMBuildFPExt(jit->builder, from, wide, "");
    }
    const char *name =
        names[kind == LLVMDoubleTypeKind][bits > 32][is_unsigned];
    LLVMValueRef function = LLVMGetIntrinsicDeclaration(
        jit->module, LLVMLookupIntrinsicID(name, strlen(name)), NULL, 0);
    LLVMValueRef made =
        LLVMBuildCall2(jit->builder, LLVMGlobalGetValueType(function),
                       function, &from, 1, "");
    jit_replace(at, LLVMBuildTruncOrBitCast(jit->builder, made, type, ""));
}

/* Replaces a fence by the strongest one of PTX: LLVM's back end has no
 * instruction for `fence`, and LLVM-C cannot query the scope of a fence. */
static void
replace_fence(struct jit *jit, LLVMValueRef at, void *data)
{
    static const char name[] = "llvm.nvvm.membar.sys";
    (void)data;
    if (!LLVMIsAFenceInst(at)) {
        return;
    }
    LLVMValueRef function = LLVMGetIntrinsicDeclaration(
        jit->module, LLVMLookupIntrinsicID(name, strlen(name)), NULL, 0);
    LLVMPositionBuilderBefore(jit->builder, at);
    LLVMBuildCall2(jit->builder, LLVMGlobalGetValueType(function), function,
                   NULL, 0, "");
    LLVMInstructionEraseFromParent(at);
}

/* Replaces a conversion to a rounded integer, for which the back end has no
 * instruction, by rounding and a conversion. */
static void
replace_rounding(struct jit *jit, LLVMValueRef at, void *data)
{
    static const char *const rounding[][2] = {
        {"llvm.lrint.", "llvm.rint"},
        {"llvm.llrint.", "llvm.rint"},
        {"llvm.lround.", "llvm.round"},
        {"llvm.llround.", "llvm.round"},
    };
    (void)data;
    for (size_t i = 0; i < sizeof rounding / sizeof *rounding; i++) {
        if (!jit_is_call(at, rounding[i][0])) {
            continue;
        }
        const char *name = rounding[i][1];
        LLVMValueRef x = LLVMGetOperand(at, 0);
        LLVMTypeRef type = LLVMTypeOf(x), to = LLVMTypeOf(at);
        LLVMValueRef function = LLVMGetIntrinsicDeclaration(
            jit->module, LLVMLookupIntrinsicID(name, strlen(name)), &type, 1);
        LLVMPositionBuilderBefore(jit->builder, at);
        LLVMValueRef whole =
            LLVMBuildCall2(jit->builder, LLVMGlobalGetValueType(function),
                           function, &x, 1, "");
        jit_replace(at, LLVMBuildFPToSI(jit->builder, whole, to, ""));
        return;
    }
}

/* Replaces a remainder of floats by a call of the C library's function: the
 * back end would compute x - trunc(x / y) * y, which is not exact. */
static void
replace_remainder(struct jit *jit, LLVMValueRef at, void *data)
{
    LLVMTypeRef type = LLVMTypeOf(at);
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    (void)data;
    if (!LLVMIsAInstruction(at) || LLVMGetInstructionOpcode(at) != LLVMFRem ||
        (kind != LLVMFloatTypeKind && kind != LLVMDoubleTypeKind)) {
        return;
    }
    LLVMTypeRef types[] = {type, type};
    LLVMValueRef operands[] = {LLVMGetOperand(at, 0), LLVMGetOperand(at, 1)};
    LLVMValueRef function = jit_declare(
        jit, kind == LLVMFloatTypeKind ? "fmodf" : "fmod", type, types, 2);
    LLVMPositionBuilderBefore(jit->builder, at);
    jit_replace(at,
                LLVMBuildCall2(jit->builder, LLVMGlobalGetValueType(function),
                               function, operands, 2, ""));
}

/* Opens LLVM's back end for nvptx. */
static void
open_back_end(struct jit *jit)
{
    LLVMTargetRef target;
    char *message = NULL;
    unsigned arch =
        jit->options.arch < MAX_ARCH ? jit->options.arch : (unsigned)MAX_ARCH;
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    const char *triple = LLVMGetTarget(jit->module);
    if (LLVMGetTargetFromTriple(triple, &target, &message)) {
        jit_die("PTX: %s", message);
    }
    jit->machine = LLVMCreateTargetMachine(
        target, triple, jit_format("sm_%u", arch),
        arch > 80 ? "+ptx78" : "+ptx70", LLVMCodeGenLevelDefault,
        LLVMRelocDefault, LLVMCodeModelDefault);
}

void
jit_write_ptx(struct jit *jit)
{
    LLVMMemoryBufferRef text;
    char *message = NULL;
    jit_check_declarations(jit);
    jit_stop_on_errors();
    LLVMStripModuleDebugInfo(jit->module);
    jit_lower_indices(jit);
    jit_lower_variadic(jit);
    jit_each_instruction_of_module(jit, replace_fence, NULL);
    jit_each_instruction_of_module(jit, replace_rounding, NULL);
    jit_each_instruction_of_module(jit, replace_remainder, NULL);
    jit_each_instruction_of_module(jit, replace_call, NULL);
    jit_each_instruction_of_module(jit, replace_conversion, NULL);
    for (size_t i = 0; i < sizeof renames / sizeof *renames; i++) {
        LLVMValueRef old = LLVMGetNamedFunction(jit->module, renames[i][0]);
        if (old && !LLVMGetNamedFunction(jit->module, renames[i][1])) {
            LLVMSetValueName2(old, renames[i][1], strlen(renames[i][1]));
        }
    }
    open_back_end(jit);
    jit_run_passes(jit, "always-inline,default<O2>,globaldce,"
                        "strip-dead-prototypes");
    if (LLVMTargetMachineEmitToMemoryBuffer(
            jit->machine, jit->module, LLVMAssemblyFile, &message, &text)) {
        jit_die("PTX: %s", message);
    }
    fwrite(LLVMGetBufferStart(text), 1, LLVMGetBufferSize(text), stdout);
}
