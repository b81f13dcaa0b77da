/* default_pool.c - the default pool: idle device memory of a context, by size
 * class.
 *
 * core_allocate takes blocks from the pool; when an allocation object is
 * deallocated, its block returns. A block is one whole cuMemAlloc and is never
 * split. Rules:
 *
 *  - A block is available immediately to the stream of its last use.
 *  - For another stream, an event is recorded on the stream of the last use,
 *    and the block is available when that event is complete.
 *  - If a block is allocated for one stream and then first used on another,
 *    that stream waits for the work of the block's previous user (core_use).
 *  - A block is not cached if the program has read its address as an integer,
 *    or if streams that are not ordered with each other used it. It is freed
 *    by cuMemFree, which waits for the device.
 *  - Before a stream is destroyed, the pool waits for it.
 *  - Idle memory is limited to an eighth of the device's memory, and a block
 *    to half of that (docs/decisions/0012).
 *
 * The memory of a deallocated Python object stays with its block, untracked by
 * the garbage collector, so that core_allocate_fast can reuse the object by
 * setting a few fields. The object deallocated last (`newest`) stays outside
 * the bins (lists of blocks of one size class), so that the next allocation of
 * its size on its stream gets it at once. Functions that search a bin move it
 * to its bin first (newest_to_bin).
 *
 * All functions need the GIL. When a bin is emptied, its list is detached
 * first and its blocks are freed with the GIL released.
 *
 * SPDX-License-Identifier: MIT */
#include "core/context/context.h"
#include "core/context/scope.h"
#include "core/context/stack.h"
#include "core/context/stream_list.h"
#include "core/core.h"
#include "core/memory/allocation.h"
#include "core/memory/default_pool.h"
#include "core/python/args.h"
#include "core/python/gil.h"
#include "core/python/locked_calls.h"
#include "core/state.h"

enum {
    BIN_COUNT = 264,
    SMALLEST = 512,
    TRIED_BLOCKS = 8, /* how many of a bin's newest blocks a search tries */
};

struct block {
    CUdeviceptr pointer;
    CUstream stream; /* stream on which the block was used last */
    /* event that was recorded on `stream` after the block was freed, or
     * NULL */
    CUevent event;
    bool idle; /* true: the work of the last use is complete */
    struct core_allocation *object; /* deallocated Python object that is reused
                                       with the block, or NULL */
};

struct bin {
    struct block *blocks;
    size_t count, capacity;
};

struct core_pool {
    /* object deallocated last, not in a bin yet */
    struct core_allocation *newest;
    /* bytes of all idle blocks, including the newest one, and their limit */
    size_t idle_bytes, most_bytes;
    unsigned bins_used; /* bins from this index on have never had a block */
    struct bin bins[BIN_COUNT];
};

/* Returns the index of the size class. There are eight classes per power of
 * two, so that rounding up wastes at most an eighth. Sets `rounded` to the
 * size of the class in bytes. */
static unsigned
bin_of(size_t bytes, size_t *rounded)
{
    if (bytes <= SMALLEST) {
        *rounded = SMALLEST;
        return 0;
    }
    size_t last = bytes - 1;
    unsigned log = 63u - (unsigned)__builtin_clzll(last);
    unsigned step = (unsigned)(last >> (log - 3)) & 7;
    *rounded = (size_t)(8 + step + 1) << (log - 3);
    return (log - 9) * 8 + step + 1;
}

/* Returns the context's pool and creates it at the first call; NULL if host
 * memory is short. */
static struct core_pool *
pool_get(struct core_context *context)
{
    if (context->pool == NULL) {
        size_t total = 0;
        context->pool = PyMem_Calloc(1, sizeof *context->pool);
        if (context->pool != NULL) {
            driver.cuDeviceTotalMem(&total, context->device);
            context->pool->most_bytes = total / 8;
        }
    }
    return context->pool;
}

static unsigned rules_off;

bool
core_pool_rule_is_on(enum core_pool_rule rule)
{
    return (rules_off & rule) == 0;
}

static PyObject *
pool_without(PyObject *unused, PyObject *rules)
{
    (void)unused;
    return core_unsigned(rules, &rules_off) < 0 ? NULL : Py_NewRef(Py_None);
}

/* Returns whether work on `stream` may write to the block now. Otherwise
 * records an event on the block's stream if it has none yet. */
