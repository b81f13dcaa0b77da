/* stack.c - each thread's stack of Contexts and list of entered streams.
 *
 * As in PyCUDA, each thread has a stack of Contexts. CUDA also has a stack for
 * each thread; it has at most one entry, the context on top of our stack. Our
 * stack is a Python object in the thread state's dict, so that its references
 * are dropped with the thread. A thread-local pointer caches the stack until
 * the thread gets another Python thread state.
 *
 * SPDX-License-Identifier: MIT */
#include "core/context/context.h"
#include "core/context/scope.h"
#include "core/context/stack.h"
#include "core/core.h"
#include "core/python/gil.h"
#include "core/python/locks.h"
#include "core/python/object.h"
#include "core/python/object_head.h"
#include "core/state.h"
#include "core/stream/stream.h"

struct stack {
    PyObject_HEAD
    /* borrowed: the last element of `items`; NULL if it must be looked up */
    struct core_context *top;
    struct core_context **items; /* strong references */
    size_t count, capacity;
    /* true: this thread has called core_stack_push */
    bool was_used;
    /* streams that the thread has entered (current_stream.c) */
    struct core_entered entered;
};

/* Function for threads that have never pushed a context: it pushes the context
 * that the program chose for such threads, if any, and returns whether it has
 * pushed one. thread_context.c sets the function. */
static bool (*adopt)(void);

static _Thread_local struct stack *cached CORE_AT_ONCE;
/* Id of the Python thread state whose stack is in `cached`; 0, which no thread
 * state has, if `cached` is NULL. */
static _Thread_local uint64_t cached_for CORE_AT_ONCE;

static int
stack_traverse(PyObject *self, visitproc visit, void *arg)
{
    struct stack *stack = (struct stack *)self;
    Py_VISIT(Py_TYPE(self));
    for (size_t i = 0; i < stack->count; i++) {
        Py_VISIT((PyObject *)stack->items[i]);
    }
    for (size_t i = 0; i < stack->entered.count; i++) {
        Py_VISIT((PyObject *)stack->entered.entries[i].stream);
    }
    return 0;
}

/* Drops all streams that a thread has entered. */
static void
entered_clear(struct core_entered *entered)
{
    while (entered->count > 0) {
        ADD_SHARED(core.stream_defaults, -1);
        Py_DECREF((PyObject *)entered->entries[--entered->count].stream);
    }
}

/* Empties the stack, one reference at a time. An item is removed from the
 * stack before its reference is dropped, since a destructor may use the
 * stack. */
static int
stack_clear(PyObject *self)
{
    struct stack *stack = (struct stack *)self;
    while (stack->count > 0) {
        stack->top = NULL;
        Py_DECREF((PyObject *)stack->items[--stack->count]);
    }
    entered_clear(&stack->entered);
    return 0;
}

static void
stack_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    if ((struct stack *)self == cached) {
        cached = NULL;
        cached_for = 0;
    }
    stack_clear(self);
    PyMem_Free(((struct stack *)self)->items);
    PyMem_Free(((struct stack *)self)->entered.entries);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyType_Slot stack_slots[] = {
    {Py_tp_new, core_no_new},
    {Py_tp_traverse, stack_traverse},
    {Py_tp_clear, stack_clear},
    {Py_tp_dealloc, stack_dealloc},
    {0, NULL},
};

static PyType_Spec stack_spec = {
    .name = "pycuda._driver._ContextStack",
    .basicsize = sizeof(struct stack),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .slots = stack_slots,
};

/* Slow path of stack_get: finds the stack in the thread state's dict, and
 * caches it. */
static __attribute__((noinline)) struct stack *
stack_find(uint64_t id, bool create)
{
    PyObject *dict = PyThreadState_GetDict();
    if (dict == NULL) {
        return NULL;
    }
    PyObject *found = PyDict_GetItemWithError(dict, core.str_stack);
    if (found == NULL && create) {
        found = core.stack_type->tp_alloc(core.stack_type, 0);
        if (found == NULL || PyDict_SetItem(dict, core.str_stack, found) < 0) {
            Py_XDECREF(found);
            return NULL;
        }
        Py_DECREF(found); /* the dict owns the stack */
        core_thread_uses_driver();
    }
    if (found != NULL) {
        cached = (struct stack *)found;
        cached_for = id;
    }
    return (struct stack *)found;
}

