/* source_sites.c - source locations as constant data of the image.
 *
 * Called by insert.c and uninitialized.c. The source location of an
 * instruction is in the user's own code: instructions that were inlined from
 * the project's headers get the location of the call.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>

#include "image/abi.h"
#include "jit/checks/checks.h"
#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/text.h"

struct source_location {
    const char *file;
    /* debug information of the file, which may contain its text; or NULL */
    LLVMMetadataRef in;
    unsigned line, column;
    bool inlined; /* the location is in a function that was inlined */
};

static bool
is_ours(const char *file)
{
    return strstr(file, "/pycuda/cuda/") != NULL;
}

static void
location_read(LLVMMetadataRef location, struct source_location *where)
{
    unsigned length = 0;
    LLVMMetadataRef file =
        LLVMDIScopeGetFile(LLVMDILocationGetScope(location));
    const char *name = file ? LLVMDIFileGetFilename(file, &length) : "";

    where->file = jit_copy(name, length);
    where->in = file;
    where->line = LLVMDILocationGetLine(location);
    where->column = LLVMDILocationGetColumn(location);
}

/* Finds the source location of an instruction in the user's code. Line 0 means
 * that there is none, since the compiler generated the instruction. */
static void
location_of(LLVMValueRef at, struct source_location *where)
{
    LLVMMetadataRef location = LLVMInstructionGetDebugLoc(at);

    *where = (struct source_location){.file = ""};
    for (; location; location = LLVMDILocationGetInlinedAt(location)) {
        struct source_location here;

        location_read(location, &here);
        here.inlined = LLVMDILocationGetInlinedAt(location) != NULL;
        if (here.line || !where->line) {
            *where = here;
        }
        if (here.line && !is_ours(here.file)) {
            return;
        }
    }
}

/* Moves the location of a store from the operator `=` to the expression that
 * is assigned to, if the compiler computed its address in the same line: the
 * start of `x[i + 1]` in `x[i + 1] = 0`. Parts of a struct copy keep their
 * location, by which the runtime recognises them (warp_accesses.c). */
static void
location_move_to_target(LLVMValueRef at, struct source_location *where)
{
    LLVMValueRef address = LLVMIsAStoreInst(at) ? LLVMGetOperand(at, 1) : NULL;
    struct source_location target;

    if (!address || !LLVMIsAGetElementPtrInst(address) || jit_is_copy(at)) {
        return;
    }
    location_of(address, &target);
    if (target.line == where->line && target.column &&
        target.column < where->column && target.inlined == where->inlined &&
        strcmp(target.file, where->file) == 0) {
        where->column = target.column;
    }
}

/* Parses the line from `text` to `end`. If the line is a directive such as
 * `#line 7 "name"` or `# 7 "name"`, returns the line number in the directive,
 * otherwise 0. Sets *name to the text after the opening quote, if there is a
 * name. */
static unsigned
directive_read(const char *text, const char *end, const char **name)
{
    unsigned line = 0;

    text += strspn(text, " \t");
    if (text >= end || *text != '#') {
        return 0;
    }
    text += 1 + strspn(text + 1, " \t");
    if (strncmp(text, "line", 4) == 0) {
        text += 4 + strspn(text + 4, " \t");
    }
    for (; text < end && *text >= '0' && *text <= '9'; text++) {
        line = 10 * line + (unsigned)(*text - '0');
    }
    const char *quote = line ? memchr(text, '"', (size_t)(end - text)) : NULL;
    *name = quote ? quote + 1 : *name;
    return line;
}

/* Tests whether the source lines after a directive `#line 7 "name"` belong to
 * the file named `file`. `name` is the text of the directive after the opening
 * quote. If `name` is NULL, there was no directive yet, and the result is
 * true. */
static bool
names_file(const char *name, const char *file)
{
    size_t length = strlen(file);

    return !name || (strncmp(name, file, length) == 0 && name[length] == '"');
}

/* Returns the source text of a file, or "" if the debug information does not
 * contain it. The text ends in a NUL. The function copies a file's text once
 * and returns this copy until it is called for another file. */
static const char *
file_text(LLVMMetadataRef file)
{
    static LLVMMetadataRef latest;
    static const char *text = "";

    if (file && file != latest) {
        unsigned length = 0;
        const char *source = LLVMDIFileGetSource(file, &length);
        latest = file;
        text = source ? jit_copy(source, length) : "";
    }
    return file ? text : "";
}

/* Returns the text of the source line at the location; "" if it is not known.
 * Takes #line directives in the source into account. */
