/* cached_copy.c - cache of launches of copies between two layouts.
 *
 * Called by copy.c. The kernel for a copy between two arrays of one dtype
 * depends on the shape, both strides and the alignment of the addresses. The
 * cache maps these to the launch, so a repeated copy needs no other work than
 * the launch. It contains only copies that a kernel performs. Arrays of equal
 * contiguous layouts are copied by the driver.
 *
 * The cache owns no references. A context gets a new key when its kernels are
 * released, so that entries with the old key no longer match. The GIL protects
 * the cache. In free-threaded Python each context has its own cache.
 *
 * SPDX-License-Identifier: MIT */
#include "array/array.h"
#include "array/elementwise_task.h"
#include "array/layout.h"
#include "array/numpy.h"
#include "core/core.h"

enum {
    CACHE_ENTRIES = 32, /* number of cache entries; a power of two */
    MAX_AXES = 3,
    /* Maximum number of 64-bit words in the kernel's last parameter: the size,
     * the number of blocks, the shape, and the strides of two arrays. The
     * kernel has an additional axis if it copies each element as several
     * words. */
    MAX_WORDS = 2 + (MAX_AXES + 1) * 3,
};

struct cached_copy {
    /* Kernel, grid and block of the launch. The member `key`, the key of the
     * context, is also part of the cache key. */
    struct core_relaunch launch;
    /* Number of axes, bytes per element, and low bits of the addresses, packed
     * in one integer that is part of the cache key. */
    int64_t form;
    /* shape and strides in bytes of the arrays; part of the cache key */
    npy_intp shape[MAX_AXES];
    npy_intp target[MAX_AXES], source[MAX_AXES];
    /* For each array: number of bytes that a launch adds to its pointer. Along
     * an axis on which the target's stride is negative, the kernel starts at
     * the last element. */
    npy_intp offset[2];
    int64_t words[MAX_WORDS];
};

#ifdef Py_GIL_DISABLED
/* Returns the entries of the current context's cache, or NULL. */
static inline struct cached_copy *
cache_entries(void)
{
    return core_current_table(CORE_TABLE_COPIES,
                              CACHE_ENTRIES * sizeof(struct cached_copy));
}
#else
static struct cached_copy cached_copies[CACHE_ENTRIES];

static inline struct cached_copy *
cache_entries(void)
{
    return cached_copies;
}
#endif

/* Computes `form`, the part of the key for number of axes, item size and
 * alignment. Returns false if the copy is not suitable for the cache. */
static inline bool
entry_form(const struct array *target, const struct array *source,
           int64_t *form)
{
    CUdeviceptr bits = (target->head.pointer | source->head.pointer) & 15;

    *form = (int64_t)PyDataType_ELSIZE(target->dtype) << 8 |
            (int64_t)bits << 4 | target->ndim;
    return target->ndim <= MAX_AXES && target->dtype == source->dtype &&
           target->size > 0 && array_same_shape(target, source);
}

/* Returns the cache entry that the hash of the key selects. The entry may
 * belong to another key. Returns NULL if there is no cache. */
static inline struct cached_copy *
cache_slot(int64_t form, const struct array *target,
           const struct array *source)
{
    uint64_t hash = (uint64_t)form;

    for (int axis = 0; axis < target->ndim; axis++) {
        hash = hash * 31 + (uint64_t)target->shape[axis] +
               3 * (uint64_t)source->strides[axis];
    }
    struct cached_copy *entries = cache_entries();
    return entries == NULL ? NULL
                           : &entries[hash * 0x9e3779b97f4a7c15u >> 59 &
                                      (CACHE_ENTRIES - 1)];
}

/* Returns whether the entry has the given `form` (number of axes, item size,
 * alignment) and the shape and strides of the arrays. */
static inline bool
is_equal(const struct cached_copy *entry, int64_t form,
         const struct array *target, const struct array *source)
{
    if (entry->form != form) {
        return false;
    }
    for (int axis = 0; axis < target->ndim; axis++) {
        if (entry->shape[axis] != target->shape[axis] ||
            entry->target[axis] != target->strides[axis] ||
            entry->source[axis] != source->strides[axis]) {
            return false;
        }
    }
    return true;
}

/* Launches a copy. Returns 0; -1 with an exception; or 1, without a launch, if
 * the context has released the kernel. */
static inline int
launch(const struct cached_copy *copied, struct core_context *context,
       CUstream stream, struct array *target, struct array *source)
{
    CUdeviceptr to = target->head.pointer + (CUdeviceptr)copied->offset[0];
    CUdeviceptr from = source->head.pointer + (CUdeviceptr)copied->offset[1];
    /* Copy of the kernel's parameters: the entry may be evicted while the
     * launch releases the GIL. */
    int64_t words[MAX_WORDS];
    void *arguments[] = {&to, &from, words};
    struct core_array_head *used[] = {&target->head, &source->head};

    memcpy(words, copied->words, sizeof words);
    return core_launch_arrays(context, &copied->launch, stream, 2, used,
                              arguments);
}

/* Fast path of target[...] = source. Returns 1 on success, 0 if the copy is
 * not in the cache or the arrays may overlap, or -1 with an exception. */
int
cached_copy_run(struct array *target, struct array *source, CUstream stream)
{
    int64_t form;
    void *key;

    /* Arrays with equal contiguous layouts are copied by the driver, so the
     * cache has no entries for them. */
    if (target->flags & source->flags & ARRAY_FORC ||
        !core_owners_are_disjoint(target->head.owner, source->head.owner)) {
        return 0;
    }
    struct core_context *context = core_current_with_stream(&key, &stream);
    if (UNLIKELY(!context)) {
        PyErr_Clear();
        return 0;
    }
    if (!entry_form(target, source, &form)) {
        return 0;
    }
    const struct cached_copy *entry = cache_slot(form, target, source);
    if (!entry || entry->launch.key != key ||
        !is_equal(entry, form, target, source)) {
        return 0;
    }
    int status = launch(entry, context, stream, target, source);
    return status < 0 ? -1 : status == 0;
}

/* Adds the launch of a completed copy to the cache, if it is suitable. */
void
cached_copy_add(const struct elementwise_task *task,
                const struct array *target, const struct array *source)
{
    struct cached_copy copied = {
        .launch = {.key = task->kernel.context,
                   .function = task->kernel.handle,
                   .blocks = task->grid[0],
                   .threads = {(uint16_t)task->block[0],
                               (uint16_t)task->block[1]}},
        .offset = {(npy_intp)(task->pointer[0] - target->head.pointer),
                   (npy_intp)(task->pointer[1] - source->head.pointer)},
    };

    if (task->word_count > MAX_WORDS || task->block[2] != 1 ||
        !entry_form(target, source, &copied.form)) {
        return;
    }
    for (int axis = 0; axis < target->ndim; axis++) {
        copied.shape[axis] = target->shape[axis];
        copied.target[axis] = target->strides[axis];
        copied.source[axis] = source->strides[axis];
    }
    memcpy(copied.words, task->words,
           (size_t)task->word_count * sizeof *task->words);
    struct cached_copy *entry = cache_slot(copied.form, target, source);
    if (entry) {
        *entry = copied;
    }
}