/* Returns this thread's stack, borrowed, and creates it if `create` is true.
 * Returns NULL if there is none or memory is short; an exception may be
 * set. */
static inline struct stack *
stack_get(bool create)
{
    uint64_t id = PyThreadState_Get()->id;
    return cached_for == id ? cached : stack_find(id, create);
}

/* Returns this thread's stack, or NULL with an exception. */
static struct stack *
stack_get_or_raise(void)
{
    struct stack *stack = stack_get(true);
    if (stack == NULL && !PyErr_Occurred()) {
        PyErr_NoMemory();
    }
    return stack;
}

/* Returns the streams that this thread has entered. Without `create` NULL
 * means that there are none; with `create` NULL means an exception. */
struct core_entered *
core_stack_entered(bool create)
{
    struct stack *stack = create ? stack_get_or_raise() : stack_get(false);
    return stack == NULL ? NULL : &stack->entered;
}

/* Removes detached contexts from the top of the stack. Then returns the top,
 * or NULL if the stack is empty. */
static __attribute__((noinline)) struct core_context *
stack_top_find(struct stack *stack)
{
    while (stack != NULL && stack->count > 0) {
        struct core_context *top = stack->items[stack->count - 1];
        if (top->valid) {
            stack->top = top;
            return top;
        }
        stack->top = NULL;
        stack->count--;
        Py_DECREF((PyObject *)top);
    }
    return NULL;
}

void
core_stack_set_adopt(bool (*function)(void))
{
    adopt = function;
}

bool
core_stack_was_used(void)
{
    struct stack *stack = stack_get(false);
    return stack != NULL && stack->was_used;
}

/* Slow path of stack_top: finds the thread's stack, and removes detached
 * contexts from its top. */
static __attribute__((noinline)) struct core_context *
stack_top_unusual(void)
{
    struct core_context *found = stack_top_find(stack_get(false));
    return found == NULL && (adopt != NULL && adopt())
               ? stack_top_find(stack_get(false))
               : found;
}

/* Same as core_stack_top. Inline, and with its slow path in a function of its
 * own, since nearly every call of the package comes here. */
static inline struct core_context *
stack_top(void)
{
    uint64_t id = PyThreadState_Get()->id;
    const struct stack *stack = cached;
    if (LIKELY(cached_for == id && stack->top != NULL && stack->top->valid)) {
        return stack->top;
    }
    return stack_top_unusual();
}

/* Returns the context on top of this thread's stack, borrowed; NULL without an
 * exception if there is none. If this thread has never pushed a context, first
 * pushes the context that the program chose for such threads
 * (set_thread_context), if any. */
struct core_context *
core_stack_top(void)
{
    return stack_top();
}

/* Makes `top` current in CUDA if another context is current. Returns true if
 * it has changed the current context. Changes nothing between core_enter and
 * core_leave: the context that core_enter has made current stays current. */
static inline bool
stack_claim(const struct core_context *top)
{
    CUcontext now = NULL;
    return driver.cuCtxGetCurrent(&now) == CUDA_SUCCESS &&
           UNLIKELY(now != top->handle) && core_scope_depth == 0 &&
           driver.cuCtxSetCurrent(top->handle) == CUDA_SUCCESS;
}

bool
core_stack_claim(void)
{
    const struct core_context *top = stack_top();
    return top != NULL && !core.forked && stack_claim(top);
}

struct core_context *
core_stack_claim_top(void)
{
    struct core_context *top = stack_top();
    if (top != NULL && !core.forked) {
        stack_claim(top);
    }
    return top;
}

/* Raises LogicError: the thread has no context, or this is a forked child of a
 * process that uses CUDA. */
