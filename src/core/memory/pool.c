/* pool.c - the default pool: idle device memory of a context, by size class.
 *
 * core_allocate takes blocks from it, the deallocation of an allocation
 * returns them. A block is one whole cuMemAlloc and is never split. Rules:
 *
 *  - A block is available immediately to the stream of its last use. Any other
 *    stream gets it only after an event, recorded on the last stream after the
 *    free, has been reached; if another stream then uses the block first, that
 *    stream waits (core_use).
 *  - A block is not cached if its address left as an integer, or if streams
 *    without an order used it: cuMemFree waits for the device.
 *  - The pool waits for a stream that ends.
 *  - Idle memory is limited to an eighth of the device's memory, a block to
 *    half of that (docs/decisions/0012).
 *
 * The Python object of a deallocated allocation stays with its block, without
 * references and untracked, so that core_allocate_ready can reuse it by
 * setting a few fields. The object deallocated last stays outside the bins,
 * for an allocation of its size on its stream; functions that search a bin put
 * it there first (pool_settle).
 *
 * All under the GIL. Many blocks are freed with the GIL released, from a list
 * that no other thread can access.
 *
 * SPDX-License-Identifier: MIT */
#include "core/launch/hot.h"

enum {
    BIN_COUNT = 264,
    SMALLEST = 512,
    TRIED_BLOCKS = 8, /* blocks of a bin to try, from the newest */
};

struct block {
    CUdeviceptr pointer;
    CUstream stream; /* of the last use */
    CUevent event;   /* recorded on `stream` after the free, or NULL */
    bool idle;       /* the last use is complete */
    struct core_allocation *object; /* its deallocated object, whose memory
                                       is reused with the block; or NULL */
};

struct bin {
    struct block *blocks;
    size_t count, capacity;
};

struct core_pool {
    struct core_allocation *newest; /* deallocated last; its block is not in
                                       its bin yet */
    size_t idle_bytes, most_bytes;  /* including the newest block */
    struct bin bins[BIN_COUNT];
};

/* Returns the size class: eight per power of two, so that at most an eighth is
 * wasted. */
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

/* Returns the context's pool, and creates it at the first call; NULL without
 * memory. */
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
core_pool_heeds(enum core_pool_rule rule)
{
    return (rules_off & rule) == 0;
}

static PyObject *
pool_without(PyObject *unused, PyObject *rules)
{
    (void)unused;
    return core_unsigned(rules, &rules_off) < 0 ? NULL : Py_NewRef(Py_None);
}

/* Returns whether `stream` may write to the block now. Records the block's
 * event if needed. */
static bool
block_ready(struct block *block, CUstream stream)
{
    if (block->idle || block->stream == stream ||
        !core_pool_heeds(RULE_OTHER_STREAMS)) {
        return true;
    }
    if (block->event == NULL) {
        CUevent event;
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

/* Takes a block that the stream may use, and frees the object kept with it. */
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

/* Adds the block of a deallocated object to its bin. False if there is no
 * memory for the row. */
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
    }
    bin->blocks[bin->count++] = (struct block){
        .pointer = dead->pointer,
        .stream = dead->stream,
        .idle = !core_stream_known(dead->context, dead->stream),
        .object = with_object ? dead : NULL,
    };
    return true;
}

/* Frees a block that could not be added to its bin. */
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
newest_put(struct core_pool *pool)
{
    struct core_allocation *dead = pool->newest;
    pool->newest = NULL;
    if (!bin_put(pool, dead, true)) {
        block_drop(pool, dead);
    }
}

/* Adds the newest block to its bin. */
static inline void
pool_settle(struct core_pool *pool)
{
    if (UNUSUAL(pool->newest != NULL)) {
        newest_put(pool);
    }
}

/* Allocates from the pool of the context, or from the driver if the pool is
 * off or the size too large. Fills the memory fields of `allocation`. */
CUresult
core_pool_take(struct core_context *context, size_t bytes, CUstream stream,
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
        return core_allocate_raw(&allocation->pointer, bytes);
    }
    allocation->bin = bin;
    allocation->room = rounded;
    pool_settle(pool);
    struct block block;
    /* In a capture, work outside the capture may still use a block. */
    if (context->captures == 0 && bin_take(&pool->bins[bin], stream, &block)) {
        pool->idle_bytes -= rounded;
        allocation->pointer = block.pointer;
        allocation->cached = true;
        allocation->settled = block.idle;
        return CUDA_SUCCESS;
    }
    CUresult code = core_allocate_raw(&allocation->pointer, rounded);
    allocation->cached = code == CUDA_SUCCESS;
    /* There may be no memory for the rounded size. */
    return code == CUDA_ERROR_OUT_OF_MEMORY
               ? core_allocate_raw(&allocation->pointer, bytes)
               : code;
}

