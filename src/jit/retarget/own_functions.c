/* own_functions.c - reports functions of a program that have the name of a
 * CUDA function.
 *
 * Called by check.c. NVRTC declares functions such as max as C++ overloads.
 * One of the overloads, int max(int, int), has the linkage of extern "C". A
 * program may define int max(int, int) itself in extern "C", and its calls
 * then use its definition; a definition with other parameter types is an error
 * in NVRTC. A definition of a function that the C library also has, such as
 * sinf, is an error here, because clang would treat calls of it as calls of
 * the library's function. This file has no state.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "image/symbols.h"
#include "jit/ir.h"
#include "jit/report.h"
#include "jit/retarget/retarget.h"

/* Functions that a program may define in extern "C" with the parameter types
 * of CUDA's function. All parameters and the result have one type. A row has
 * the name, the kind of the type, its bits if it is an integer, and the number
 * of parameters. */
#define FLOATS(name, count)                                                   \
    {name, LLVMDoubleTypeKind, 0, count},                                     \
    {                                                                         \
        name "f", LLVMFloatTypeKind, 0, count                                 \
    }
#define INTEGERS(name, bits, count)                                           \
    {                                                                         \
        name, LLVMIntegerTypeKind, bits, count                                \
    }
static const struct {
    const char *name;
    LLVMTypeKind kind;
    unsigned bits, count;
} definable[] = {INTEGERS("abs", 32, 1),    INTEGERS("labs", 64, 1),
                 INTEGERS("llabs", 64, 1),  INTEGERS("min", 32, 2),
                 INTEGERS("max", 32, 2),    INTEGERS("umin", 32, 2),
                 INTEGERS("umax", 32, 2),   INTEGERS("llmin", 64, 2),
                 INTEGERS("llmax", 64, 2),  INTEGERS("ullmin", 64, 2),
                 INTEGERS("ullmax", 64, 2), FLOATS("rsqrt", 1),
                 FLOATS("rcbrt", 1),        FLOATS("sinpi", 1),
                 FLOATS("cospi", 1),        FLOATS("erfinv", 1),
                 FLOATS("erfcinv", 1),      FLOATS("erfcx", 1),
                 FLOATS("normcdf", 1),      FLOATS("normcdfinv", 1),
                 FLOATS("norm3d", 3),       FLOATS("norm4d", 4),
                 FLOATS("rhypot", 2),       FLOATS("cyl_bessel_i0", 1),
                 FLOATS("cyl_bessel_i1", 1)};

/* Functions of CUDA: this file reports an error if a program defines one of
 * them in extern "C". */
#define CLASH_ROW(name) #name, #name "f",
static const char *const others[] = {IMAGE_LIBM(CLASH_ROW) "sincospi",
                                     "sincospif",
                                     "norm",
                                     "normf",
                                     "nan",
                                     "nanf",
                                     "malloc",
                                     "free",
                                     "printf",
                                     "clock64"};

#define COUNT(table) (sizeof(table) / sizeof *(table))

/* Returns true if the function has the number of parameters that definable[i]
 * specifies, and if its result and all parameters have the type that
 * definable[i] specifies. */
static bool
has_types(LLVMValueRef function, size_t i)
{
    LLVMTypeRef result = LLVMGetReturnType(LLVMGlobalGetValueType(function));
    bool well = LLVMGetTypeKind(result) == definable[i].kind &&
                LLVMCountParams(function) == definable[i].count &&
                (definable[i].bits == 0 ||
                 LLVMGetIntTypeWidth(result) == definable[i].bits);

    for (unsigned n = 0; well && n < definable[i].count; n++) {
        well = LLVMTypeOf(LLVMGetParam(function, n)) == result;
    }
    return well;
}

static bool
is_clash(LLVMValueRef function)
{
    const char *name = jit_name(function);

    for (size_t i = 0; i < COUNT(definable); i++) {
        if (!strcmp(name, definable[i].name)) {
            return !has_types(function, i);
        }
    }
    for (size_t i = 0; i < COUNT(others); i++) {
        if (!strcmp(name, others[i])) {
            return true;
        }
    }
    return false;
}

void
jit_check_own_function(LLVMValueRef function)
{
    if (!LLVMIsDeclaration(function) && is_clash(function)) {
        LLVMValueRef last =
            LLVMGetBasicBlockTerminator(LLVMGetLastBasicBlock(function));
        jit_user_error(last,
                       "more than one instance of overloaded function '%s' "
                       "has \"C\" linkage: CUDA declares one",
                       jit_name(function));
    }
}
