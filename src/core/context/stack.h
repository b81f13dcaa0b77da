/* stack.h - the context stack of each thread.
 *
 * Unless a comment says otherwise, the functions need the GIL and keep it. An
 * int result is 0, or -1 with an exception; a PyObject * result is a new
 * reference, or NULL with an exception.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_CONTEXT_STACK_H
#define PYCUDA_CORE_CONTEXT_STACK_H

#include "core/core.h"

struct core_context;
struct core_entered;

/* Returns the context on top of this thread's stack, borrowed, and makes it
 * CUDA's current context (core_stack_claim). Returns NULL with LogicError if
 * there is none. */
struct core_context *core_current(void);
/* Returns the context on top of this thread's stack, borrowed; NULL with
 * LogicError if there is none. Does not make it current in CUDA. For callers
 * that do this themselves or do not call the driver. */
struct core_context *core_current_known(void);
/* Returns the top of this thread's stack, borrowed; NULL if it is empty. */
struct core_context *core_stack_top(void);
/* Pushes a context on this thread's stack, but not on CUDA's own stack. From
 * then on, core_stack_was_used returns true in this thread. */
int core_stack_push(struct core_context *context);
/* Pushes a context on this thread's stack for one operation, which pops it
 * again. Unlike core_stack_push, does not change the result of
 * core_stack_was_used. */
int core_stack_push_temporarily(struct core_context *context);
/* Removes the top of this thread's stack and returns it, a strong reference.
 * Returns NULL if the stack is empty. */
struct core_context *core_stack_pop(void);
/* Makes the top of this thread's stack CUDA's current context. If the stack is
 * empty, no context is current afterwards. */
int core_stack_restore(void);
/* Makes the top of this thread's stack CUDA's current context if another
 * library, such as torch or NCCL, has made another context current. Returns
 * true if it has changed the current context. Called before driver calls that
 * use the current context implicitly. Launches call it only after the driver
 * has refused them. */
bool core_stack_claim(void);
/* Makes the top of this thread's stack current in CUDA (core_stack_claim) and
 * returns it, borrowed; NULL if the stack is empty. */
struct core_context *core_stack_claim_top(void);
/* Sets the function that core_stack_top calls in a thread without a context.
 * The function may push a context, and returns whether it has pushed one. It
 * raises no exception. */
void core_stack_set_adopt(bool (*function)(void));
#ifdef Py_GIL_DISABLED
/* Sets the function that returns a lock, or NULL: the lock of the context that
 * the function passed to core_stack_set_adopt would push. */
void core_stack_set_adopted_lock(struct core_lock *(*function)(void));
#endif
/* Returns whether this thread ever pushed a context with core_stack_push. */
bool core_stack_was_used(void);
/* Returns this thread's entered streams. If `create` is set, NULL means an
 * exception, otherwise that there are none. */
struct core_entered *core_stack_entered(bool create);

#endif
