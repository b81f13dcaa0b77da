/* elementwise_task.h - element-wise task: one launch of an element-wise
 * kernel.
 *
 * elementwise_operation.c and copy.c describe a task; elementwise_task.c
 * selects the kernel and launches it.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_ARRAY_ELEMENTWISE_TASK_H
#define PYCUDA_ARRAY_ELEMENTWISE_TASK_H

#include "array/kernel.h"
#include "array/layout.h"
#include "array/numpy.h"
#include "core/core.h"

struct array;

/* Layout classes: how a kernel traverses its operands. Table class_names in
 * elementwise_task.c has the name of each class for the keys of kernels. */
enum layout_class {
    /* All operands are contiguous as in LAYOUT_CONTIGUOUS, are aligned to 16
     * bytes, and have at least ALIGN_MINIMUM elements. */
    LAYOUT_ALIGNED,
    LAYOUT_CONTIGUOUS, /* operands contiguous in the same memory order */
    LAYOUT_ROWS,       /* long innermost axis: each row has its own blocks */
    /* Layouts that no other class covers: a thread computes addresses from its
     * element's index. */
    LAYOUT_FLAT,
    LAYOUT_PACKS, /* long innermost axis, copied in words of 16 bytes */
    /* An input is contiguous along another axis than the output: each block
     * processes a square tile. */
    LAYOUT_TILES,
    /* smaller square tiles than LAYOUT_TILES, for operands of fewer
     * elements */
    LAYOUT_SMALL_TILES,
};

/* A task. Operand 0 of its layout is the output; the inputs that are arrays
 * follow in order. Inputs that are scalars have no entry in the layout. */
struct elementwise_task {
    int operation;
    int inputs;
    int scalar[ARRAY_INPUTS]; /* true: the input is a scalar */
    /* Type code of each input in memory; for a scalar, the type code in which
     * the kernel computes. */
    int code[ARRAY_INPUTS];
    /* Type code to which the kernel converts each input before it computes. */
    int loop[ARRAY_INPUTS];
    int result; /* type code of the result before it is cast to `out` */
    int out;    /* type code of the output */
    /* True: all operands are contiguous in the same order. */
    int dense;
    /* For each scalar input: its bytes, converted to type code `loop`.
     * Borrowed. */
    const void *value[ARRAY_INPUTS];
    /* Address of each operand of the layout. */
    CUdeviceptr pointer[ARRAY_OPERANDS];
    /* Item size in bytes of each operand of the layout. */
    npy_intp itemsize[ARRAY_OPERANDS];
    struct layout layout;
    CUstream stream;
    /* Layout class of the operands. elementwise_task_run sets this field and
     * the fields after it. */
    enum layout_class class;
    /* true: the operands have more elements than a 32-bit index can count */
    int wide;
    /* for each operand: how its address changes along the last axis */
    int inner[ARRAY_OPERANDS];
    struct kernel kernel;
    unsigned grid[3], block[3];
    int64_t words[2 + ARRAY_MAX_NDIM * (1 + ARRAY_OPERANDS)];
    /* Number of entries of `words`, the last parameter of the kernel. */
    int word_count;
};

/* Minimum number of elements for which 16-byte loads are used. */
#define ALIGN_MINIMUM 4096

/* How the address of an operand changes from element to element along the last
 * axis. */
enum inner_walk {
    /* FIXED: the stride is 0. UNIT: the stride is the item size. STRIDE: any
     * other stride. */
    INNER_FIXED,
    INNER_UNIT,
    INNER_STRIDE,
    /* the input is read in tiles, along the second to last axis */
    INNER_ACROSS,
};

/* Cache of launches of copies between two layouts (cached_copy.c).
 * cached_copy_run performs target[...] = source. It returns 1 on success, 0
 * without side effects if the copy is not in the cache, or -1 with an
 * exception. cached_copy_add adds the launch of a completed copy if it is
 * suitable. */
int cached_copy_run(struct array *target, struct array *source,
                    CUstream stream);
void cached_copy_add(const struct elementwise_task *task,
                     const struct array *target, const struct array *source);

/* Completes the fields of a task and launches it. The caller ensures that
 * layout.size of the task is not 0. Returns 0, or -1 with an exception. */
int elementwise_task_run(struct elementwise_task *task);

#endif
