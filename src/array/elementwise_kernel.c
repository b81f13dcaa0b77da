/* elementwise_kernel.c - ElementwiseBase: calls of an ElementwiseKernel
 * without a Python frame.
 *
 * pycuda.elementwise.ElementwiseKernel derives from ElementwiseBase. After
 * compiling a kernel, Python sets a plan, which describes the calls of the
 * fast path: which arguments are vectors, and their dtypes. A call that
 * matches the plan, with C-contiguous arrays and in the plan's context, is
 * launched here. The method `_call` handles all other calls and also sets
 * plans.
 *
 * A kernel can have two compiled versions, form[0] and form[1]. Each thread
 * of form[0] computes one element. Each thread of form[1], which is for large
 * arrays that do not overlap, computes several elements. Each version is
 * compiled when it is first needed.
 *
 * A kernel object owns the Functions and dtypes of its plan.
 *
 * SPDX-License-Identifier: MIT */
#include "array/array.h"
#include "array/layout.h"
#include "array/numpy.h"
#include "array/setups.h"
#include "array/type_codes.h"
#include "core/core.h"
#include "core/python/locked_calls.h"

#include <structmember.h>

#define ARRAY_BLOCK 256u /* threads per block of element-wise kernels */

#define MAX_ARGUMENTS 32
#define MAX_BLOCKS    0x7fffffff

struct elementwise {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    /* Strong references; prepared Functions of the two compiled versions of
     * the kernel, NULL before compilation. Each thread of form[0] computes one
     * element, each thread of form[1] several. */
    PyObject *form[2];
    /* Minimum number of array elements for which form[1] is launched; 0:
     * form[1] is never launched. */
    npy_intp several_from;
    /* elements that each thread of the version form[1] computes */
    npy_intp several;
    void *context; /* key of the context to which the plan belongs */
    /* Strong reference; `size` as a Python int, the last argument of the
     * kernel. */
    PyObject *count;
    npy_intp size;
    /* number of arguments with which the kernel object is called */
    int arguments;
    /* number of array arguments; 0: the object has no launch plan */
    int vectors;
    npy_intp most_blocks; /* maximum number of blocks of a launch */
    /* for each array argument: its index among all arguments */
    int at[MAX_ARGUMENTS];
    /* Strong references; required dtype of each array. */
    PyArray_Descr *dtype[MAX_ARGUMENTS];
    /* For each array argument: true if thread i of the kernel accesses only
     * element i. */
    int plain[MAX_ARGUMENTS];
    /* For each array argument: mask of the low address bits that are zero if
     * the array is aligned. */
    CUdeviceptr odd[MAX_ARGUMENTS];
};

static PyObject *stream_name; /* the str "stream", interned */

static void
plan_clear(struct elementwise *self)
{
    Py_CLEAR(self->form[0]);
    Py_CLEAR(self->form[1]);
    Py_CLEAR(self->count);
    for (int i = 0; i < self->vectors; i++) {
        Py_CLEAR(self->dtype[i]);
    }
    self->vectors = 0;
}

/* Returns whether all array arguments are C-contiguous, aligned, of the
 * planned dtypes, and have all elements that the kernel will access. */
static int
vectors_fit(const struct elementwise *self, PyObject *const *args)
{
    npy_intp size = 0;

    for (int i = 0; i < self->vectors; i++) {
        const struct array *array = (const struct array *)args[self->at[i]];
        if (!array_check((PyObject *)array) || !(array->flags & ARRAY_C) ||
            (array->head.pointer & self->odd[i]) != 0 ||
            (array->dtype != self->dtype[i] &&
             !type_code_equal(array->dtype, self->dtype[i])) ||
            (self->plain[i] && array->size < size)) {
            return 0;
        }
        size = i == 0 ? array->size : size;
    }
    return 1;
}

/* Stores the value of the keyword `stream`, or NULL if it was not passed.
 * Returns 0 if there is any other keyword, else 1. */
static int
stream_read(PyObject *const *values, PyObject *names, PyObject **stream)
{
    *stream = NULL;
    if (!names || PyTuple_GET_SIZE(names) == 0) {
        return 1;
    }
    *stream = values[0];
    return PyTuple_GET_SIZE(names) == 1 &&
           PyTuple_GET_ITEM(names, 0) == stream_name;
}

/* Caches the number of elements as a Python int for the next call. Returns 0,
 * or -1 with an exception. */
