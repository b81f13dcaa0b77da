/* operation_table.h - operations, their numbers and type rules.
 *
 * Functions need the GIL. Those that return int return 0, or -1 with an
 * exception; those that return a pointer return a new reference, or NULL with
 * an exception, unless noted.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_ARRAY_OPERATION_TABLE_H
#define PYCUDA_ARRAY_OPERATION_TABLE_H

#include "array/layout.h"
#include "array/numpy.h"
#include "core/core.h"

/* Operations with a constant OPERATION_name for C code. Python adds further
 * operations by name at run time; they get the next numbers. Names are NumPy's
 * where NumPy has the operation. */
#define ARRAY_OPERATIONS(ROW)                                                 \
    ROW(ADD, "add")                                                           \
    ROW(SUBTRACT, "subtract")                                                 \
    ROW(MULTIPLY, "multiply")                                                 \
    ROW(DIVIDE, "true_divide")                                                \
    ROW(FLOOR_DIVIDE, "floor_divide")                                         \
    ROW(REMAINDER, "remainder")                                               \
    ROW(POWER, "power")                                                       \
    ROW(AND, "bitwise_and")                                                   \
    ROW(OR, "bitwise_or")                                                     \
    ROW(XOR, "bitwise_xor")                                                   \
    ROW(LEFT_SHIFT, "left_shift")                                             \
    ROW(RIGHT_SHIFT, "right_shift")                                           \
    ROW(LESS, "less")                                                         \
    ROW(LESS_EQUAL, "less_equal")                                             \
    ROW(EQUAL, "equal")                                                       \
    ROW(NOT_EQUAL, "not_equal")                                               \
    ROW(GREATER, "greater")                                                   \
    ROW(GREATER_EQUAL, "greater_equal")                                       \
    ROW(NEGATIVE, "negative")                                                 \
    ROW(POSITIVE, "positive")                                                 \
    ROW(ABSOLUTE, "absolute")                                                 \
    ROW(INVERT, "invert")                                                     \
    ROW(COPY, "copy")                                                         \
    ROW(WHERE, "where")                                                       \
    ROW(ARANGE, "arange")

enum array_operation {
#define ARRAY_OPERATION_ENUM(name, text) OPERATION_##name,
    ARRAY_OPERATIONS(ARRAY_OPERATION_ENUM)
#undef ARRAY_OPERATION_ENUM
        OPERATION_BUILTIN,
    OPERATION_LIMIT = 256,
};

/* Type rule of an operation: the types in which it computes, and the type of
 * the result before it is cast to a given output. */
struct rule {
    PyArray_Descr *loop[ARRAY_INPUTS];
    PyArray_Descr *result;
};

/* Registers the operations of enum array_operation, once. Returns 0, or -1
 * with an exception. */
int operation_setup(void);
/* Returns the number of the operation called `name`, a str. A new name gets
 * the next free number. */
int operation_number(PyObject *name);
/* Returns the name of an operation, a borrowed reference. */
PyObject *operation_name(int number);
/* Returns the type rule of an operation for inputs with the type codes
 * `codes`. The rule exists until the process ends. */
const struct rule *operation_rule(int operation, int inputs, const int *codes);
/* _set_type_resolver(callable): registers the Python function `callable`,
 * which determines the type rule of an operation when the rule is first
 * needed. */
PyObject *operation_set_resolver(PyObject *module, PyObject *resolver);

#endif
