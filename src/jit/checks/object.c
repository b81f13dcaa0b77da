/* object.c - finds the variable or parameter that an address was derived from.
 *
 * Called by insert.c. Follows address arithmetic, casts, and phis or selects
 * between addresses of one object, but no loads from memory.
 *
 * SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "image/abi.h"
#include "image/image.h"
#include "jit/checks/checks.h"
#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/retarget/retarget.h"
#include "jit/text.h"

enum { MAX_STEPS = 64 };

struct walk {
    LLVMValueRef seen[MAX_STEPS];
    unsigned count;
    LLVMValueRef base; /* address of the object found so far; NULL: none */
    /* true: the address may come from several objects or an unknown one */
    bool mixed;
};

static void walk_from(struct walk *walk, LLVMValueRef value);

static void
walk_choice(struct walk *walk, LLVMValueRef value)
{
    if (LLVMIsAPHINode(value)) {
        for (unsigned i = 0; i < LLVMCountIncoming(value); i++) {
            walk_from(walk, LLVMGetIncomingValue(value, i));
        }
    } else {
        walk_from(walk, LLVMGetOperand(value, 1));
        walk_from(walk, LLVMGetOperand(value, 2));
    }
}

/* Returns the operand from which the instruction computes its address, or NULL
 * if there is none. */
static LLVMValueRef
step_back(LLVMValueRef value)
{
    if (LLVMIsAInstruction(value)) {
        return LLVMIsAGetElementPtrInst(value) || LLVMIsABitCastInst(value) ||
                       LLVMIsAAddrSpaceCastInst(value)
                   ? LLVMGetOperand(value, 0)
                   : NULL;
    }
    if (LLVMIsAConstantExpr(value)) {
        LLVMOpcode code = LLVMGetConstOpcode(value);

        return code == LLVMGetElementPtr || code == LLVMBitCast ||
                       code == LLVMAddrSpaceCast
                   ? LLVMGetOperand(value, 0)
                   : NULL;
    }
    return NULL;
}

/* Tests whether the value was visited before, and records it as visited. After
 * too many values, sets walk->mixed. */
static bool
walk_visit(struct walk *walk, LLVMValueRef value)
{
    for (unsigned i = 0; i < walk->count; i++) {
        if (walk->seen[i] == value) {
            return true;
        }
    }
    if (walk->count == MAX_STEPS) {
        walk->mixed = true;
        return true;
    }
    walk->seen[walk->count++] = value;
    return false;
}

static void
walk_from(struct walk *walk, LLVMValueRef value)
{
    if (walk->mixed || walk_visit(walk, value)) {
        return;
    }
    LLVMValueRef next = step_back(value);
    if (next) {
        walk_from(walk, next);
    } else if (LLVMIsAPHINode(value) || LLVMIsASelectInst(value)) {
        walk_choice(walk, value);
    } else if (walk->base && walk->base != value) {
        walk->mixed = true;
    } else {
        walk->base = value;
    }
}

static uint64_t
size_of(struct jit *jit, LLVMTypeRef type)
{
    return LLVMABISizeOfType(LLVMGetModuleDataLayout(jit->module), type);
}

LLVMValueRef
jit_alloca_bytes(struct jit *jit, LLVMValueRef variable)
{
    LLVMValueRef count = LLVMGetOperand(variable, 0);
    LLVMValueRef one = LLVMConstInt(
        jit->i64, size_of(jit, LLVMGetAllocatedType(variable)), 0);

    if (LLVMIsAConstantInt(count)) {
        return LLVMConstInt(jit->i64,
                            LLVMConstIntGetZExtValue(count) *
                                LLVMConstIntGetZExtValue(one),
                            0);
    }
    count = LLVMBuildZExtOrBitCast(jit->builder, count, jit->i64, "");
    return LLVMBuildMul(jit->builder, count, one, "");
}

/* Returns the source name for a mangled name: s for _ZZ1kE1s (s in a function
 * k), t for _ZL1t (a static variable t). */
