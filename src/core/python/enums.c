/* enums.c - PyCUDA's enum classes and flag holders (classes that group
 * constants).
 *
 * enum_rows.h lists the enums. Each becomes a class derived from
 * pycuda._enum.Enum, an int with a name. Flag holders are ordinary classes
 * with int attributes.
 *
 * SPDX-License-Identifier: MIT */
#include "core/python/enums.h"
#include "core/state.h"

struct row {
    const char *name;
    /* value of the member; -1: the row has the name of an enum class */
    long value;
};

static const struct row rows[] = {
#define ENUM_CLASS(name)        {#name, -1},
#define ENUM_ROW(member, value) {#member, value},
#include "core/python/enum_rows.h"
};

static const struct {
    const char *holder, *name;
    long value;
} flags[] = {
    {"array3d_flags", "ARRAY3D_2DARRAY", 1},
    {"array3d_flags", "ARRAY3D_LAYERED", 1},
    {"array3d_flags", "2DARRAY", 1},
    {"array3d_flags", "LAYERED", 1},
    {"array3d_flags", "SURFACE_LDST", 2},
    {"array3d_flags", "CUBEMAP", 4},
    {"array3d_flags", "TEXTURE_GATHER", 8},
    {"host_alloc_flags", "PORTABLE", 1},
    {"host_alloc_flags", "DEVICEMAP", 2},
    {"host_alloc_flags", "WRITECOMBINED", 4},
    {"mem_host_register_flags", "PORTABLE", 1},
    {"mem_host_register_flags", "DEVICEMAP", 2},
};

PyObject *
core_enum(const char *name, long value)
{
    PyObject *class = PyDict_GetItemString(core.enums, name);
    if (class == NULL) {
        PyErr_Format(PyExc_SystemError, "no enum '%s'", name);
        return NULL;
    }
    return PyObject_CallFunction(class, "l", value);
}

/* Returns the member of the enum class `name` that is called `member`,
 * ignoring case. Returns NULL, without an exception if the class has no such
 * member. */
PyObject *
core_enum_member(const char *name, PyObject *member)
{
    PyObject *key = PyUnicode_FromString(name);
    PyObject *class =
        key == NULL ? NULL : PyDict_GetItemWithError(core.enums, key);
    PyObject *names =
        class == NULL ? NULL : PyObject_GetAttrString(class, "names");
    PyObject *upper =
        names == NULL ? NULL : PyObject_CallMethod(member, "upper", NULL);
    PyObject *found =
        upper == NULL ? NULL : PyDict_GetItemWithError(names, upper);
    Py_XINCREF(found);
    Py_XDECREF(upper);
    Py_XDECREF(names);
    Py_XDECREF(key);
    return found;
}

/* Creates the enum class whose name is in row `first` and whose members are in
 * the rows after it. Sets *next to the row of the next class. */
static PyObject *
class_make(PyObject *make, size_t first, size_t *next)
{
    PyObject *members = PyList_New(0);
    size_t i = first + 1;
    for (; members != NULL && i < sizeof rows / sizeof *rows &&
           rows[i].value >= 0;
         i++) {
        PyObject *pair = Py_BuildValue("(sl)", rows[i].name, rows[i].value);
        if (pair == NULL || PyList_Append(members, pair) < 0) {
            Py_CLEAR(members);
        }
        Py_XDECREF(pair);
    }
    *next = i;
    return members == NULL
               ? NULL
               : PyObject_CallFunction(make, "sN", rows[first].name, members);
}

/* Creates the enum classes and adds them to the module and to core.enums. */
static int
classes_setup(PyObject *module, PyObject *make)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows;) {
        const char *name = rows[i].name;
        PyObject *class = class_make(make, i, &i);
        if (class == NULL) {
            return -1;
        }
        int status = PyDict_SetItemString(core.enums, name, class);
        if (status == 0) {
            status = PyModule_AddObjectRef(module, name, class);
        }
        Py_DECREF(class);
        if (status < 0) {
            return -1;
        }
    }
    return 0;
}

/* Creates the flag holders (classes of constants) and sets their
 * attributes. */
static int
holders_setup(PyObject *module, PyObject *make)
{
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        PyObject *holder;
        if (!PyObject_HasAttrString(module, flags[i].holder)) {
            holder = PyObject_CallFunction(make, "s", flags[i].holder);
            if (holder == NULL ||
                PyModule_AddObjectRef(module, flags[i].holder, holder) < 0) {
                Py_XDECREF(holder);
                return -1;
            }
            Py_DECREF(holder);
        }
        holder = PyObject_GetAttrString(module, flags[i].holder);
        PyObject *value = PyLong_FromLong(flags[i].value);
        int status =
            holder == NULL || value == NULL
                ? -1
                : PyObject_SetAttrString(holder, flags[i].name, value);
        Py_XDECREF(holder);
        Py_XDECREF(value);
        if (status < 0) {
            return -1;
        }
    }
    return 0;
}

int
core_enums_setup(PyObject *module)
{
    PyObject *python = PyImport_ImportModule("pycuda._enum");
    core.enums = PyDict_New();
    if (python == NULL || core.enums == NULL) {
        Py_XDECREF(python);
        return -1;
    }
    PyObject *make = PyObject_GetAttrString(python, "make_enum");
    PyObject *hold = PyObject_GetAttrString(python, "make_holder");
    int status = -1;
    if (make != NULL && hold != NULL) {
        status = classes_setup(module, make);
    }
    if (status == 0) {
        status = holders_setup(module, hold);
    }
    Py_XDECREF(make);
    Py_XDECREF(hold);
    Py_DECREF(python);
    return status;
}