static __attribute__((noinline)) struct core_context *
current_refuse(const struct core_context *top)
{
    if (top == NULL) {
        core_fail(core.forked ? CUDA_ERROR_NOT_INITIALIZED
                              : CUDA_ERROR_INVALID_CONTEXT,
                  "explicit_context_dependent",
                  core.forked
                      ? NULL
                      : "no currently active context? " CORE_NO_CONTEXT);
    } else {
        core_fail(CUDA_ERROR_NOT_INITIALIZED, "explicit_context_dependent",
                  NULL);
    }
    return NULL;
}

struct core_context *
core_current_known(void)
{
    struct core_context *top = stack_top();
    return LIKELY(top != NULL && !core.forked) ? top : current_refuse(top);
}

struct core_context *
core_current(void)
{
    struct core_context *top = stack_top();
    if (UNLIKELY(top == NULL || core.forked)) {
        return current_refuse(top);
    }
    stack_claim(top);
    return top;
}

/* Pushes a reference to a context. The caller makes the context current in
 * CUDA. */
static int
stack_push(struct stack *stack, struct core_context *context)
{
    if (stack->count == stack->capacity) {
        size_t capacity = stack->capacity * 2 + 4;
        struct core_context **items =
            PyMem_Realloc(stack->items, capacity * sizeof *items);
        if (items == NULL) {
            PyErr_NoMemory();
            return -1;
        }
        stack->items = items;
        stack->capacity = capacity;
    }
    stack->top = NULL;
    stack->items[stack->count++] =
        (struct core_context *)Py_NewRef((PyObject *)context);
    return 0;
}

int
core_stack_push(struct core_context *context)
{
    struct stack *stack = stack_get_or_raise();
    if (stack == NULL || stack_push(stack, context) < 0) {
        return -1;
    }
    stack->was_used = true;
    return 0;
}

int
core_stack_push_temporarily(struct core_context *context)
{
    struct stack *stack = stack_get_or_raise();
    return stack == NULL ? -1 : stack_push(stack, context);
}

struct core_context *
core_stack_pop(void)
{
    struct stack *stack = stack_get(false);
    if (stack_top_find(stack) == NULL) {
        return NULL;
    }
    stack->top = NULL;
    return stack->items[--stack->count];
}

#ifdef Py_GIL_DISABLED
/* Function that returns a lock, or NULL: the lock of the context that the
 * function `adopt` would push. thread_context.c sets the function. */
static struct core_lock *(*adopted_lock)(void);

void
core_stack_set_adopted_lock(struct core_lock *(*function)(void))
{
    adopted_lock = function;
}

/* Returns the lock of the context that a call uses: the context on top of this
 * thread's stack or, if the stack is empty, the context that core_stack_top
 * would push. Returns NULL if there is no such context. */
static struct core_lock *
stack_lock(void)
{
    struct stack *stack = stack_get(false);
    if (LIKELY(stack != NULL && stack->top != NULL && stack->top->valid)) {
        return stack->top->lock;
    }
    const struct core_context *top = stack_top_find(stack);
    return top != NULL            ? top->lock
           : adopted_lock == NULL ? NULL
                                  : adopted_lock();
}

void *
core_current_table(enum core_table which, size_t bytes)
{
    struct core_lock *lock = stack_lock();
    if (UNLIKELY(lock != NULL && lock->tables[which] == NULL)) {
        bytes = (bytes + 63) / 64 * 64;
        void *table = aligned_alloc(64, bytes);
        if (table != NULL) {
            lock->tables[which] = memset(table, 0, bytes);
        }
    }
    return lock == NULL ? NULL : lock->tables[which];
}
#endif

int
core_stack_restore(void)
{
    struct core_context *top = stack_top();
    return core_check(driver.cuCtxSetCurrent(top == NULL ? NULL : top->handle),
                      "cuCtxSetCurrent");
}

int
core_context_key(void **key)
{
    struct core_context *context = core_current();
    if (context == NULL) {
        return -1;
    }
    *key = (void *)(uintptr_t)context->serial;
    return 0;
}

int
core_stack_setup(PyObject *module)
{
#ifdef Py_GIL_DISABLED
    core_calls_set_lock(stack_lock);
#endif
    return core_add_headless_type(module, &core.stack_type, &stack_spec);
}
