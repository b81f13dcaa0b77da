/* declarations.c - variables of PTX in the state spaces, and parameters.
 *
 * A variable of the spaces .global, .const and .shared becomes a variable of
 * the LLVM module, in the address space that clang uses for it on nvptx, so
 * that later passes treat variables of PTX and of CUDA C++ alike. A variable
 * of .local or .param is a local variable of the function.
 *
 * SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "jit/jit.h"
#include "jit/ptx/flow.h"
#include "jit/ptx/ptx.h"
#include "jit/text.h"

/* Limits of one variable. MAX_VALUES is the maximum number of elements of an
 * array with an initialiser. */
enum { MAX_DIMENSIONS = 8, MAX_ALIGNMENT = 1 << 12, MAX_VALUES = 1 << 24 };

/* A variable, while its declaration is being read. */
struct declaration {
    const char *name;
    enum ptx_space space;
    struct ptx_type type;
    unsigned vector;    /* number of elements of a .v2 or .v4, otherwise 1 */
    unsigned alignment; /* alignment in bytes; 0: natural */
    bool is_register, is_array, managed;
    bool is_reference; /* .texref or .surfref */
    /* sizes of an array; `open` is true if the declaration omits the first
     * size, as in name[] */
    uint64_t sizes[MAX_DIMENSIONS];
    unsigned dimensions;
    bool open;
};

bool
ptx_space_named(const char *name, enum ptx_space *space)
{
    static const struct {
        const char *name;
        enum ptx_space space;
    } rows[] = {
        {"global", PTX_SPACE_GLOBAL}, {"const", PTX_SPACE_CONST},
        {"shared", PTX_SPACE_SHARED}, {"local", PTX_SPACE_LOCAL},
        {"param", PTX_SPACE_PARAM},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(name, rows[i].name) == 0) {
            *space = rows[i].space;
            return true;
        }
    }
    return false;
}

/* ---- the text of a declaration ---- */

/* Reads the number after .align. */
static const char *
read_alignment(struct ptx *ptx, const char *at, unsigned *alignment)
{
    char *end;
    unsigned long value = strtoul(ptx_skip(at), &end, 0);
    if (!value || value > MAX_ALIGNMENT || value & (value - 1)) {
        ptx_fail(ptx, "an alignment is no power of two up to %d",
                 MAX_ALIGNMENT);
        return NULL;
    }
    *alignment = (unsigned)value;
    return end;
}

/* Reads the attributes of a pointer parameter, such as `.ptr .global .align
 * 4`, up to the parameter's name. The attributes are hints and have no
 * effect. */
static const char *
skip_pointer(struct ptx *ptx, const char *at)
{
    unsigned ignored;
    for (at = ptx_skip(at); at && *at == '.'; at = at ? ptx_skip(at) : NULL) {
        const char *word;
        at = ptx_read_word(ptx, at + 1, &word, "");
        if (at && strcmp(word, "align") == 0) {
            at = read_alignment(ptx, at, &ignored);
        }
    }
    return at;
}

/* Reads `(.managed)`, or another attribute of a variable. */
static const char *
read_attribute(struct ptx *ptx, const char *at, struct declaration *own)
{
    at = ptx_skip(at);
    const char *end = *at == '(' ? strchr(at, ')') : NULL;
    if (!end) {
        ptx_fail(ptx, "an attribute is not correct");
        return NULL;
    }
    own->managed |= memmem(at, (size_t)(end - at), ".managed", 8) != NULL;
    return end + 1;
}

/* Reads the words that precede a name and begin with a dot: alignment, vector
 * size, type. */
static const char *
read_head(struct ptx *ptx, const char *at, struct declaration *own)
{
    const char *word;
    own->vector = 1;
    for (at = ptx_skip(at); at && *at == '.'; at = at ? ptx_skip(at) : NULL) {
        at = ptx_read_word(ptx, at + 1, &word, "");
        if (!at) {
            return NULL;
        }
        if (strcmp(word, "align") == 0) {
            at = read_alignment(ptx, at, &own->alignment);
        } else if (strcmp(word, "v2") == 0 || strcmp(word, "v4") == 0) {
            own->vector = word[1] == '2' ? 2 : 4;
        } else if (strcmp(word, "ptr") == 0) {
            at = skip_pointer(ptx, at);
        } else if (strcmp(word, "attribute") == 0) {
            at = read_attribute(ptx, at, own);
        } else if (strcmp(word, "reg") == 0) {
            own->is_register = true;
        } else if (ptx_is_word(" texref surfref ", word)) {
            own->is_reference = true;
            own->type = (struct ptx_type){'u', 64};
        } else if (!ptx_parse_type(word, &own->type) &&
                   !ptx_space_named(word, &own->space)) {
            ptx_fail(ptx, "'.%s' is not supported in a declaration", word);
            return NULL;
        }
    }
    if (!own->type.bits) {
        ptx_fail(ptx, "a declaration has no type");
        return NULL;
    }
    return at;
}