static bool
block_ready(struct block *block, CUstream stream)
{
    if (block->idle || block->stream == stream ||
        !core_pool_rule_is_on(RULE_OTHER_STREAMS)) {
        return true;
    }
    if (block->event == NULL) {
        CUevent event;
        /* a NULL stream is the default stream of the current context */
        core_stack_claim();
        if (driver.cuEventCreate(&event, CU_EVENT_DISABLE_TIMING) !=
            CUDA_SUCCESS) {
            return false;
        }
        if (driver.cuEventRecord(event, block->stream) != CUDA_SUCCESS) {
            driver.cuEventDestroy(event);
            return false;
        }
        block->event = event;
    }
    block->idle = driver.cuEventQuery(block->event) == CUDA_SUCCESS;
    return block->idle;
}

static void
object_free(struct block *block)
{
    if (block->object != NULL) {
        PyObject_GC_Del(block->object);
        block->object = NULL;
    }
}

/* Removes a block that the stream may use from the bin, stores it in `taken`,
 * and frees the Python object stored with it. Returns false if the bin has no
 * such block. */
static bool
bin_take(struct bin *bin, CUstream stream, struct block *taken)
{
    for (size_t tried = 0; tried < TRIED_BLOCKS && tried < bin->count;
         tried++) {
        struct block *block = &bin->blocks[bin->count - 1 - tried];
        if (block_ready(block, stream)) {
            *taken = *block;
            *block = bin->blocks[--bin->count];
            if (taken->event != NULL) {
                driver.cuEventDestroy(taken->event);
            }
            object_free(taken);
            return true;
        }
    }
    return false;
}

/* Adds the block of a deallocated object to its bin; returns false if the bin
 * cannot grow. */
static bool
bin_put(struct core_pool *pool, struct core_allocation *dead, bool with_object)
{
    struct bin *bin = &pool->bins[dead->bin];
    if (bin->count == bin->capacity) {
        size_t capacity = bin->capacity * 2 + 8;
        struct block *blocks =
            PyMem_Realloc(bin->blocks, capacity * sizeof *blocks);
        if (blocks == NULL) {
            return false;
        }
        bin->blocks = blocks;
        bin->capacity = capacity;
        if (dead->bin >= pool->bins_used) {
            pool->bins_used = dead->bin + 1;
        }
    }
    bin->blocks[bin->count++] = (struct block){
        .pointer = dead->pointer,
        .stream = dead->stream,
        .idle = !core_stream_known(dead->context, dead->stream),
        .object = with_object ? dead : NULL,
    };
    return true;
}

/* Frees a block, and the Python object stored with it, because its bin cannot
 * grow. */
static void
block_drop(struct core_pool *pool, struct core_allocation *dead)
{
    struct core_scope scope;
    pool->idle_bytes -= dead->room;
    if (core_enter(dead->context, &scope)) {
        driver.cuMemFree(dead->pointer);
        core_leave(&scope);
    }
    PyObject_GC_Del(dead);
}

static __attribute__((noinline)) void
newest_bin_put(struct core_pool *pool)
{
    struct core_allocation *dead = pool->newest;
    pool->newest = NULL;
    if (!bin_put(pool, dead, true)) {
        block_drop(pool, dead);
    }
}

/* Moves the newest block, if there is one, to its bin. */
static inline void
newest_to_bin(struct core_pool *pool)
{
    if (UNLIKELY(pool->newest != NULL)) {
        newest_bin_put(pool);
    }
}

static void
objects_free(struct bin *bin)
{
    for (size_t i = 0; i < bin->count; i++) {
        object_free(&bin->blocks[i]);
    }
}

static void
blocks_free(struct bin *bin)
{
    for (size_t i = 0; i < bin->count; i++) {
        driver.cuMemFree(bin->blocks[i].pointer);
        if (bin->blocks[i].event != NULL) {
            driver.cuEventDestroy(bin->blocks[i].event);
        }
    }
}

/* Frees the blocks of one bin. The pool may be destroyed on return, since
 * another thread may detach the context while the GIL is released. */
static void
bin_trim(struct core_pool *pool, unsigned number)
{
    struct bin bin = pool->bins[number];
    pool->bins[number] = (struct bin){0};
    if (bin.count > 0) {
        size_t rounded = number == 0 ? SMALLEST
                                     : (size_t)(8 + (number - 1) % 8 + 1)
                                           << ((number - 1) / 8 + 6);
        pool->idle_bytes -= bin.count * rounded;
        objects_free(&bin);
        PyThreadState *thread = core_gil_release();
        blocks_free(&bin);
        core_gil_acquire(thread);
    }
    PyMem_Free(bin.blocks);
}

