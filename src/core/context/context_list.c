/* context_list.c - the list of all contexts.
 *
 * The list has no references to the contexts. The GIL protects it.
 *
 * SPDX-License-Identifier: MIT */
#include "core/context/context.h"
#include "core/context/context_list.h"
#include "core/core.h"
#include "core/python/object.h"
#include "core/state.h"

/* head of the list of all existing contexts; borrowed */
static struct core_context *contexts;

/* Sets `guarded` of every context: true if there are several contexts or a
 * capture is open. Called after a context or a capture has begun or ended. The
 * loop is short, since there are few contexts. */
void
core_contexts_guard(void)
{
    unsigned valid = 0;
    for (struct core_context *c = contexts; c != NULL; c = c->next) {
        valid += c->valid;
    }
    for (struct core_context *c = contexts; c != NULL; c = c->next) {
        c->guarded = valid > 1 || !c->valid || c->captures != 0;
    }
}

/* core_contexts_add adds a new context to the list of all contexts;
 * core_contexts_remove removes it when its memory is freed. */
void
core_contexts_add(struct core_context *context)
{
    context->serial = ++core.next_serial;
    context->next = contexts;
    contexts = context;
    core_contexts_guard();
}

/* Returns a Context that owns the native context, and adds it to the list of
 * contexts. On failure the caller still owns `handle`. */
PyObject *
core_context_wrap(CUcontext handle, CUdevice device,
                  enum core_context_kind kind)
{
    struct core_context *self =
        (struct core_context *)core_object_new(core.context_type, NULL);
    if (self != NULL) {
        self->handle = handle;
        self->device = device;
        self->kind = kind;
        self->throttle = self->throttles;
        self->noted = 1;
        self->valid = true;
        core_contexts_add(self);
    }
    return (PyObject *)self;
}

void
core_contexts_remove(struct core_context *context)
{
    struct core_context **link = &contexts;
    while (*link != NULL && *link != context) {
        link = &(*link)->next;
    }
    if (*link != NULL) {
        *link = context->next;
    }
    core_contexts_guard();
}

struct core_context *
core_contexts_first(void)
{
    return contexts;
}