/* Reads a name and the sizes of its array. */
static const char *
read_name(struct ptx *ptx, const char *at, struct declaration *own)
{
    own->is_array = own->open = false;
    own->dimensions = 0;
    at = at ? ptx_read_word(ptx, ptx_skip(at), &own->name, "") : NULL;
    for (at = at ? ptx_skip(at) : NULL; at && *at == '[';) {
        at = ptx_skip(at + 1);
        own->is_array = true;
        if (own->dimensions == MAX_DIMENSIONS) {
            return NULL;
        }
        if (*at == ']') {
            own->open |= own->dimensions == 0;
            own->sizes[own->dimensions++] = 0;
            at = ptx_skip(at + 1);
            continue;
        }
        at = ptx_read_integer(ptx, at, &own->sizes[own->dimensions++]);
        at = at ? ptx_skip(at) : NULL;
        at = at && *at == ']' ? ptx_skip(at + 1) : NULL;
    }
    if (!at) {
        ptx_fail(ptx, "a declaration is not correct");
    }
    return at;
}

static uint64_t
element_bytes(const struct declaration *own)
{
    return own->type.letter == 'p' ? 1 : own->type.bits / 8;
}

/* Returns the number of elements in the dimensions from index `from` on; a
 * vector counts as 2 or 4 elements. Returns 2 * JIT_MAX_BYTES if there are
 * more elements than that. */
static uint64_t
count_elements(const struct declaration *own, unsigned from)
{
    uint64_t count = own->vector;
    for (unsigned i = from; i < own->dimensions; i++) {
        if (own->sizes[i] > JIT_MAX_BYTES ||
            count * own->sizes[i] > 2 * JIT_MAX_BYTES) {
            return 2 * JIT_MAX_BYTES;
        }
        count *= own->sizes[i];
    }
    return count;
}

static unsigned
alignment_of(const struct declaration *own)
{
    unsigned natural = (unsigned)element_bytes(own) * own->vector;
    return own->alignment > natural ? own->alignment : natural;
}

/* ---- initialisers ---- */

struct initialiser {
    struct ptx *ptx;
    const struct declaration *own;
    LLVMTypeRef type;     /* type of an element */
    LLVMValueRef *values; /* NULL: zero */
    uint64_t count, capacity;
};

/* Reads an address: name or generic(name); `+ offset` may follow. */
static const char *
read_symbol(struct initialiser *list, const char *at, LLVMValueRef *value)
{
    struct ptx *ptx = list->ptx;
    const char *word;
    at = ptx_read_word(ptx, at, &word, "");
    bool generic = at && strcmp(word, "generic") == 0 && *ptx_skip(at) == '(';
    if (generic) {
        at = ptx_read_word(ptx, ptx_skip(ptx_skip(at) + 1), &word, "");
        at = at ? ptx_skip(at) : "";
        at = *at == ')' ? at + 1 : NULL;
    }
    struct ptx_symbol *own = at ? ptx_find(ptx, word) : NULL;
    if (!own || !own->value || own->kind == PTX_SYMBOL_REGISTER ||
        own->space == PTX_SPACE_SHARED || own->space == PTX_SPACE_LOCAL ||
        own->type.letter == 'p' || list->own->type.bits != 64) {
        ptx_fail(ptx, "an initialiser has no supported address");
        return NULL;
    }
    *value = LLVMConstPtrToInt(own->value, list->type);
    int64_t offset;
    at = ptx_read_offset(ptx, at, &offset);
    if (at && offset) {
        *value = LLVMConstAdd(*value,
                              LLVMConstInt(list->type, (uint64_t)offset, 1));
    }
    return at;
}

static const char *
read_element(struct initialiser *list, const char *at)
{
    struct ptx_operand number = {0};
    const struct ptx_type type = list->own->type;
    LLVMValueRef value = NULL;
    if (!isdigit((unsigned char)*at) && !(*at && strchr("-+~!(", *at))) {
        at = read_symbol(list, at, &value);
    } else {
        at = ptx_read_expression(list->ptx, at, &number);
        uint64_t bits = number.bits;
        if (at && number.kind == PTX_FLOAT && number.width != type.bits) {
            double wide;
            float narrow;
            memcpy(&wide, &bits, sizeof wide);
            narrow = (float)wide;
            bits = 0;
            memcpy(&bits, &narrow, sizeof narrow);
            at = number.width == 64 && type.bits == 32 ? at : NULL;
        } else if (at && number.kind == PTX_INTEGER && type.letter == 'f') {
            double wide = (double)(int64_t)bits;
            float narrow = (float)wide;
            bits = 0;
            memcpy(&bits, type.bits == 64 ? (void *)&wide : (void *)&narrow,
                   type.bits / 8);
        }
        value = LLVMConstInt(list->type, bits, 0);
    }
    if (!at || list->count == list->capacity) {
        ptx_fail(list->ptx, "an initialiser is not correct");
        return NULL;
    }
    list->values[list->count++] = value;
    return at;
}