const char *
jit_source_name(LLVMValueRef variable)
{
    const char *name = jit_name(variable);
    const char *at = name + strlen(name);

    if (strncmp(name, "_Z", 2) != 0) {
        return name;
    }
    while (--at > name) {
        char *word;
        unsigned long length = strtoul(at, &word, 10);
        if (isdigit((unsigned char)*at) && !isdigit((unsigned char)at[-1]) &&
            length && strlen(word) >= length &&
            (!word[length] || word[length] == '_')) {
            return jit_copy(word, length);
        }
    }
    return name;
}

/* Tests whether the variable is a __constant__ variable of the program. */
static bool
is_constant(struct jit *jit, LLVMValueRef variable)
{
    for (unsigned i = 0; i < jit->global_count; i++) {
        if (jit->globals[i].variable == variable) {
            return jit->globals[i].flags & IMAGE_GLOBAL_CONSTANT;
        }
    }
    return false;
}

/* Fills `object` with what is known of a global or shared variable. The size
 * of dynamic shared memory is known only at run time. */
static void
object_variable(struct jit *jit, LLVMValueRef base, struct jit_object *object)
{
    const char *section = jit_section(base);
    bool dynamic = strcmp(section, "dynamic") == 0;
    bool shared = dynamic || strcmp(section, "shared") == 0;

    object->base = base;
    object->name = dynamic ? "" : jit_source_name(base);
    object->flags = shared ? IMAGE_SITE_SHARED : IMAGE_SITE_VARIABLE;
    if (is_constant(jit, base)) {
        object->flags |= IMAGE_SITE_CONSTANT;
    }
    if (dynamic) {
        LLVMValueRef size =
            jit_declare(jit, "__pycuda_dynamic_shared", jit->i32, NULL, 0);
        LLVMValueRef call = LLVMBuildCall2(
            jit->builder, LLVMGlobalGetValueType(size), size, NULL, 0, "");
        object->bytes = LLVMBuildZExt(jit->builder, call, jit->i64, "");
        return;
    }
    object->size = size_of(jit, LLVMGlobalGetValueType(base));
}

/* Fills `object` with what is known of a parameter. A struct passed by value
 * is private memory; a pointer parameter of a kernel refers to some
 * allocation. */
static void
object_parameter(struct jit *jit, LLVMValueRef base, struct jit_object *object)
{
    LLVMValueRef function = LLVMGetParamParent(base);
    unsigned index = 0;

    while (LLVMGetParam(function, index) != base) {
        index++;
    }
    LLVMAttributeRef byval = LLVMGetEnumAttributeAtIndex(
        function, index + 1, LLVMGetEnumAttributeKindForName("byval", 5));
    if (byval) {
        object->base = base;
        object->flags = IMAGE_SITE_LOCAL;
        object->size = size_of(jit, LLVMGetTypeAttributeValue(byval));
    } else if (jit_is_kernel(jit, function)) {
        object->base = base;
        object->flags = IMAGE_SITE_POINTER;
    }
    object->name = jit_name(base);
}

/* Fills `object` with what is known of a private variable (an alloca). The
 * size of the variable may be known only at run time. */
static void
object_alloca(struct jit *jit, LLVMValueRef base, struct jit_object *object)
{
    object->base = base;
    object->name = jit_name(base);
    object->flags = IMAGE_SITE_LOCAL;
    object->bytes = jit_alloca_bytes(jit, base);
    if (LLVMIsAConstantInt(object->bytes)) {
        object->size = LLVMConstIntGetZExtValue(object->bytes);
    }
}

/* Describes in `object` the variable, private array or parameter that
 * `pointer` was derived from. If the object's size is known only at run time,
 * builds at the builder's position the instructions that compute the size. */
void
jit_object_of(struct jit *jit, LLVMValueRef pointer, struct jit_object *object)
{
    struct walk walk = {.count = 0};

    *object = (struct jit_object){.name = ""};
    walk_from(&walk, pointer);
    if (walk.mixed || !walk.base) {
        return;
    }
    if (LLVMIsAGlobalVariable(walk.base)) {
        object_variable(jit, walk.base, object);
    } else if (LLVMIsAAllocaInst(walk.base)) {
        object_alloca(jit, walk.base, object);
    } else if (LLVMIsAArgument(walk.base)) {
        object_parameter(jit, walk.base, object);
    }
    if (!object->bytes) {
        object->bytes = LLVMConstInt(jit->i64, object->size, 0);
    }
}
