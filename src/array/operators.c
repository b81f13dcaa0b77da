/* operators.c - operators: arithmetic, bitwise operations, comparisons, and
 * their in-place forms.
 *
 * Slots of ArrayBase. Each slot passes its operation to array_apply. Operators
 * run on the default stream.
 *
 * SPDX-License-Identifier: MIT */
#include "array/array.h"
#include "array/elementwise_operation.h"
#include "array/numpy.h"
#include "array/operation_table.h"
#include "array/operators.h"
#include "array/transfer.h"
#include "core/core.h"

static PyObject *
binary(int operation, PyObject *a, PyObject *b)
{
    PyObject *objects[2] = {a, b};

    return array_apply(operation, 2, objects, NULL, NULL, NULL);
}

static PyObject *
in_place(int operation, PyObject *self, PyObject *other)
{
    PyObject *objects[2] = {self, other};

    return array_apply(operation, 2, objects, (struct array *)self, NULL,
                       NULL);
}

static PyObject *
unary(int operation, PyObject *self)
{
    return array_apply(operation, 1, &self, NULL, NULL, NULL);
}

/* Python does not tell a slot function which operator called it. Each operator
 * therefore has its own functions, which this macro defines. */
#define BINARY(name, operation)                                               \
    static PyObject *name(PyObject *a, PyObject *b)                           \
    {                                                                         \
        return binary(OPERATION_##operation, a, b);                           \
    }                                                                         \
    static PyObject *name##_in_place(PyObject *a, PyObject *b)                \
    {                                                                         \
        return in_place(OPERATION_##operation, a, b);                         \
    }
#define UNARY(name, operation)                                                \
    static PyObject *name(PyObject *self)                                     \
    {                                                                         \
        return unary(OPERATION_##operation, self);                            \
    }

BINARY(add, ADD)
BINARY(subtract, SUBTRACT)
BINARY(multiply, MULTIPLY)
BINARY(divide, DIVIDE)
BINARY(floor_divide, FLOOR_DIVIDE)
BINARY(remainder_of, REMAINDER)
BINARY(bits_and, AND)
BINARY(bits_or, OR)
BINARY(bits_xor, XOR)
BINARY(left_shift, LEFT_SHIFT)
BINARY(right_shift, RIGHT_SHIFT)
UNARY(negative, NEGATIVE)
UNARY(positive, POSITIVE)
UNARY(absolute, ABSOLUTE)
UNARY(invert, INVERT)

static PyObject *
power(PyObject *a, PyObject *b, PyObject *modulus)
{
    if (modulus != Py_None) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    return binary(OPERATION_POWER, a, b);
}

static PyObject *
power_in_place(PyObject *a, PyObject *b, PyObject *modulus)
{
    if (modulus != Py_None) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    return in_place(OPERATION_POWER, a, b);
}

PyType_Slot array_number_slots[] = {
    {Py_nb_add, add},
    {Py_nb_subtract, subtract},
    {Py_nb_multiply, multiply},
    {Py_nb_true_divide, divide},
    {Py_nb_floor_divide, floor_divide},
    {Py_nb_remainder, remainder_of},
    {Py_nb_power, power},
    {Py_nb_and, bits_and},
    {Py_nb_or, bits_or},
    {Py_nb_xor, bits_xor},
    {Py_nb_lshift, left_shift},
    {Py_nb_rshift, right_shift},
    {Py_nb_inplace_add, add_in_place},
    {Py_nb_inplace_subtract, subtract_in_place},
    {Py_nb_inplace_multiply, multiply_in_place},
    {Py_nb_inplace_true_divide, divide_in_place},
    {Py_nb_inplace_floor_divide, floor_divide_in_place},
    {Py_nb_inplace_remainder, remainder_of_in_place},
    {Py_nb_inplace_power, power_in_place},
    {Py_nb_inplace_and, bits_and_in_place},
    {Py_nb_inplace_or, bits_or_in_place},
    {Py_nb_inplace_xor, bits_xor_in_place},
    {Py_nb_inplace_lshift, left_shift_in_place},
    {Py_nb_inplace_rshift, right_shift_in_place},
    {Py_nb_negative, negative},
    {Py_nb_positive, positive},
    {Py_nb_absolute, absolute},
    {Py_nb_invert, invert},
    {Py_nb_bool, array_bool},
    {0},
};

/* Implements == and != with None: no element is equal to None, as in NumPy. */
static PyObject *
compare_foreign(struct array *array, int truth)
{
    PyArray_Descr *dtype = PyArray_DescrFromType(NPY_BOOL);
    PyObject *scalar = truth ? Py_True : Py_False;
    struct array *result =
        array_new_like(array, dtype, array->ndim, array->shape, NULL, NULL);

    Py_DECREF(dtype);
    if (!result) {
        return NULL;
    }
    PyObject *filled =
        array_apply(OPERATION_COPY, 1, &scalar, result, NULL, NULL);
    Py_DECREF(result);
    return filled;
}

PyObject *
array_richcompare(PyObject *a, PyObject *b, int comparison)
{
    static const int operations[] = {
        [Py_LT] = OPERATION_LESS,    [Py_LE] = OPERATION_LESS_EQUAL,
        [Py_EQ] = OPERATION_EQUAL,   [Py_NE] = OPERATION_NOT_EQUAL,
        [Py_GT] = OPERATION_GREATER, [Py_GE] = OPERATION_GREATER_EQUAL,
    };

    if (b == Py_None && (comparison == Py_EQ || comparison == Py_NE)) {
        return compare_foreign((struct array *)a, comparison == Py_NE);
    }
    return binary(operations[comparison], a, b);
}
