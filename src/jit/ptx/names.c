/* names.c - the names that scopes of PTX declare: registers, variables,
 * functions.
 *
 * All symbols are in one array, in the order of their declaration; a hash
 * table finds them by name. The end of a scope removes the symbols that were
 * declared in it, which are the last ones of the array.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "jit/jit.h"
#include "jit/ptx/ptx.h"
#include "jit/report.h"

/* Limit on the symbols of a module, which bounds memory. */
enum { MAX_SYMBOLS = 1 << 22 };

static unsigned *
bucket_of(struct ptx *ptx, const char *name)
{
    uint32_t hash = 2166136261u;
    for (; *name; name++) {
        hash = (hash ^ (unsigned char)*name) * 16777619u;
    }
    return &ptx->buckets[(hash ^ hash >> 15) % PTX_BUCKETS];
}

struct ptx_symbol *
ptx_add_symbol(struct ptx *ptx, const char *name, enum ptx_symbol_kind kind)
{
    if (ptx->symbol_count == ptx->symbol_capacity) {
        unsigned more = 2 * ptx->symbol_capacity + 64;
        ptx->symbols = realloc(ptx->symbols, more * sizeof *ptx->symbols);
        if (!ptx->symbols) {
            jit_die("out of memory");
        }
        ptx->symbol_capacity = more;
    }
    struct ptx_symbol *symbol = &ptx->symbols[ptx->symbol_count++];
    unsigned *bucket = bucket_of(ptx, name);
    *symbol = (struct ptx_symbol){.name = name, .kind = kind, .next = *bucket};
    *bucket = ptx->symbol_count;
    return symbol;
}

struct ptx_symbol *
ptx_find(struct ptx *ptx, const char *name)
{
    unsigned at = *bucket_of(ptx, name);
    while (at && strcmp(ptx->symbols[at - 1].name, name) != 0) {
        at = ptx->symbols[at - 1].next;
    }
    return at ? &ptx->symbols[at - 1] : NULL;
}

void
ptx_drop_symbols(struct ptx *ptx, unsigned count)
{
    while (ptx->symbol_count > count) {
        struct ptx_symbol *last = &ptx->symbols[--ptx->symbol_count];
        *bucket_of(ptx, last->name) = last->next;
    }
}

LLVMValueRef
ptx_local(struct ptx *ptx, LLVMTypeRef type, unsigned alignment)
{
    LLVMBasicBlockRef block = LLVMGetEntryBasicBlock(ptx->function);
    LLVMValueRef first = LLVMGetFirstInstruction(block);
    if (first) {
        LLVMPositionBuilderBefore(ptx->entry, first);
    } else {
        LLVMPositionBuilderAtEnd(ptx->entry, block);
    }
    LLVMValueRef local = LLVMBuildAlloca(ptx->entry, type, "");
    if (alignment) {
        LLVMSetAlignment(local, alignment);
    }
    return local;
}

LLVMValueRef
ptx_slot(struct ptx *ptx, struct ptx_symbol *symbol)
{
    if (!symbol->value) {
        symbol->value = ptx_local(
            ptx, LLVMIntTypeInContext(ptx->jit->context, symbol->type.bits),
            0);
    }
    return symbol->value;
}

bool
ptx_declare(struct ptx *ptx, const char *name, struct ptx_type type,
            LLVMValueRef value)
{
    if (ptx->symbol_count >= MAX_SYMBOLS) {
        return ptx_fail(ptx, "it declares too many registers");
    }
    struct ptx_symbol *own = ptx_add_symbol(ptx, name, PTX_SYMBOL_REGISTER);
    own->type = type;
    if (value) {
        LLVMBuildStore(ptx->jit->builder, value, ptx_slot(ptx, own));
    }
    return true;
}

/* Declares a range of registers: t<4> is t0 to t3. */
static bool
declare_range(struct ptx *ptx, const char *range, struct ptx_type type)
{
    const char *angle = strchr(range, '<');
    size_t length = (size_t)(angle - range);
    unsigned long count = strtoul(angle + 1, NULL, 10);
    if (count >= MAX_SYMBOLS) {
        return ptx_fail(ptx, "it declares too many registers");
    }
    for (unsigned long i = 0; i < count; i++) {
        char digits[24];
        snprintf(digits, sizeof digits, "%lu", i);
        const char *name = ptx_join_words(ptx, range, length, digits);
        if (!ptx_declare(ptx, name, type, NULL)) {
            return false;
        }
    }
    return true;
}

/* Declares a vector of registers `v`: the registers v.x, v.y, ..., and the
 * name v, which as an operand means the list of these registers. */
static bool
declare_vector(struct ptx *ptx, const char *name, struct ptx_type type,
               unsigned count)
{
    static const char *const letters[] = {".x", ".y", ".z", ".w"};
    for (unsigned i = 0; i < count; i++) {
        const char *element =
            ptx_join_words(ptx, name, strlen(name), letters[i]);
        if (!ptx_declare(ptx, element, type, NULL)) {
            return false;
        }
    }
    struct ptx_symbol *whole = ptx_add_symbol(ptx, name, PTX_SYMBOL_VECTOR);
    whole->type = type;
    whole->bytes = count;
    return true;
}

bool
ptx_declare_registers(struct ptx *ptx, const struct ptx_statement *statement)
{
    struct ptx_type type;
    unsigned n = statement->modifier_count;
    const char *vector = n == 2 ? statement->modifiers[0] : "";
    bool is_vector = strcmp(vector, "v2") == 0 || strcmp(vector, "v4") == 0;
    if (n < 1 || n > 2 || (n == 2 && !is_vector) ||
        !ptx_parse_type(statement->modifiers[n - 1], &type)) {
        return ptx_fail(ptx, "'.%s' does not exist in a supported form",
                        statement->operation);
    }
    for (unsigned i = 0; i < statement->operand_count; i++) {
        const char *name = statement->operands[i].names[0];
        bool right = statement->operands[i].kind == PTX_REGISTER;
        if (right && is_vector) {
            right = declare_vector(ptx, name, type, vector[1] == '2' ? 2 : 4);
        } else if (right) {
            right = strchr(name, '<') ? declare_range(ptx, name, type)
                                      : ptx_declare(ptx, name, type, NULL);
        }
        if (!right) {
            return ptx_fail(
                ptx, "the syntax of a register's name is not supported");
        }
    }
    return true;
}
