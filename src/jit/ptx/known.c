/* known.c - the types of the functions that PTX may call without a definition:
 * the functions of the runtime and of the C library.
 *
 * A .func of PTX tells only the sizes of its parameters, but pointers, floats
 * and integers of one size are passed in different registers of the host.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "image/abi.h"
#include "image/symbols.h"
#include "jit/jit.h"
#include "jit/output/slow_path.h"
#include "jit/ptx/flow.h"
#include "jit/ptx/ptx.h"

enum { MAX_PARAMETERS = 16 };

static const struct {
    const char *name, *result, *parameters;
} functions[] = {
#define RUNTIME_ROW(result, name, arguments, stops)                           \
    {#name, #result, #arguments},
    IMAGE_RUNTIME(RUNTIME_ROW)
#undef RUNTIME_ROW
        {"vprintf", "int32_t", "(const char *format, const void *args)"},
    {"malloc", "void *", "(size_t bytes)"},
    {"free", "void", "(void *pointer)"},
    {"__assertfail", "void",
     "(const char *expression, const char *file, uint32_t line, const char "
     "*function)"},
    {"__pycuda_tid", "int32_t", "(int axis)"},
    {"__pycuda_ctaid", "int32_t", "(int axis)"},
    {"__pycuda_ntid", "int32_t", "(int axis)"},
    {"__pycuda_nctaid", "int32_t", "(int axis)"},
    {"__pycuda_linear", "int32_t", "(void)"},
    {"__pycuda_dynamic_shared", "int32_t", "(void)"},
    {"memcmp", "int32_t", "(const void *a, const void *b, size_t bytes)"},
    {"memcpy", "void *", "(void *a, const void *b, size_t bytes)"},
    {"memmove", "void *", "(void *a, const void *b, size_t bytes)"},
    {"memset", "void *", "(void *a, int value, size_t bytes)"},
    {"strlen", "size_t", "(const char *text)"},
    {"frexp", "double", "(double x, int *exponent)"},
    {"frexpf", "float", "(float x, int *exponent)"},
    {"modf", "double", "(double x, double *whole)"},
    {"modff", "float", "(float x, float *whole)"},
    {"remquo", "double", "(double x, double y, int *quotient)"},
    {"remquof", "float", "(float x, float y, int *quotient)"},
    {"sincos", "void", "(double x, double *s, double *c)"},
    {"sincosf", "void", "(float x, float *s, float *c)"},
    {"ldexp", "double", "(double x, int n)"},
    {"ldexpf", "float", "(float x, int n)"},
    {"scalbn", "double", "(double x, int n)"},
    {"scalbnf", "float", "(float x, int n)"},
    {"scalbln", "double", "(double x, size_t n)"},
    {"scalblnf", "float", "(float x, size_t n)"},
    {"jn", "double", "(int n, double x)"},
    {"jnf", "float", "(int n, float x)"},
    {"yn", "double", "(int n, double x)"},
    {"ynf", "float", "(int n, float x)"},
    {"ilogb", "int", "(double x)"},
    {"ilogbf", "int", "(float x)"},
    {"llrint", "size_t", "(double x)"},
    {"llrintf", "size_t", "(float x)"},
    {"llround", "size_t", "(double x)"},
    {"llroundf", "size_t", "(float x)"},
    {"lrint", "size_t", "(double x)"},
    {"lrintf", "size_t", "(float x)"},
    {"lround", "size_t", "(double x)"},
    {"lroundf", "size_t", "(float x)"},
};

/* Returns the LLVM type of a declaration in C, such as `const void *args`. */
static LLVMTypeRef
c_type(struct jit *jit, const char *text, size_t length)
{
    static const struct {
        const char *name;
        int bits; /* negative: a float */
    } rows[] = {{"double", -64}, {"float", -32}, {"64_t", 64},
                {"size_t", 64},  {"32_t", 32},   {"int", 32}};
    if (memchr(text, '*', length)) {
        return jit->pointer;
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (memmem(text, length, rows[i].name, strlen(rows[i].name))) {
            return rows[i].bits == -64 ? LLVMDoubleTypeInContext(jit->context)
                   : rows[i].bits == -32 ? LLVMFloatTypeInContext(jit->context)
                   : rows[i].bits == 64  ? jit->i64
                                         : jit->i32;
        }
    }
    return LLVMVoidTypeInContext(jit->context);
}

/* Returns the LLVM type of a function from its declaration in C. */
static LLVMTypeRef
declared_type(struct jit *jit, const char *result, const char *parameters)
{
    LLVMTypeRef types[MAX_PARAMETERS];
    unsigned count = 0;
    const char *at = parameters + 1;
    while (strcmp(parameters, "(void)") != 0 && *at &&
           count < MAX_PARAMETERS) {
        size_t length = strcspn(at, ",)");
        types[count++] = c_type(jit, at, length);
        at += length + 1;
    }
    return LLVMFunctionType(c_type(jit, result, strlen(result)), types, count,
                            0);
}

/* Returns the type of the slow-path call of a function (output/slow_path.c):
 * its parameters are the condition, the result of the fast path, and then the
 * arguments of the function. */
static LLVMTypeRef
slow_path_type(struct jit *jit, LLVMTypeRef type)
{
    LLVMTypeRef types[MAX_PARAMETERS + 2];
    unsigned count = LLVMCountParamTypes(type);
    types[0] = jit->i1;
    types[1] = LLVMGetReturnType(type);
    LLVMGetParamTypes(type, types + 2);
    return LLVMFunctionType(types[1], types, count + 2, 0);
}

static bool
is_libm(const char *name)
{
#define LIBM_ROW(name) #name, #name "f",
#define COMPLEX_ROW(name)                                                     \
    "__pycuda_" #name "_re", "__pycuda_" #name "_im",                         \
        "__pycuda_" #name "f_re", "__pycuda_" #name "f_im",
    static const char *const names[] = {IMAGE_LIBM(LIBM_ROW)
                                            IMAGE_COMPLEX(COMPLEX_ROW)};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(name, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

bool
ptx_known_is_pure(const char *name, LLVMTypeRef type)
{
    LLVMTypeRef types[MAX_PARAMETERS + 2];
    unsigned count = LLVMCountParamTypes(type);

    LLVMGetParamTypes(type, types);
    for (unsigned i = 0; i < count; i++) {
        if (LLVMGetTypeKind(types[i]) == LLVMPointerTypeKind) {
            return false;
        }
    }
    return jit_slow_path_function(name) || is_libm(name);
}

LLVMTypeRef
ptx_known_type(struct ptx *ptx, const char *name,
               const struct ptx_signature *signature)
{
    struct jit *jit = ptx->jit;
    const char *slow_path = jit_slow_path_function(name);
    name = slow_path ? slow_path : name;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        if (strcmp(name, functions[i].name) == 0) {
            LLVMTypeRef type = declared_type(jit, functions[i].result,
                                             functions[i].parameters);
            return slow_path ? slow_path_type(jit, type) : type;
        }
    }
    if (!is_libm(name) || signature->parameter_count > MAX_PARAMETERS ||
        signature->result_count != 1) {
        return NULL;
    }
    LLVMTypeRef real = signature->results[0].bytes == 8
                           ? LLVMDoubleTypeInContext(jit->context)
                           : LLVMFloatTypeInContext(jit->context);
    LLVMTypeRef types[MAX_PARAMETERS];
    for (unsigned i = 0; i < signature->parameter_count; i++) {
        /* The first argument of a slow path is its condition. */
        types[i] = slow_path && i == 0 ? jit->i1 : real;
    }
    return LLVMFunctionType(real, types, signature->parameter_count, 0);
}
