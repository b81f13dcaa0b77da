/* lines.c - source locations of instructions from PTX.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>

#include "jit/jit.h"
#include "jit/ptx/module.h"
#include "jit/text.h"

/* Limit on the file numbers that directives .file define. A directive with
 * this number or a greater one is ignored. */
enum { MAX_FILES = 4096 };

struct ptx_lines {
    struct jit *jit;
    LLVMDIBuilderRef builder;
    LLVMMetadataRef unit_file, unit, type;
    LLVMMetadataRef files[MAX_FILES];
    /* the function that is being built, and its scope in the file of the last
     * .loc */
    LLVMMetadataRef function, scope;
    unsigned scope_file;
    bool from_loc;
};

static LLVMMetadataRef
make_file(struct ptx_lines *lines, const char *name, size_t length)
{
    return LLVMDIBuilderCreateFile(lines->builder, name, length, "", 0);
}

struct ptx_lines *
ptx_lines_open(struct jit *jit, LLVMModuleRef module)
{
    struct ptx_lines *lines = jit_allocate(sizeof *lines);
    static const char producer[] = "pycuda-jit";
    lines->jit = jit;
    lines->builder = LLVMCreateDIBuilder(module);
    lines->unit_file = make_file(lines, "ptx", 3);
    lines->unit = LLVMDIBuilderCreateCompileUnit(
        lines->builder, LLVMDWARFSourceLanguageC, lines->unit_file, producer,
        sizeof producer - 1, 0, "", 0, 0, "", 0,
        LLVMDWARFEmissionLineTablesOnly, 0, 0, 0, "", 0, "", 0);
    lines->type = LLVMDIBuilderCreateSubroutineType(
        lines->builder, lines->unit_file, NULL, 0, LLVMDIFlagZero);
    LLVMMetadataRef version = LLVMValueAsMetadata(
        LLVMConstInt(jit->i32, LLVMDebugMetadataVersion(), 0));
    LLVMAddModuleFlag(module, LLVMModuleFlagBehaviorWarning,
                      "Debug Info Version", strlen("Debug Info Version"),
                      version);
    return lines;
}

void
ptx_lines_close(struct ptx_lines *lines)
{
    LLVMSetCurrentDebugLocation2(lines->jit->builder, NULL);
    LLVMDIBuilderFinalize(lines->builder);
    LLVMDisposeDIBuilder(lines->builder);
}

void
ptx_lines_file(struct ptx_lines *lines, const char *raw)
{
    char *end;
    unsigned long index = strtoul(raw, &end, 10);
    const char *start = strchr(end, '"');
    const char *stop = start ? strchr(start + 1, '"') : NULL;
    if (stop && index < MAX_FILES) {
        lines->files[index] =
            make_file(lines, start + 1, (size_t)(stop - start - 1));
    }
}

void
ptx_lines_function(struct ptx_lines *lines, LLVMValueRef function,
                   unsigned line)
{
    size_t length;
    const char *name = LLVMGetValueName2(function, &length);
    lines->function = LLVMDIBuilderCreateFunction(
        lines->builder, lines->unit_file, name, length, name, length,
        lines->unit_file, line, lines->type, 0, 1, line, LLVMDIFlagZero, 1);
    LLVMSetSubprogram(function, lines->function);
    lines->scope = lines->function;
    lines->scope_file = 0;
    lines->from_loc = false;
}

static void
set_location(struct ptx_lines *lines, unsigned line, unsigned column)
{
    LLVMSetCurrentDebugLocation2(
        lines->jit->builder,
        LLVMDIBuilderCreateDebugLocation(lines->jit->context, line, column,
                                         lines->scope, NULL));
}

void
ptx_lines_loc(struct ptx_lines *lines, const char *raw)
{
    char *at;
    unsigned long file = strtoul(raw, &at, 10);
    unsigned long line = strtoul(at, &at, 10);
    unsigned long column = strtoul(at, NULL, 10);
    if (!lines->function || file >= MAX_FILES || !lines->files[file]) {
        return;
    }
    if (!lines->from_loc || lines->scope_file != file) {
        lines->scope = LLVMDIBuilderCreateLexicalBlockFile(
            lines->builder, lines->function, lines->files[file], 0);
        lines->scope_file = (unsigned)file;
    }
    lines->from_loc = true;
    set_location(lines, (unsigned)line, (unsigned)column & 0xffff);
}

void
ptx_lines_at(struct ptx_lines *lines, unsigned line)
{
    if (!lines->from_loc) {
        set_location(lines, line, 1);
    }
}