void
core_pool_trim(struct core_context *context)
{
    struct core_scope scope;
    if (context->pool == NULL || context->pool->idle_bytes == 0 ||
        !core_enter(context, &scope)) {
        return;
    }
    newest_to_bin(context->pool);
    for (unsigned i = 0; context->pool != NULL && i < BIN_COUNT; i++) {
        bin_trim(context->pool, i);
    }
    core_leave(&scope);
}

/* After OUT_OF_MEMORY, frees memory and returns true: the caller must retry
 * its allocation. Returns false for other codes and if `tried` is already set.
 * This function runs the garbage collector and frees the pool's idle memory.
 * In that time any Python code may run, and other threads and destructors may
 * end contexts and kernels. So the caller needs references to the objects that
 * it uses afterwards. */
bool
core_reclaim_memory(CUresult code, bool *tried)
{
    if (code != CUDA_ERROR_OUT_OF_MEMORY || *tried) {
        return false;
    }
    *tried = true;
    struct core_suspended_scopes scopes;
    core_scopes_suspend(&scopes);
    /* a disabled garbage collector would free nothing */
    int enabled = PyGC_Enable();
    PyGC_Collect();
    if (!enabled) {
        PyGC_Disable();
    }
    struct core_context *context = core_stack_top();
    if (context != NULL && context->captures == 0) {
        core_pool_trim(context);
    }
    core_scopes_resume(&scopes);
    return true;
}

CUresult
core_allocate_raw(CUdeviceptr *pointer, size_t bytes)
{
    bool tried = false;
    CUresult code;
    do {
        code = driver.cuMemAlloc(pointer, bytes);
    } while (core_reclaim_memory(code, &tried));
    return code;
}

/* Allocates from the context's pool, or from the driver if the pool is
 * disabled or the size is too large for it. Fills the memory fields of
 * `allocation`. */
CUresult
core_pool_allocate(struct core_context *context, size_t bytes, CUstream stream,
                   struct core_allocation *allocation)
{
    size_t rounded;
    unsigned bin = bytes == 0 ? 0 : bin_of(bytes, &rounded);
    struct core_pool *pool = NULL;
    if (!core.pool_off && bytes > 0) {
        pool = pool_get(context);
    }
    if (pool != NULL && bytes > pool->most_bytes / 2) {
        pool = NULL;
    }
    allocation->settled = true;
    if (pool == NULL) {
        core_stack_claim();
        return core_allocate_raw(&allocation->pointer, bytes);
    }
    allocation->bin = bin;
    allocation->room = rounded;
    newest_to_bin(pool);
    struct block block;
    /* During a capture no idle block is used: work outside the capture may
     * still use the block when the graph runs. */
    if (context->captures == 0 && bin_take(&pool->bins[bin], stream, &block)) {
        pool->idle_bytes -= rounded;
        allocation->pointer = block.pointer;
        allocation->cached = true;
        allocation->settled = block.idle;
        return CUDA_SUCCESS;
    }
    core_stack_claim();
    CUresult code = core_allocate_raw(&allocation->pointer, rounded);
    allocation->cached = code == CUDA_SUCCESS;
    /* The exact size may still fit if the rounded size does not. */
    return code == CUDA_ERROR_OUT_OF_MEMORY
               ? core_allocate_raw(&allocation->pointer, bytes)
               : code;
}

/* Removes the newest block from its bin and returns its object; NULL if there
 * is none or the stream may not use the block immediately. */
static __attribute__((noinline)) struct core_allocation *
bin_pop_newest(struct core_pool *pool, size_t bytes, CUstream stream)
{
    size_t rounded;
    if (bytes == 0 || bytes > pool->most_bytes / 2) {
        return NULL;
    }
    struct bin *bin = &pool->bins[bin_of(bytes, &rounded)];
    newest_to_bin(pool);
    if (bin->count == 0) {
        return NULL;
    }
    const struct block *block = &bin->blocks[bin->count - 1];
    struct core_allocation *self = block->object;
    if (self == NULL || block->event != NULL ||
        (block->stream != stream && !block->idle)) {
        return NULL;
    }
    bin->count--;
    self->bytes = bytes;
    self->scattered = !core_stream_known(self->context, stream);
    self->stream = stream;
    self->settled = block->idle;
    self->crossed = false;
    return self;
}

/* Fast path of an allocation: reuses a block of the requested size and its
 * object if the stream may use it immediately. Otherwise returns NULL without
 * an exception, and the caller uses core_pool_allocate. */