/* Reads a list in braces for the dimensions from `level` on, or one element.
 * The elements of the lists follow each other without gaps, as ptxas stores
 * them: {{1}, {2, 3}} for [2][2] is 1, 2, 3, 0. */
static const char *
read_list(struct initialiser *list, const char *at, unsigned level)
{
    at = ptx_skip(at);
    if (*at != '{') {
        return read_element(list, at);
    }
    uint64_t end = list->count + count_elements(list->own, level);
    if (level > list->own->dimensions || end > list->capacity) {
        ptx_fail(list->ptx, "an initialiser has too many braces or elements");
        return NULL;
    }
    at = ptx_skip(at + 1);
    while (at && *at && *at != '}') {
        at = read_list(list, at, level + 1);
        at = at ? ptx_skip(at) : NULL;
        if (at && *at == ',') {
            at = ptx_skip(at + 1);
        } else if (at && *at != '}') {
            at = NULL;
        }
    }
    if (!at || !*at || list->count > end) {
        ptx_fail(list->ptx, "an initialiser is not correct");
        return NULL;
    }
    return at + 1;
}

/* Counts the elements of an initialiser for an array without a size. */
static uint64_t
count_values(const char *at)
{
    uint64_t count = 1;
    int depth = 0;
    for (; *at && *at != ';'; at++) {
        depth += *at == '{';
        depth -= *at == '}';
        count += *at == ',' && depth == 1;
    }
    return count;
}

/* Reads a variable's initialiser, which follows the equals sign. */
static const char *
read_initialiser(struct ptx *ptx, const char *at, struct declaration *own,
                 LLVMValueRef *value)
{
    if (own->open && own->dimensions) {
        own->sizes[0] = count_values(at);
        own->open = false;
    }
    struct initialiser list = {.ptx = ptx, .own = own};
    list.capacity = count_elements(own, 0);
    if (list.capacity > MAX_VALUES) {
        ptx_fail(ptx, "the variable '%s' is too large", own->name);
        return NULL;
    }
    list.type = LLVMIntTypeInContext(ptx->jit->context,
                                     8 * (unsigned)element_bytes(own));
    list.values = jit_allocate((list.capacity + 1) * sizeof *list.values);
    at = read_list(&list, at, 0);
    for (uint64_t i = 0; i < list.capacity; i++) {
        if (!list.values[i]) {
            list.values[i] = LLVMConstNull(list.type);
        }
    }
    *value = LLVMConstArray2(list.type, list.values, list.capacity);
    return at;
}

/* ---- variables ---- */

static LLVMTypeRef
storage_type(struct ptx *ptx, const struct declaration *own)
{
    return LLVMArrayType2(
        LLVMIntTypeInContext(ptx->jit->context,
                             8 * (unsigned)element_bytes(own)),
        count_elements(own, 0));
}

/* Returns the module's variable for the declaration. If the module only
 * declares the name so far, returns that variable, with its type changed to
 * `type`. Otherwise creates a new variable. */
static LLVMValueRef
get_variable(struct ptx *ptx, const struct declaration *own, LLVMTypeRef type,
             unsigned space)
{
    LLVMModuleRef module = ptx->jit->module;
    LLVMValueRef old = LLVMGetNamedGlobal(module, own->name);
    if (ptx->function || !old || !LLVMIsDeclaration(old)) {
        return LLVMAddGlobalInAddressSpace(module, type, own->name, space);
    }
    if (LLVMGlobalGetValueType(old) == type) {
        return old;
    }
    LLVMSetValueName2(old, "", 0);
    LLVMValueRef made =
        LLVMAddGlobalInAddressSpace(module, type, own->name, space);
    if (LLVMTypeOf(old) != LLVMTypeOf(made)) {
        ptx_fail(ptx, "'%s' is declared in another state space", own->name);
        return made;
    }
    LLVMReplaceAllUsesWith(old, made);
    LLVMDeleteGlobal(old);
    return made;
}

