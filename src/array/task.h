/* task.h - element-wise task: one launch of an element-wise kernel.
 *
 * apply.c and copy.c describe a task; task.c selects the kernel and launches
 * it.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_ARRAY_TASK_H
#define PYCUDA_ARRAY_TASK_H

#include "array/array.h"

/* A task. Operand 0 of the layout is the output; the array inputs follow in
 * order. Scalars are not operands of the layout. */
struct task {
    int operation;
    int inputs;
    int scalar[ARRAY_INPUTS]; /* true for a scalar */
    /* Type code in memory; the loop type for scalars. */
    int code[ARRAY_INPUTS];
    int loop[ARRAY_INPUTS]; /* type code of the computation */
    int result;             /* type code of the result */
    int out;                /* type code of the output */
    /* True: all operands have one contiguous layout. */
    int dense;
    const void *value[ARRAY_INPUTS]; /* a scalar in its loop type; borrowed */
    CUdeviceptr pointer[ARRAY_OPERANDS]; /* by layout operand */
    npy_intp itemsize[ARRAY_OPERANDS];   /* bytes, by layout operand */
    struct layout layout;
    CUstream stream;
    /* This and the fields below are set by task_run. */
    enum layout_class class;
    int wide;                  /* true: more than 2^31 elements */
    int inner[ARRAY_OPERANDS]; /* enum inner_walk */
    struct kernel kernel;
    unsigned grid[3], block[3];
    int64_t words[2 + ARRAY_MAX_NDIM * (1 + ARRAY_OPERANDS)];
    int word_count; /* entries of `words`, the last parameter (task.c) */
};

/* Number of elements from which 16-byte loads are used. */
#define ALIGN_MINIMUM 4096

/* How an operand moves along the innermost axis of a row. */
enum inner_walk {
    /* Stride 0, stride of one element, any other stride. */
    INNER_FIXED,
    INNER_UNIT,
    INNER_STRIDE,
    INNER_ACROSS, /* a tile, read along the second to last axis */
};

/* Cache of copies between two layouts (repeat_copy.c). copy_again performs
 * target[...] = source; it returns 1 on success, 0 without side effects if the
 * copy is not in the cache, or -1 with an exception. copy_learn adds a
 * completed copy if it is suitable. */
int copy_again(struct array *target, struct array *source, CUstream stream);
void copy_learn(const struct task *task, const struct array *target,
                const struct array *source);

/* Launches a task, whose layout.size must not be 0, and completes its fields.
 * Returns 0, or -1 with an exception. */
int task_run(struct task *task);

#endif
