/* task.h - one launch of an element-wise kernel, as apply.c and copy.c
 * describe it to task.c.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_ARRAY_TASK_H
#define PYCUDA_ARRAY_TASK_H

#include "array/array.h"

/* Operand 0 of the layout is the output, the others are the array inputs in
 * order; scalars are not in it. */
struct task {
    int operation;
    int inputs;
    int scalar[ARRAY_INPUTS];        /* true: a scalar */
    int code[ARRAY_INPUTS];          /* type number in memory; loop type if a
                                        scalar */
    int loop[ARRAY_INPUTS];          /* type number computed in */
    int result;                      /* type number computed */
    int out;                         /* type number stored */
    int dense;                       /* true: all operands contiguous alike */
    const void *value[ARRAY_INPUTS]; /* a scalar in its loop type */
    CUdeviceptr pointer[ARRAY_OPERANDS]; /* by layout operand */
    npy_intp itemsize[ARRAY_OPERANDS];   /* by layout operand */
    struct layout layout;
    CUstream stream;
    enum layout_class class;   /* the rest is filled by task_run */
    int wide;                  /* more than 2^31 elements */
    int inner[ARRAY_OPERANDS]; /* enum inner_walk */
    struct kernel kernel;
    unsigned grid[3], block[3];
    int64_t words[2 + ARRAY_MAX_NDIM * (1 + ARRAY_OPERANDS)];
    int word_count; /* the last parameter: see task.c */
};

/* Of fewer elements, wide loads gain nothing. */
#define ALIGN_MINIMUM 4096

/* How an operand walks the innermost axis of a row. */
enum inner_walk {
    INNER_FIXED,
    INNER_UNIT,
    INNER_STRIDE,
    INNER_ACROSS, /* a tile is read along the axis before */
};

/* repeat_copy.c: copies between layouts that were copied before. */
int copy_again(struct array *target, struct array *source, CUstream stream);
void copy_learn(const struct task *task, const struct array *target,
                const struct array *source);

/* Launches; needs layout.size > 0. */
int task_run(struct task *task);

#endif
