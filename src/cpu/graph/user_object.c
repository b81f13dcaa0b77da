/* user_object.c - reference-counted user objects of the caller.
 *
 * Called by users of the library. Graphs and executable graphs hold references
 * to user objects (graph.c, exec.c) and release them when they are freed. The
 * thread that releases the last reference calls the object's destructor, a
 * function of the program, after it has released all locks. `user_lock` guards
 * the reference counts and the list of objects to destroy. No other lock is
 * acquired while it is held.
 *
 * SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "cpu/device/handle.h"
#include "cpu/device/state.h"
#include "cpu/exports/visibility.h"
#include "cpu/graph/graph.h"

struct user {
    CUuserObject handle;
    void *pointer;
    CUhostFn destroy;
    uint64_t references;
    /* next element in the list of user objects to destroy */
    struct user *next;
};

struct cpu_hold {
    struct user *user;
    uint64_t count;
    struct cpu_hold *next;
};

static pthread_mutex_t user_lock = PTHREAD_MUTEX_INITIALIZER;
static struct user *ended;

static struct user *
user_of(CUuserObject handle)
{
    return cpu_handle_object(CPU_USER, handle);
}

/* Drops `count` references to the user object. After the last one, adds the
 * object to the list `ended`; cpu_users_end destroys it. The caller holds
 * user_lock. */
static void
references_drop(struct user *user, uint64_t count)
{
    user->references -= count;
    if (!user->references) {
        cpu_handle_delete(user->handle);
        user->next = ended;
        ended = user;
    }
}

void
cpu_users_end(void)
{
    pthread_mutex_lock(&user_lock);
    struct user *user = ended;
    ended = NULL;
    pthread_mutex_unlock(&user_lock);
    while (user) {
        struct user *next = user->next;

        user->destroy(user->pointer);
        free(user);
        user = next;
    }
}

/* ---- graphs' references ---- */

/* Adds an entry for `count` references to the object to a graph's list. Does
 * not change user->references. */
static CUresult
hold_add(struct cpu_hold **holds, struct user *user, uint64_t count)
{
    struct cpu_hold *hold = malloc(sizeof *hold);

    if (!hold) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *hold = (struct cpu_hold){user, count, *holds};
    *holds = hold;
    return CUDA_SUCCESS;
}

CUresult
cpu_holds_copy(struct cpu_hold **to, const struct cpu_hold *from)
{
    CUresult code = CUDA_SUCCESS;

    pthread_mutex_lock(&user_lock);
    for (; from && !code; from = from->next) {
        code = hold_add(to, from->user, 1);
        from->user->references += !code;
    }
    pthread_mutex_unlock(&user_lock);
    return code;
}

void
cpu_holds_free(struct cpu_hold **holds)
{
    pthread_mutex_lock(&user_lock);
    while (*holds) {
        struct cpu_hold *hold = *holds;

        *holds = hold->next;
        references_drop(hold->user, hold->count);
        free(hold);
    }
    pthread_mutex_unlock(&user_lock);
}

/* Releases `count` references to the object that are recorded in a graph's
 * list. Returns false if no entry of the list has that many references. */
static bool
hold_drop(struct cpu_hold **holds, struct user *user, uint64_t count)
{
    for (struct cpu_hold **at = holds; *at; at = &(*at)->next) {
        struct cpu_hold *hold = *at;

        if (hold->user != user || hold->count < count) {
            continue;
        }
        hold->count -= count;
        if (!hold->count) {
            *at = hold->next;
            free(hold);
        }
        references_drop(user, count);
        return true;
    }
    return false;
}

/* ---- the API ---- */

CPU_API CUresult
cuUserObjectCreate(CUuserObject *object, void *pointer, CUhostFn destroy,
                   unsigned count, unsigned flags)
{
    CUresult code = cpu_ready();

    if (code) {
        return code;
    }
    if (!object || !destroy || !count || count > INT32_MAX ||
        flags != CU_USER_OBJECT_NO_DESTRUCTOR_SYNC) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    struct user *user = calloc(1, sizeof *user);
    if (user) {
        *user = (struct user){
            .pointer = pointer, .destroy = destroy, .references = count};
        user->handle = cpu_handle_new(CPU_USER, user, 0);
    }
    if (!user || !user->handle) {
        free(user);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *object = user->handle;
    return CUDA_SUCCESS;
}

CPU_API CUresult
cuUserObjectRetain(CUuserObject object, unsigned count)
{
    pthread_mutex_lock(&user_lock);
    struct user *user = user_of(object);
    bool right = user && count && count <= INT32_MAX;
    if (right) {
        user->references += count;
    }
    pthread_mutex_unlock(&user_lock);
    return right ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CPU_API CUresult
cuUserObjectRelease(CUuserObject object, unsigned count)
{
    pthread_mutex_lock(&user_lock);
    struct user *user = user_of(object);
    bool right = user && count && count <= user->references;
    if (right) {
        references_drop(user, count);
    }
    pthread_mutex_unlock(&user_lock);
    cpu_users_end();
    return right ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* Adds `count` references to the graph. With the flag MOVE, these are
 * references of the caller; otherwise they are new ones. */
CPU_API CUresult
cuGraphRetainUserObject(CUgraph handle, CUuserObject object, unsigned count,
                        unsigned flags)
{
    CUresult code = CUDA_ERROR_INVALID_VALUE;

    pthread_mutex_lock(&cpu_graph_lock);
    pthread_mutex_lock(&user_lock);
    struct cpu_graph *graph = cpu_handle_object(CPU_GRAPH, handle);
    struct user *user = user_of(object);
    bool move = flags == CU_GRAPH_USER_OBJECT_MOVE;
    if (graph && user && count && count <= INT32_MAX && (move || !flags) &&
        (!move || count <= user->references)) {
        code = hold_add(&graph->holds, user, count);
        user->references += !code && !move ? count : 0;
    }
    pthread_mutex_unlock(&user_lock);
    pthread_mutex_unlock(&cpu_graph_lock);
    return code;
}

CPU_API CUresult
cuGraphReleaseUserObject(CUgraph handle, CUuserObject object, unsigned count)
{
    pthread_mutex_lock(&cpu_graph_lock);
    pthread_mutex_lock(&user_lock);
    struct cpu_graph *graph = cpu_handle_object(CPU_GRAPH, handle);
    struct user *user = user_of(object);
    bool right =
        graph && user && count && hold_drop(&graph->holds, user, count);
    pthread_mutex_unlock(&user_lock);
    pthread_mutex_unlock(&cpu_graph_lock);
    cpu_users_end();
    return right ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
