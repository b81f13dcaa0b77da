/* context_list.c - the list of all contexts.
 *
 * The list has no references to the contexts. A leaf lock (python/locks.h)
 * protects it. Other threads may destroy a context of the list at any time, so
 * functions return new references.
 *
 * SPDX-License-Identifier: MIT */
#include "core/context/context.h"
#include "core/context/context_list.h"
#include "core/core.h"
#include "core/python/locks.h"
#include "core/python/object.h"
#include "core/state.h"

/* head of the list of all existing contexts; borrowed */
static struct core_context *contexts;
LEAF_LOCK(list_lock);

/* Implements core_contexts_guard. The caller has list_lock. */
static void
contexts_guard(void)
{
    unsigned valid = 0;
    for (struct core_context *c = contexts; c != NULL; c = c->next) {
        valid += READ_SHARED(c->valid);
    }
    for (struct core_context *c = contexts; c != NULL; c = c->next) {
        WRITE_SHARED(c->guarded, valid > 1 || !READ_SHARED(c->valid) ||
                                     READ_SHARED(c->captures) != 0);
    }
}

/* Sets the field `guarded` of every context: to true if there are several
 * contexts, or if the context has an open capture or is detached. Called after
 * a context or a capture has begun or ended. The loop is short, since there
 * are few contexts. */
void
core_contexts_guard(void)
{
    LEAF_BEGIN(list_lock);
    contexts_guard();
    LEAF_END(list_lock);
}

/* core_contexts_add adds a new context to the list of all contexts;
 * core_contexts_remove removes a context whose memory is about to be freed. */
void
core_contexts_add(struct core_context *context)
{
    context->serial = ADD_SHARED(core.next_serial, 1);
    core_allow_references((PyObject *)context);
    LEAF_BEGIN(list_lock);
    context->next = contexts;
    contexts = context;
    contexts_guard();
    LEAF_END(list_lock);
}

/* Returns a Context that owns the native context, and adds it to the list of
 * contexts. On failure the caller still owns `handle`. */
PyObject *
core_context_wrap(CUcontext handle, CUdevice device,
                  enum core_context_kind kind)
{
    struct core_context *self =
        (struct core_context *)core_object_new(core.context_type, NULL);
#ifdef Py_GIL_DISABLED
    if (self != NULL && (self->lock = core_lock_new()) == NULL) {
        Py_CLEAR(self);
    }
#endif
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
    LEAF_BEGIN(list_lock);
    struct core_context **link = &contexts;
    while (*link != NULL && *link != context) {
        link = &(*link)->next;
    }
    if (*link != NULL) {
        *link = context->next;
    }
    contexts_guard();
    LEAF_END(list_lock);
}

struct core_context *
core_contexts_find(bool (*matches)(const struct core_context *context,
                                   const void *value),
                   const void *value)
{
    PyObject *found = NULL;
    LEAF_BEGIN(list_lock);
    for (struct core_context *c = contexts; c != NULL && found == NULL;
         c = c->next) {
        if (matches(c, value)) {
            found = core_reference_living((PyObject *)c);
        }
    }
    LEAF_END(list_lock);
    return (struct core_context *)found;
}

bool
core_contexts_all(bool (*matches)(const struct core_context *context,
                                  const void *value),
                  const void *value)
{
    bool all = true;
    LEAF_BEGIN(list_lock);
    for (struct core_context *c = contexts; c != NULL && all; c = c->next) {
        all = matches(c, value);
    }
    LEAF_END(list_lock);
    return all;
}

/* Stores new references to at most `capacity` contexts. Returns the number of
 * contexts, which may be larger. */
static size_t
contexts_copy(PyObject **references, size_t capacity, size_t *stored)
{
    size_t count = 0;
    *stored = 0;
    LEAF_BEGIN(list_lock);
    for (struct core_context *c = contexts; c != NULL; c = c->next, count++) {
        if (*stored < capacity) {
            PyObject *context = core_reference_living((PyObject *)c);
            if (context != NULL) {
                references[(*stored)++] = context;
            }
        }
    }
    LEAF_END(list_lock);
    return count;
}

PyObject *
core_contexts_list(void)
{
    size_t stored, capacity = 0, count = contexts_copy(NULL, 0, &stored);
    PyObject **references = NULL;
    do {
        for (size_t i = 0; i < stored; i++) {
            Py_DECREF(references[i]);
        }
        capacity = count + 1;
        PyMem_Free(references);
        references = PyMem_Calloc(capacity, sizeof *references);
        if (references == NULL) {
            return PyErr_NoMemory();
        }
        count = contexts_copy(references, capacity, &stored);
    } while (count > capacity);
    PyObject *list = PyList_New((Py_ssize_t)stored);
    for (size_t i = 0; i < stored; i++) {
        if (list == NULL) {
            Py_DECREF(references[i]);
        } else {
            PyList_SET_ITEM(list, (Py_ssize_t)i, references[i]);
        }
    }
    PyMem_Free(references);
    return list;
}

bool
core_contexts_are_several(void)
{
    LEAF_BEGIN(list_lock);
    bool several = contexts != NULL && contexts->next != NULL;
    LEAF_END(list_lock);
    return several;
}