static const char *
line_text(const struct source_location *where)
{
    unsigned line = 1;
    const char *name = NULL, *found = NULL, *text = file_text(where->in);
    size_t length = 0;

    while (*text && where->line) {
        size_t here = strcspn(text, "\n");
        unsigned next = directive_read(text, text + here, &name);
        if (!next && line == where->line && names_file(name, where->file)) {
            found = text;
            length = here;
        }
        line = next ? next : line + 1;
        text += here + (text[here] != 0);
    }
    return found ? jit_copy(found, length) : "";
}

static LLVMValueRef
private_variable(struct jit *jit, LLVMTypeRef type, LLVMValueRef value,
                 bool constant)
{
    LLVMValueRef made = LLVMAddGlobal(jit->module, type, "");

    LLVMSetInitializer(made, value);
    LLVMSetGlobalConstant(made, constant);
    LLVMSetLinkage(made, LLVMPrivateLinkage);
    return made;
}

/* Returns a constant with the text. Equal texts share one constant. */
static LLVMValueRef
text_constant(struct jit *jit, const char *text)
{
    static struct known {
        char *text;
        LLVMValueRef value;
        struct known *next;
    } * known;
    size_t length = strlen(text);

    for (struct known *at = known; at; at = at->next) {
        if (strcmp(at->text, text) == 0) {
            return at->value;
        }
    }
    struct known *row = jit_allocate(sizeof *row);
    LLVMValueRef bytes =
        LLVMConstStringInContext2(jit->context, text, length, 0);
    row->text = jit_copy(text, length);
    row->value = private_variable(jit, LLVMTypeOf(bytes), bytes, true);
    row->next = known;
    known = row;
    return row->value;
}

/* ---- barriers ---- */

/* Locations of the block barriers of one function. */
struct barrier_list {
    LLVMValueRef function;
    struct source_location *rows;
    size_t count;
};

static void
barrier_add(struct jit *jit, LLVMValueRef at, void *data)
{
    struct barrier_list *list = data;
    size_t count = list->count;

    if (!jit_calls(at, "__pycuda_barrier")) {
        return;
    }
    if (!(count & (count - 1))) {
        struct source_location *rows =
            jit_allocate(2 * (count + 1) * sizeof *rows);
        memcpy(rows, list->rows, count * sizeof *rows);
        list->rows = rows;
    }
    location_of(at, &list->rows[list->count++]);
    (void)jit;
}

/* Returns the line of the first barrier below the location in `function`; 0 if
 * there is none. Ignores inlined functions, since the order of lines says
 * nothing about calls. The barriers of a function are searched once, until the
 * next function is asked about. */
static unsigned
barrier_below(struct jit *jit, LLVMValueRef function,
              const struct source_location *where)
{
    static struct barrier_list list;
    unsigned best = 0;

    if (list.function != function) {
        list = (struct barrier_list){.function = function};
        jit_each_instruction(jit, function, barrier_add, &list);
    }
    for (size_t i = 0; i < list.count && !where->inlined; i++) {
        const struct source_location *row = &list.rows[i];

        if (!row->inlined && row->line > where->line &&
            (!best || row->line < best) &&
            strcmp(row->file, where->file) == 0) {
            best = row->line;
        }
    }
    return best;
}

LLVMValueRef
jit_site(struct jit *jit, LLVMValueRef at, const char *object, unsigned flags,
         unsigned alignment)
{
    struct source_location where;

    location_of(at, &where);
    location_move_to_target(at, &where);
    LLVMValueRef function =
        LLVMGetBasicBlockParent(LLVMGetInstructionParent(at));
    flags |= where.inlined ? IMAGE_SITE_INLINED : 0;
    flags |= jit_is_copy(at) ? IMAGE_SITE_PART : 0;
    LLVMValueRef fields[] = {
        text_constant(jit, where.file),
        text_constant(jit, object ? object : ""),
        jit_constant(jit, where.line),
        jit_constant(jit, where.column),
        jit_constant(jit, flags),
        jit_constant(jit, alignment),
        jit_constant(jit, 0),
        jit_constant(jit, barrier_below(jit, function, &where)),
        text_constant(jit, line_text(&where)),
    };
    LLVMValueRef value = LLVMConstStructInContext(
        jit->context, fields, sizeof fields / sizeof *fields, 0);
    LLVMValueRef site = private_variable(jit, LLVMTypeOf(value), value, false);
    LLVMSetAlignment(site, 8);
    return site;
}
