/* borrowed.h - reads lists and dicts that programs may change at any time.
 *
 * Python functions that return a borrowed reference from a list or dict are
 * safe with the GIL only. The functions of this file return new references. An
 * object that is found is a new reference; a function that returns NULL has
 * set an exception, unless its comment says otherwise.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_PYTHON_BORROWED_H
#define PYCUDA_CORE_PYTHON_BORROWED_H

#include "core/core.h"

/* Returns a list or tuple whose items stay as they are while the caller reads
 * them with PySequence_Fast_GET_ITEM: `sequence` itself, or in free-threaded
 * Python a copy of a list. `sequence` is a list or tuple. */
static inline PyObject *
core_stable_sequence(PyObject *sequence)
{
#ifdef Py_GIL_DISABLED
    if (PyList_Check(sequence)) {
        return PyList_AsTuple(sequence);
    }
#endif
    return Py_NewRef(sequence);
}

/* Returns a dict whose items stay as they are while the caller reads them:
 * `dict` itself, or in free-threaded Python a copy. */
static inline PyObject *
core_stable_dict(PyObject *dict)
{
#ifdef Py_GIL_DISABLED
    return PyDict_Copy(dict);
#else
    return Py_NewRef(dict);
#endif
}

/* Returns the value of a key. Returns NULL without an exception if the dict
 * has no such key. */
static inline PyObject *
core_dict_get(PyObject *dict, PyObject *key)
{
#if PY_VERSION_HEX >= 0x030D0000
    PyObject *item;
    return PyDict_GetItemRef(dict, key, &item) < 0 ? NULL : item;
#else
    return Py_XNewRef(PyDict_GetItemWithError(dict, key));
#endif
}

#endif