PyObject *
core_allocate_fast(struct core_context *context, size_t bytes, CUstream stream)
{
    struct core_pool *pool = context->pool;
    if (UNLIKELY(pool == NULL || core.pool_off || context->captures != 0)) {
        return NULL;
    }
    struct core_allocation *self = pool->newest;
    if (LIKELY(self != NULL && self->bytes == bytes &&
               self->stream == stream)) {
        pool->newest = NULL;
        self->settled = self->scattered = self->crossed = false;
    } else if ((self = bin_pop_newest(pool, bytes, stream)) == NULL) {
        return NULL;
    }
    pool->idle_bytes -= self->room;
    self->freed = self->escaped = self->touched = false;
    Py_INCREF((PyObject *)context);
    core_object_revive((PyObject *)self);
    PyObject_GC_Track(self);
    return (PyObject *)self;
}

/* Returns whether the pool may keep the block of a deallocated object. */
static inline bool
may_cache(const struct core_pool *pool, const struct core_allocation *dead)
{
    return LIKELY(pool != NULL && !core.forked && !core.pool_off &&
                  pool->idle_bytes + dead->room <= pool->most_bytes) &&
           (LIKELY(!dead->escaped && !dead->scattered) ||
            ((!dead->escaped || !core_pool_rule_is_on(RULE_ESCAPED)) &&
             (!dead->scattered || !core_pool_rule_is_on(RULE_SCATTERED))));
}

bool
core_pool_return(struct core_allocation *allocation)
{
    struct core_pool *pool = allocation->context->pool;
    if (!may_cache(pool, allocation)) {
        return false;
    }
    newest_to_bin(pool);
    if (!bin_put(pool, allocation, false)) {
        return false;
    }
    pool->idle_bytes += allocation->room;
    return true;
}

/* Gives the block and the Python object of an allocation to the pool during
 * its deallocation, after the garbage collector has stopped tracking it.
 * Returns true if the pool took both, and with them the object's references.
 * Returns false if the caller must free both. */
bool
core_pool_recycle(struct core_allocation *dead)
{
    PyTypeObject *type = Py_TYPE(dead);
    struct core_context *context = dead->context;
    if (UNLIKELY(dead->freed || !dead->cached || dead->dict != NULL ||
                 type != core.allocation_type || !context->valid ||
                 !may_cache(context->pool, dead))) {
        return false;
    }
    struct core_pool *pool = context->pool;
    dead->freed = true;
    newest_to_bin(pool);
    if (LIKELY(core_stream_known(context, dead->stream))) {
        pool->newest = dead;
    } else if (!bin_put(pool, dead, true)) {
        dead->freed = false;
        return false;
    }
    pool->idle_bytes += dead->room;
    /* may destroy the pool and the object `dead` */
    Py_DECREF((PyObject *)context);
    Py_DECREF(type);
    return true;
}

/* Marks all blocks last used on the stream as idle. Called when the stream's
 * work is complete and it is about to be destroyed. */
void
core_pool_stream_ended(struct core_context *context, CUstream stream)
{
    if (context->pool == NULL) {
        return;
    }
    newest_to_bin(context->pool);
    for (unsigned i = 0; i < context->pool->bins_used; i++) {
        struct bin *bin = &context->pool->bins[i];
        for (size_t j = 0; j < bin->count; j++) {
            bin->blocks[j].idle |= bin->blocks[j].stream == stream;
        }
    }
}

void
core_pool_destroy(struct core_context *context)
{
    struct core_pool *pool = context->pool;
    struct core_scope scope;
    if (pool == NULL) {
        return;
    }
    newest_to_bin(pool);
    context->pool = NULL; /* other threads find no pool from here on */
    bool entered = core_enter(context, &scope);
    for (unsigned i = 0; i < BIN_COUNT; i++) {
        if (entered) {
            bin_trim(pool, i);
        } else {
            objects_free(&pool->bins[i]);
            PyMem_Free(pool->bins[i].blocks);
        }
    }
    if (entered) {
        core_leave(&scope);
    }
    PyMem_Free(pool);
}

static PyMethodDef functions[] = {
    {"_pool_without", pool_without, METH_O,
     "Switch off rules of the default pool, one bit per rule. For tests, "
     "which then detect memory that is reused too early."},
    {NULL},
};

int
core_pool_setup(PyObject *module)
{
    return core_add_functions(module, functions);
}