/* Returns the newest block of the bin with its object, if the stream may use
 * it immediately. */
static __attribute__((noinline)) struct core_allocation *
bin_again(struct core_pool *pool, size_t bytes, CUstream stream)
{
    size_t rounded;
    if (bytes == 0 || bytes > pool->most_bytes / 2) {
        return NULL;
    }
    struct bin *bin = &pool->bins[bin_of(bytes, &rounded)];
    pool_settle(pool);
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

/* Reuses a block of the requested size with its object, if the stream may use
 * it immediately; core_pool_take handles all other cases. */
PyObject *
core_allocate_ready(struct core_context *context, size_t bytes,
                    CUstream stream)
{
    struct core_pool *pool = context->pool;
    if (UNUSUAL(pool == NULL || core.pool_off || context->captures != 0)) {
        return NULL;
    }
    struct core_allocation *self = pool->newest;
    if (USUAL(self != NULL && self->bytes == bytes &&
              self->stream == stream)) {
        pool->newest = NULL;
        self->settled = self->scattered = self->crossed = false;
    } else if ((self = bin_again(pool, bytes, stream)) == NULL) {
        return NULL;
    }
    pool->idle_bytes -= self->room;
    self->freed = self->escaped = self->touched = false;
    Py_INCREF((PyObject *)context);
    core_object_again((PyObject *)self);
    PyObject_GC_Track(self);
    return (PyObject *)self;
}

/* Returns whether the pool may cache the memory. */
static inline bool
may_keep(const struct core_pool *pool, const struct core_allocation *dead)
{
    return USUAL(pool != NULL && !core.forked &&
                 pool->idle_bytes + dead->room <= pool->most_bytes) &&
           (USUAL(!dead->escaped && !dead->scattered) ||
            ((!dead->escaped || !core_pool_heeds(RULE_ESCAPED)) &&
             (!dead->scattered || !core_pool_heeds(RULE_SCATTERED))));
}

bool
core_pool_give(struct core_allocation *allocation)
{
    struct core_pool *pool = allocation->context->pool;
    if (!may_keep(pool, allocation)) {
        return false;
    }
    pool_settle(pool);
    if (!bin_put(pool, allocation, false)) {
        return false;
    }
    pool->idle_bytes += allocation->room;
    return true;
}

/* core_pool_give for an allocation that is being deallocated and is untracked:
 * the pool takes over its references and the object's own memory. false: the
 * caller must release both. */
bool
core_pool_keep(struct core_allocation *dead)
{
    PyTypeObject *type = Py_TYPE(dead);
    struct core_context *context = dead->context;
    if (UNUSUAL(dead->freed || !dead->cached || dead->dict != NULL ||
                type != core.allocation_type || !context->valid ||
                !may_keep(context->pool, dead))) {
        return false;
    }
    struct core_pool *pool = context->pool;
    dead->freed = true;
    pool_settle(pool);
    if (USUAL(core_stream_known(context, dead->stream))) {
        pool->newest = dead;
    } else if (!bin_put(pool, dead, true)) {
        dead->freed = false;
        return false;
    }
    pool->idle_bytes += dead->room;
    Py_DECREF((PyObject *)context); /* the object may be gone from here on */
    Py_DECREF(type);
    return true;
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

/* Frees the blocks of one bin. The pool may be gone on return, since another
 * thread may detach the context while the GIL is released. */
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
        PyThreadState *thread = core_unlock();
        blocks_free(&bin);
        core_lock(thread);
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
    pool_settle(context->pool);
    for (unsigned i = 0; context->pool != NULL && i < BIN_COUNT; i++) {
        bin_trim(context->pool, i);
    }
    core_leave(&scope);
}

/* The stream is idle and about to be destroyed. */
void
core_pool_stream_gone(struct core_context *context, CUstream stream)
{
    if (context->pool == NULL) {
        return;
    }
    pool_settle(context->pool);
    for (unsigned i = 0; i < BIN_COUNT; i++) {
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
    pool_settle(pool);
    context->pool = NULL; /* no other thread finds it from here on */
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
     "Turn rules of the default pool off, bit by bit: only for tests, which "
     "show that memory is used too early then."},
    {NULL},
};

int
core_pool_setup(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}