static int
count_set(struct elementwise *self, npy_intp size)
{
    if (self->count && self->size == size) {
        return 0;
    }
    Py_XSETREF(self->count, PyLong_FromSsize_t(size));
    self->size = size;
    return self->count ? 0 : -1;
}

/* Returns whether the first `size` elements of the array arguments do not
 * overlap each other. */
static bool
vectors_are_disjoint(const struct elementwise *self, PyObject *const *args,
                     npy_intp size)
{
    CUdeviceptr first[MAX_ARGUMENTS], end[MAX_ARGUMENTS];

    for (int i = 0; i < self->vectors; i++) {
        const struct array *array = (const struct array *)args[self->at[i]];
        first[i] = array->head.pointer;
        end[i] =
            first[i] + (CUdeviceptr)(size * PyDataType_ELSIZE(array->dtype));
        for (int k = 0; k < i; k++) {
            if (first[i] < end[k] && first[k] < end[i]) {
                return false;
            }
        }
    }
    return true;
}

/* Returns the index in `form` of the compiled version to launch for these
 * arguments: 1 (each thread computes several elements) or 0. */
static int
kernel_form(const struct elementwise *self, PyObject *const *args)
{
    npy_intp size = ((const struct array *)args[self->at[0]])->size;

    return self->several_from > 0 && size >= self->several_from &&
           vectors_are_disjoint(self, args, size);
}

/* Launches form[form], one of the two compiled versions of the kernel, with
 * arguments that match the plan. Returns None, or NULL with an exception. */
static inline PyObject *
launch(struct elementwise *self, int form, PyObject *const *args,
       PyObject *stream)
{
    PyObject *values[MAX_ARGUMENTS + 1];
    npy_intp size = ((struct array *)args[self->at[0]])->size;
    npy_intp each = ARRAY_BLOCK * (form ? self->several : 1);
    npy_intp blocks = (size + each - 1) / each;

    if (size == 0) {
        Py_RETURN_NONE;
    }
    if (count_set(self, size) < 0) {
        return NULL;
    }
    for (int i = 0; i < self->arguments; i++) {
        values[i] = args[i];
    }
    values[self->arguments] = self->count;
    blocks = blocks < self->most_blocks ? blocks : self->most_blocks;
    unsigned grid[3] = {(unsigned)blocks, 1, 1},
             block[3] = {ARRAY_BLOCK, 1, 1};
    /* Hold references during the launch: the conversion of arguments may run
     * Python code, which may set another plan. */
    PyObject *function = Py_NewRef(self->form[form]);
    PyObject *count = Py_NewRef(self->count);
    int status = core_launch_prepared(function, grid, block, stream, values,
                                      self->arguments + 1);
    Py_DECREF(count);
    Py_DECREF(function);
    return status < 0 ? NULL : Py_NewRef(Py_None);
}

/* Slow path of a call: passes the arguments to the Python method _call. */
static PyObject *
call_python(PyObject *op, PyObject *const *args, Py_ssize_t nargs,
            PyObject *names)
{
    PyObject *method = PyObject_GetAttrString(op, "_call");

    if (!method) {
        return NULL;
    }
    PyObject *result = PyObject_Vectorcall(method, args, (size_t)nargs, names);
    Py_DECREF(method);
    return result;
}

/* Launches the kernel if the call matches the plan and the version to launch
 * is compiled. Otherwise returns NULL without an exception. */
static inline PyObject *
call_planned(struct elementwise *self, PyObject *const *args, Py_ssize_t nargs,
             PyObject *names)
{
    PyObject *stream;
    void *context;

    if (self->vectors > 0 && nargs == self->arguments &&
        stream_read(args + nargs, names, &stream) && vectors_fit(self, args)) {
        if (core_context_key(&context) < 0) {
            return NULL;
        }
        int form = kernel_form(self, args);
        if (context == self->context && self->form[form]) {
            return launch(self, form, args, stream);
        }
    }
    return NULL;
}

/* Launches the kernel, or calls the slow path. */
static PyObject *
call(PyObject *op, PyObject *const *args, Py_ssize_t nargs, PyObject *names)
{
    struct core_call call;

    core_call_begin(&call, op, CORE_CALL_OWN);
    PyObject *result =
        call_planned((struct elementwise *)op, args, nargs, names);
    core_call_end(&call);
    return result || PyErr_Occurred() ? result
                                      : call_python(op, args, nargs, names);
}

