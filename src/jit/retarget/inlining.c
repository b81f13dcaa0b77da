/* inlining.c - selects the device functions that are inlined into kernels.
 *
 * As many functions as possible are inlined, since only in inlined code is a
 * thread's index a loop variable of the entry. A function is not inlined if
 * its address is taken, if it is recursive, or if inlining would make the code
 * too large.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/retarget/retarget.h"
#include "jit/text.h"

/* Functions with more instructions than this limit, including the instructions
 * of inlined callees, are not inlined. */
enum { TOO_LARGE = 20000 };

/* A function of the call graph. The state is OPEN while the depth-first search
 * visits the functions that the function calls. The size is the number of
 * instructions, including those of inlined callees. */
struct node {
    LLVMValueRef function;
    enum { NEW, OPEN, DONE } state;
    unsigned long size;
};

struct graph {
    struct node *nodes;
    size_t count;
};

static const char reason_attribute[] = "pycuda-noinline";

bool
jit_is_noinline(struct jit *jit, LLVMValueRef function)
{
    (void)jit;
    return LLVMGetStringAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                                         reason_attribute,
                                         sizeof reason_attribute - 1) != NULL;
}

/* Marks a function as not to be inlined. `why` is "recursive", "large" or
 * "address" (its address is taken); fibers/stops.c reads it. */
static void
forbid_inlining(struct jit *jit, LLVMValueRef function, const char *why)
{
    (void)jit;
    LLVMAddTargetDependentFunctionAttr(function, reason_attribute, why);
    jit_drop_attribute(function, "alwaysinline");
    jit_add_attribute(jit, function, "noinline");
}

static int
compare_nodes(const void *left, const void *right)
{
    const struct node *a = left, *b = right;
    return (a->function > b->function) - (a->function < b->function);
}

static struct node *
find_node(struct graph *graph, LLVMValueRef function)
{
    struct node key = {.function = function};
    return bsearch(&key, graph->nodes, graph->count, sizeof key,
                   compare_nodes);
}

static void measure(struct jit *jit, struct graph *graph, struct node *node);

/* Adds the callee's size to the size of the caller if the callee will be
 * inlined. If the callee is OPEN, the call is recursive, and the callee is not
 * inlined. */
static void
measure_call(struct jit *jit, struct graph *graph, struct node *caller,
             LLVMValueRef callee)
{
    struct node *node = find_node(graph, callee);
    if (!node) {
        return;
    }
    if (node->state == OPEN) {
        forbid_inlining(jit, node->function, "recursive");
        return;
    }
    if (node->state == NEW) {
        measure(jit, graph, node);
    }
    if (!jit_is_noinline(jit, node->function)) {
        caller->size += node->size;
    }
}

static void
measure(struct jit *jit, struct graph *graph, struct node *node)
{
    node->state = OPEN;
    LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(node->function);
    for (; block; block = LLVMGetNextBasicBlock(block)) {
        LLVMValueRef at = LLVMGetFirstInstruction(block);
        for (; at; at = LLVMGetNextInstruction(at)) {
            node->size++;
            LLVMValueRef callee = jit_callee(at);
            if (callee && !LLVMIsDeclaration(callee)) {
                measure_call(jit, graph, node, callee);
            }
        }
    }
    node->state = DONE;
    if (node->size > TOO_LARGE && !jit_is_kernel(jit, node->function) &&
        !jit_is_noinline(jit, node->function)) {
        forbid_inlining(jit, node->function, "large");
    }
}

void
jit_choose_inlining(struct jit *jit)
{
    struct graph graph = {NULL, 0};
    LLVMValueRef at = LLVMGetFirstFunction(jit->module);
    for (; at; at = LLVMGetNextFunction(at)) {
        graph.count++;
    }
    graph.nodes = jit_allocate(graph.count * sizeof *graph.nodes);
    graph.count = 0;
    at = LLVMGetFirstFunction(jit->module);
    for (; at; at = LLVMGetNextFunction(at)) {
        if (LLVMIsDeclaration(at)) {
            continue;
        }
        graph.nodes[graph.count++].function = at;
        if (!jit_is_kernel(jit, at) && jit_address_taken(at)) {
            forbid_inlining(jit, at, "address");
        }
    }
    qsort(graph.nodes, graph.count, sizeof *graph.nodes, compare_nodes);
    for (size_t i = 0; i < graph.count; i++) {
        if (graph.nodes[i].state == NEW) {
            measure(jit, &graph, &graph.nodes[i]);
        }
    }
    for (size_t i = 0; i < graph.count; i++) {
        LLVMValueRef function = graph.nodes[i].function;
        if (!jit_is_kernel(jit, function) && !jit_is_noinline(jit, function)) {
            jit_add_attribute(jit, function, "alwaysinline");
        }
    }
}