static LLVMValueRef
add_variable(struct ptx *ptx, const struct declaration *own,
             const char *linking, LLVMValueRef initial)
{
    static const unsigned spaces[] = {
        [PTX_SPACE_GLOBAL] = 1, [PTX_SPACE_CONST] = 4, [PTX_SPACE_SHARED] = 3};
    LLVMTypeRef type = initial ? LLVMTypeOf(initial) : storage_type(ptx, own);
    LLVMValueRef variable = get_variable(ptx, own, type, spaces[own->space]);
    bool external = strcmp(linking, "extern") == 0;
    bool shared = own->space == PTX_SPACE_SHARED;
    if (!external) {
        LLVMSetInitializer(variable, initial  ? initial
                                     : shared ? LLVMGetUndef(type)
                                              : LLVMConstNull(type));
    }
    LLVMSetAlignment(variable, alignment_of(own));
    LLVMSetLinkage(variable, external || strcmp(linking, "visible") == 0
                                 ? LLVMExternalLinkage
                             : strcmp(linking, "weak") == 0
                                 ? LLVMWeakAnyLinkage
                             : ptx->function ? LLVMPrivateLinkage
                                             : LLVMInternalLinkage);
    if (own->managed) {
        LLVMSetSection(variable, "pycuda_managed");
    }
    return LLVMConstAddrSpaceCast(variable, ptx->jit->pointer);
}

static void
add_symbol(struct ptx *ptx, const struct declaration *own, LLVMValueRef value)
{
    struct ptx_symbol *symbol =
        ptx_add_symbol(ptx, own->name, PTX_SYMBOL_VARIABLE);
    symbol->type = own->type;
    symbol->space = own->space;
    symbol->bytes = count_elements(own, 0) * element_bytes(own);
    symbol->is_array = own->is_array;
    symbol->is_reference = own->is_reference;
    symbol->value = value;
}

/* Reads the rest of the declaration of one variable, after its name. */
static const char *
finish_variable(struct ptx *ptx, const char *at, struct declaration *own,
                const char *linking)
{
    LLVMValueRef initial = NULL;
    bool local =
        own->space == PTX_SPACE_LOCAL || own->space == PTX_SPACE_PARAM;
    if (*at == '=') {
        at = read_initialiser(ptx, at + 1, own, &initial);
    }
    if (!at || count_elements(own, 0) * element_bytes(own) > JIT_MAX_BYTES) {
        ptx_fail(ptx, "the variable '%s' is too large", own->name);
        return NULL;
    }
    if (local && (!ptx->function || initial)) {
        ptx_fail(ptx, "'%s' must be in a function and uninitialised",
                 own->name);
        return NULL;
    }
    if (own->open && strcmp(linking, "extern") != 0) {
        ptx_fail(ptx, "'%s' has no size", own->name);
        return NULL;
    }
    if (own->is_reference && (initial || own->space != PTX_SPACE_GLOBAL)) {
        ptx_fail(ptx, "the reference '%s' is initialised or not in .global",
                 own->name);
        return NULL;
    }
    add_symbol(ptx, own,
               local
                   ? ptx_local(ptx, storage_type(ptx, own), alignment_of(own))
                   : add_variable(ptx, own, linking, initial));
    return ptx_skip(at);
}

const char *
ptx_read_variables(struct ptx *ptx, const char *at, enum ptx_space space,
                   const char *linking)
{
    struct declaration own = {.space = space};
    at = read_head(ptx, at, &own);
    do {
        at = read_name(ptx, at, &own);
        at = at ? finish_variable(ptx, at, &own, linking) : NULL;
        if (!at) {
            return NULL;
        }
    } while (*at == ',' && at++);
    if (*at != ';') {
        ptx_fail(ptx, "a declaration does not end with a semicolon");
        return NULL;
    }
    return at;
}

/* ---- parameters ---- */

const char *
ptx_read_parameters(struct ptx *ptx, const char *at,
                    struct ptx_parameter **list, unsigned *count)
{
    unsigned capacity = 0;
    *count = 0;
    at = ptx_skip(at + 1);
    while (*at != ')') {
        struct declaration own = {.space = PTX_SPACE_PARAM};
        at = read_head(ptx, at, &own);
        at = read_name(ptx, at, &own);
        if (!at || count_elements(&own, 0) > JIT_MAX_BYTES) {
            return NULL;
        }
        if (own.is_reference) {
            ptx_fail(ptx, "the parameter '%s' is a reference", own.name);
            return NULL;
        }
        if (*count == capacity) {
            capacity = 2 * capacity + 8;
            struct ptx_parameter *more = jit_allocate(capacity * sizeof *more);
            if (*count) {
                memcpy(more, *list, *count * sizeof *more);
            }
            *list = more;
        }
        (*list)[(*count)++] = (struct ptx_parameter){
            .name = own.name,
            .type = own.type,
            .bytes = count_elements(&own, 0) * element_bytes(&own),
            .alignment = alignment_of(&own),
            .is_array = own.is_array || own.vector > 1,
            .is_register = own.is_register};
        if (*at == ',') {
            at = ptx_skip(at + 1);
        } else if (*at != ')') {
            ptx_fail(ptx, "a list of parameters is not correct");
            return NULL;
        }
    }
    return ptx_skip(at + 1);
}