/* Implements tp_call, for calls that do not use vectorcall: for example, a
 * Python subclass overrides __call__ and calls the __call__ of this class. */
static PyObject *
elementwise_call(PyObject *op, PyObject *args, PyObject *kwargs)
{
    if (!kwargs || PyDict_GET_SIZE(kwargs) == 0) {
        return call(op, ((PyTupleObject *)args)->ob_item,
                    PyTuple_GET_SIZE(args), NULL);
    }
    PyObject *method = PyObject_GetAttrString(op, "_call");
    if (!method) {
        return NULL;
    }
    PyObject *result = PyObject_Call(method, args, kwargs);
    Py_DECREF(method);
    return result;
}

#if PY_VERSION_HEX < 0x030c0000
/* In Python 3.11, Python subclasses do not inherit vectorcall, since a program
 * may assign __call__ to a class at any time. Without vectorcall, each call
 * has to build a tuple of arguments. Therefore __init_subclass__ sets
 * Py_TPFLAGS_HAVE_VECTORCALL in subclasses without their own __call__. If a
 * program assigns __call__ to such a subclass later, the next call notices it
 * and clears the flag. */
static PyTypeObject *base_type; /* strong reference; ElementwiseBase */

static PyObject *
call_overridden(PyObject *op, PyObject *const *args, Py_ssize_t nargs,
                PyObject *names)
{
    Py_TYPE(op)->tp_flags &= ~Py_TPFLAGS_HAVE_VECTORCALL;
    PyObject *bound = PyObject_GetAttrString(op, "__call__");
    if (!bound) {
        return NULL;
    }
    PyObject *result = PyObject_Vectorcall(bound, args, (size_t)nargs, names);
    Py_DECREF(bound);
    return result;
}

static PyObject *
elementwise_init_subclass(PyObject *class, PyObject *args, PyObject *kwargs)
{
    PyTypeObject *type = (PyTypeObject *)class;
    PyObject *next = PyObject_CallFunctionObjArgs(
        (PyObject *)&PySuper_Type, (PyObject *)base_type, class, NULL);
    PyObject *method =
        next ? PyObject_GetAttrString(next, "__init_subclass__") : NULL;
    PyObject *result = method ? PyObject_Call(method, args, kwargs) : NULL;

    if (result && type->tp_call == elementwise_call) {
        type->tp_flags |= Py_TPFLAGS_HAVE_VECTORCALL;
    }
    Py_XDECREF(method);
    Py_XDECREF(next);
    return result;
}
#endif

static PyObject *
elementwise_vectorcall(PyObject *op, PyObject *const *args, size_t nargsf,
                       PyObject *names)
{
    Py_ssize_t nargs = PyVectorcall_NARGS(nargsf);

#if PY_VERSION_HEX < 0x030c0000
    if (Py_TYPE(op)->tp_call != elementwise_call) {
        return call_overridden(op, args, nargs, names);
    }
#endif
    return call(op, args, nargs, names);
}
static int
plan_read(struct elementwise *self, PyObject *vectors)
{
    Py_ssize_t n = PyTuple_GET_SIZE(vectors);

    for (Py_ssize_t i = 0; i < n; i++) {
        int at;
        PyArray_Descr *dtype;
        if (!PyArg_ParseTuple(PyTuple_GET_ITEM(vectors, i), "iO!p", &at,
                              &PyArrayDescr_Type, &dtype, &self->plain[i])) {
            return -1;
        }
        if (at < 0 || at >= self->arguments) {
            PyErr_SetString(
                PyExc_ValueError,
                "the index of a vector exceeds the number of arguments");
            return -1;
        }
        self->at[i] = at;
        self->odd[i] = (CUdeviceptr)PyDataType_ALIGNMENT(dtype) - 1;
        self->dtype[i] = (PyArray_Descr *)Py_NewRef(dtype);
        self->vectors = (int)i + 1;
    }
    return 0;
}

/* Returns a new reference to the other compiled version of the kernel: form[1]
 * if `form` is 0, form[0] if it is 1. Returns NULL if that version does not
 * exist or was not compiled for `context`. */
static PyObject *
other_form(const struct elementwise *self, int form, const void *context)
{
    return context == self->context ? Py_XNewRef(self->form[!form]) : NULL;
}

/* _set_plan(function, arguments, ((index, dtype, plain), ...), most_blocks,
 * is_several, (several_from, several) or None): sets the plan for the current
 * context, and one compiled version of the kernel: form[1] if `is_several`,
 * else form[0]. `several_from` is the minimum number of elements for form[1],
 * `several` the number of elements per thread of form[1]. A kernel with too
 * many arguments gets no plan. */
