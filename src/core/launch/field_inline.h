/* field_inline.h - fast path of the conversion of an argument of a prepared
 * call.
 *
 * The functions need the GIL.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_LAUNCH_FIELD_INLINE_H
#define PYCUDA_CORE_LAUNCH_FIELD_INLINE_H

#include "core/context/context.h"
#include "core/core.h"
#include "core/launch/inline.h"
#include "core/launch/prepared_field.h"

/* Stores the value of an int that Python represents by one digit of 30 bits,
 * and returns true. Returns false for other ints and for objects of derived
 * types. */
static inline bool
small_int(PyObject *object, long *value)
{
#if PY_VERSION_HEX >= 0x030c0000
    if (!PyUnstable_Long_IsCompact((PyLongObject *)object)) {
        return false;
    }
    *value = PyUnstable_Long_CompactValue((PyLongObject *)object);
#else
    Py_ssize_t size = Py_SIZE(object);
    if (size < -1 || size > 1) {
        return false;
    }
    *value = size * (long)((PyLongObject *)object)->ob_digit[0];
#endif
    return true;
}

/* Fast path of field_store, which converts one argument of a prepared call.
 * Returns false if it does not apply; the caller then calls field_store. */
static inline bool
field_store_fast(const struct core_field *field, const struct core_slot *slot,
                 PyObject *arg, const struct core_context *here,
                 CUstream stream, char *target)
{
    long number;
    float narrow;
    if (LIKELY(field->fast_code == 'P')) {
        return Py_TYPE(arg) == slot->type &&
               address_store(slot, arg, here, stream, target);
    }
    if (LIKELY(field->fast_code == 'i')) {
        if (!PyLong_CheckExact(arg) || !small_int(arg, &number)) {
            return false;
        }
        /* The number has at most 30 bits (a digit of an int), and the host is
         * little-endian, so its low 4 bytes are the first ones. */
        memcpy(target, &number, 4);
        return true;
    }
    switch (field->fast_code) {
    case 'l':
    case 'q':
    case 'n':
    case 'L':
    case 'Q':
    case 'N':
        if (!PyLong_CheckExact(arg) || !small_int(arg, &number) ||
            (number < 0 && field->fast_code < 'a')) {
            return false;
        }
        /* the number has the same 8 bytes in all these format codes: l, q, n,
         * L, Q, N */
        memcpy(target, &number, 8);
        return true;
    case 'f':
        if (PyFloat_CheckExact(arg)) {
            narrow = (float)PyFloat_AS_DOUBLE(arg);
        } else if (PyLong_CheckExact(arg) && small_int(arg, &number)) {
            /* a digit of an int has 30 bits, so the double is exact and only
             * the conversion to float rounds */
            narrow = (float)(double)number;
        } else {
            return false;
        }
        memcpy(target, &narrow, sizeof narrow);
        return true;
    default:
        return false;
    }
}

#endif