static PyObject *
elementwise_set_plan(PyObject *op, PyObject *args)
{
    struct elementwise *self = (struct elementwise *)op;
    PyObject *function, *vectors, *several;
    int arguments, form;
    Py_ssize_t most, from = 0, each = 1;
    void *context;

    if (!PyArg_ParseTuple(args, "OiO!npO:_set_plan", &function, &arguments,
                          &PyTuple_Type, &vectors, &most, &form, &several) ||
        (several != Py_None &&
         !PyArg_ParseTuple(several, "nn:_set_plan", &from, &each)) ||
        core_context_key(&context) < 0) {
        return NULL;
    }
    PyObject *other = other_form(self, form, context);
    plan_clear(self);
    Py_ssize_t n = PyTuple_GET_SIZE(vectors);
    if (arguments < 0 || arguments > MAX_ARGUMENTS || n < 1 || n > arguments) {
        Py_XDECREF(other);
        Py_RETURN_NONE;
    }
    self->form[form] = Py_NewRef(function);
    self->form[!form] = other;
    self->context = context;
    self->several_from = from;
    self->several = each;
    self->arguments = arguments;
    self->most_blocks = most > 0 && most < MAX_BLOCKS ? most : MAX_BLOCKS;
    if (plan_read(self, vectors) < 0) {
        plan_clear(self);
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *
elementwise_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    struct elementwise *self = (struct elementwise *)type->tp_alloc(type, 0);

    (void)args;
    (void)kwargs;
    if (self) {
        self->vectorcall = elementwise_vectorcall;
    }
    return (PyObject *)self;
}

static int
elementwise_traverse(PyObject *op, visitproc visit, void *arg)
{
    struct elementwise *self = (struct elementwise *)op;

    Py_VISIT(Py_TYPE(op));
    Py_VISIT(self->form[0]);
    Py_VISIT(self->form[1]);
    return 0;
}

static int
elementwise_clear(PyObject *op)
{
    plan_clear((struct elementwise *)op);
    return 0;
}

static void
elementwise_dealloc(PyObject *op)
{
    PyTypeObject *type = Py_TYPE(op);

    PyObject_GC_UnTrack(op);
    plan_clear((struct elementwise *)op);
    type->tp_free(op);
    Py_DECREF(type);
}

static PyMethodDef elementwise_methods[] = {
#if PY_VERSION_HEX < 0x030c0000
    {"__init_subclass__",
     (PyCFunction)(void (*)(void))elementwise_init_subclass,
     METH_CLASS | METH_VARARGS | METH_KEYWORDS, NULL},
#endif
    {"_set_plan", elementwise_set_plan, METH_VARARGS,
     "_set_plan($self, function, arguments, vectors, most_blocks, "
     "is_several, several)\n--\n\n"
     "Store the launch of the fast path for the current context."},
    {NULL},
};

static PyMemberDef elementwise_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET,
     offsetof(struct elementwise, vectorcall), READONLY, NULL},
    {NULL},
};

static PyType_Slot elementwise_slots[] = {
    {Py_tp_doc, "The callable part of an ElementwiseKernel, with a fast "
                "path in C."},
    {Py_tp_new, elementwise_new},
    {Py_tp_dealloc, elementwise_dealloc},
    {Py_tp_traverse, elementwise_traverse},
    {Py_tp_clear, elementwise_clear},
    {Py_tp_call, elementwise_call},
    {Py_tp_methods, elementwise_methods},
    {Py_tp_members, elementwise_members},
    {0},
};

int
array_elementwise_setup(PyObject *module)
{
    PyType_Spec spec = {
        .name = "pycuda._driver.ElementwiseBase",
        .basicsize = sizeof(struct elementwise),
        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE |
                 Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL,
        .slots = elementwise_slots,
    };
    PyObject *type = core_type_new(module, &spec, NULL, CORE_CALL_OWN);

    stream_name = PyUnicode_InternFromString("stream");
    if (!type || !stream_name) {
        Py_XDECREF(type);
        return -1;
    }
#if PY_VERSION_HEX < 0x030c0000
    base_type = (PyTypeObject *)Py_NewRef(type);
#endif
    int status = PyModule_AddType(module, (PyTypeObject *)type);
    Py_DECREF(type);
    return status;
}
