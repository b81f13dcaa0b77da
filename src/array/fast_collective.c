/* fast_collective.c - FastCollective: the methods of pycuda.nccl.Communicator,
 * with a C implementation for their frequent argument forms.
 *
 * The C implementation handles GPUArrays in C order that are not empty, whose
 * dtype NCCL knows or only moves, with a stream that is None or a Stream. All
 * other calls, and all calls with wrong arguments, run the wrapped Python
 * method, which computes the same result or raises the exception. A declined
 * call has had no effects.
 *
 * SPDX-License-Identifier: MIT */
#include "array/array.h"
#include "array/function_wrapper.h"
#include "array/setups.h"
#include "array/type_codes.h"
#include "core/collective.h"
#include "core/core.h"
#include "core/python/locked_calls.h"

/* ---- arguments ---- */

/* Names of the parameters of all methods. */
enum parameter {
    ARRAY_PARAMETER, /* the only array of a method */
    SEND_PARAMETER,
    RECV_PARAMETER,
    OP_PARAMETER,
    ROOT_PARAMETER,
    PEER_PARAMETER,
    STREAM_PARAMETER,
    PARAMETERS,
};

/* Interned str objects, in the order of enum parameter. */
static PyObject *parameter_names[PARAMETERS];
static const char *const parameter_texts[PARAMETERS] = {
    "array", "send", "recv", "op", "root", "peer", "stream",
};

/* The names of NCCL's reductions, in the order of ncclRedOp_t. */
static const char *const op_texts[] = {"sum", "prod", "max", "min", "avg"};
enum { OPS = sizeof op_texts / sizeof *op_texts };
static PyObject *op_names[OPS]; /* interned str objects */

static PyObject *capsule_name; /* interned str object "_capsule" */

enum { MAX_PARAMETERS = 5 };

/* A method. Its parameters are in the order of the Python signature, without
 * self; the first `required` have no defaults. */
struct row {
    const char *name;
    enum core_collective kind;
    int required, count;
    enum parameter parameters[MAX_PARAMETERS];
};

static const struct row rows[] = {
    {"broadcast",
     CORE_BROADCAST,
     1,
     3,
     {ARRAY_PARAMETER, ROOT_PARAMETER, STREAM_PARAMETER}},
    {"reduce",
     CORE_REDUCE,
     1,
     5,
     {SEND_PARAMETER, RECV_PARAMETER, OP_PARAMETER, ROOT_PARAMETER,
      STREAM_PARAMETER}},
    {"all_reduce",
     CORE_ALL_REDUCE,
     1,
     4,
     {SEND_PARAMETER, RECV_PARAMETER, OP_PARAMETER, STREAM_PARAMETER}},
    {"all_gather",
     CORE_ALL_GATHER,
     1,
     3,
     {SEND_PARAMETER, RECV_PARAMETER, STREAM_PARAMETER}},
    {"reduce_scatter",
     CORE_REDUCE_SCATTER,
     1,
     4,
     {SEND_PARAMETER, RECV_PARAMETER, OP_PARAMETER, STREAM_PARAMETER}},
    {"all_to_all",
     CORE_ALL_TO_ALL,
     1,
     3,
     {SEND_PARAMETER, RECV_PARAMETER, STREAM_PARAMETER}},
    {"gather",
     CORE_GATHER,
     1,
     4,
     {SEND_PARAMETER, RECV_PARAMETER, ROOT_PARAMETER, STREAM_PARAMETER}},
    {"scatter",
     CORE_SCATTER,
     1,
     4,
     {SEND_PARAMETER, RECV_PARAMETER, ROOT_PARAMETER, STREAM_PARAMETER}},
    {"send",
     CORE_SEND,
     2,
     3,
     {ARRAY_PARAMETER, PEER_PARAMETER, STREAM_PARAMETER}},
    {"recv",
     CORE_RECV,
     2,
     3,
     {ARRAY_PARAMETER, PEER_PARAMETER, STREAM_PARAMETER}},
};

/* Returns the index of a parameter of the method, or -1. */
static int
parameter_find(const struct row *row, PyObject *name)
{
    for (int i = 0; i < row->count; i++) {
        if (parameter_names[row->parameters[i]] == name) {
            return i;
        }
    }
    return -1;
}

/* Stores the arguments in `values`, which has an element per enum parameter:
 * borrowed, or NULL if the call does not pass the parameter. Returns false for
 * arguments that do not fit the signature. */
static bool
arguments_read(const struct row *row, PyObject *const *args, Py_ssize_t count,
               PyObject *names, PyObject **values)
{
    Py_ssize_t keywords = names ? PyTuple_GET_SIZE(names) : 0;

    if (count > row->count) {
        return false;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        values[row->parameters[i]] = args[i];
    }
    for (Py_ssize_t i = 0; i < keywords; i++) {
        int found = parameter_find(row, PyTuple_GET_ITEM(names, i));
        if (found < (int)count) {
            return false;
        }
        values[row->parameters[found]] = args[count + i];
    }
    for (int i = 0; i < row->required; i++) {
        if (!values[row->parameters[i]]) {
            return false;
        }
    }
    return true;
}

/* Reads an int from 0 to `last`; NULL stands for 0. Returns false for other
 * objects. */
static bool
number_read(PyObject *object, long last, int *number)
{
    int overflow = 0;

    *number = 0;
    if (!object) {
        return true;
    }
    if (!PyLong_Check(object)) {
        return false;
    }
    long value = PyLong_AsLongAndOverflow(object, &overflow);
    *number = (int)value;
    return !overflow && value >= 0 && value <= last;
}

/* Reads the argument `op`: a name, or the number of an operation. NULL stands
 * for "sum". Returns false for other objects. */
static bool
op_read(PyObject *object, int *op)
{
    for (int i = 0; i < OPS && object; i++) {
        if (object == op_names[i]) {
            *op = i;
            return true;
        }
    }
    return number_read(object, INT_MAX, op);
}

/* Returns the array if it is a GPUArray in C order with elements, else
 * NULL. */
static struct array *
usual_array(PyObject *object)
{
    struct array *array = (struct array *)object;

    return object && array_is_own_class(object) && array->flags & ARRAY_C &&
                   array->size > 0
               ? array
               : NULL;
}

/* ---- elements ---- */

/* How NCCL sees the elements of an array (Elements in
 * pycuda/_nccl/types.py). */
struct elements {
    ncclDataType_t type;
    size_t bytes; /* size of an element of NCCL's type */
    int count;    /* number of NCCL's elements per element of the array */
};

/* Returns NCCL's type for a dtype in native byte order, or -1. */
static int
nccl_type(const PyArray_Descr *dtype)
{
    switch (dtype->type_num) {
    case NPY_BYTE:
        return ncclInt8;
    case NPY_UBYTE:
        return ncclUint8;
    case NPY_INT:
        return ncclInt32;
    case NPY_UINT:
        return ncclUint32;
    case NPY_LONG:
        return sizeof(long) == 8 ? ncclInt64 : ncclInt32;
    case NPY_ULONG:
        return sizeof(long) == 8 ? ncclUint64 : ncclUint32;
    case NPY_LONGLONG:
        return ncclInt64;
    case NPY_ULONGLONG:
        return ncclUint64;
    case NPY_HALF:
        return ncclFloat16;
    case NPY_FLOAT:
        return ncclFloat32;
    case NPY_DOUBLE:
        return ncclFloat64;
    default:
        return type_code_of(dtype) == CODE_BFLOAT16 ? (int)ncclBfloat16 : -1;
    }
}

/* Describes the elements for an operation that only moves them. Types that
 * NCCL does not know are moved as bytes. */
static bool
elements_moved(const PyArray_Descr *dtype, struct elements *elements)
{
    int type = PyArray_ISNBO(dtype->byteorder) ? nccl_type(dtype) : -1;
    int bytes = (int)PyDataType_ELSIZE(dtype);

    if (type >= 0) {
        *elements = (struct elements){(ncclDataType_t)type, (size_t)bytes, 1};
    } else {
        *elements = (struct elements){ncclUint8, 1, bytes};
    }
    return type >= 0 || PyTypeNum_ISNUMBER(dtype->type_num) ||
           PyTypeNum_ISBOOL(dtype->type_num);
}

/* Describes the elements for the reduction `op`. Returns false if NCCL does
 * not have this reduction. */
static bool
elements_reduced(const PyArray_Descr *dtype, int op, struct elements *elements)
{
    if (!PyArray_ISNBO(dtype->byteorder)) {
        return false;
    }
    int type = nccl_type(dtype);
    size_t bytes = (size_t)PyDataType_ELSIZE(dtype);
    if (type >= 0) {
        *elements = (struct elements){(ncclDataType_t)type, bytes, 1};
        return true;
    }
    switch (dtype->type_num) {
    case NPY_CFLOAT:
        *elements = (struct elements){ncclFloat32, bytes / 2, 2};
        return op == ncclSum || op == ncclAvg;
    case NPY_CDOUBLE:
        *elements = (struct elements){ncclFloat64, bytes / 2, 2};
        return op == ncclSum || op == ncclAvg;
    case NPY_BOOL:
        *elements = (struct elements){ncclUint8, 1, 1};
        return op == ncclMax || op == ncclMin;
    default:
        return false;
    }
}

/* ---- operations ---- */

/* An operation while it is prepared. */
struct operation {
    const struct row *row;
    struct core_collective_rank rank;
    PyObject *values[PARAMETERS]; /* borrowed */
    bool reduces;
    int op;
    int peer;                  /* root or other rank of a message */
    struct array *send, *recv; /* borrowed, or NULL */
    npy_intp count;            /* number of the array's elements */
    /* true: the rank receives an array of the shape below */
    bool receives;
    int ndim;
    npy_intp shape[ARRAY_MAX_NDIM];
};

/* Sets the shape of the result to `first`, if that is not 0, and then the
 * lengths of the array's axes from number `skip` on. Returns false if the
 * result would have too many axes. */
static bool
shape_set(struct operation *o, npy_intp first, const struct array *array,
          int skip)
{
    o->ndim = 0;
    if (first && array->ndim - skip >= ARRAY_MAX_NDIM) {
        return false;
    }
    if (first) {
        o->shape[o->ndim++] = first;
    }
    for (int axis = skip; axis < array->ndim; axis++) {
        o->shape[o->ndim++] = array->shape[axis];
    }
    o->receives = true;
    return true;
}

/* Returns whether the first axis can be divided among the ranks. */
static bool
is_divisible(const struct operation *o)
{
    return o->send->ndim > 0 && o->send->shape[0] % o->rank.size == 0;
}

/* Prepares a method that takes one array. */
static bool
prepare_one_array(struct operation *o)
{
    struct array *array = usual_array(o->values[ARRAY_PARAMETER]);
    bool is_peer = o->peer == o->rank.rank;

    if (!array) {
        return false;
    }
    enum core_collective kind = o->row->kind;
    o->send = kind == CORE_SEND || (kind == CORE_BROADCAST && is_peer) ? array
                                                                       : NULL;
    o->recv = kind == CORE_SEND ? NULL : array;
    o->count = array->size;
    return true;
}

/* Prepares a scatter on a rank that is not the root. */
static bool
prepare_scatter_receiver(struct operation *o)
{
    o->recv = usual_array(o->values[RECV_PARAMETER]);
    o->count = o->recv ? o->recv->size : 0;
    return o->recv != NULL;
}

/* Sets the shape of the result of a method that takes `send` and `recv`, and
 * the number of elements that NCCL counts. Returns false for arrays that do
 * not fit. */
static bool
prepare_result(struct operation *o, bool is_root)
{
    const struct array *send = o->send;
    int size = o->rank.size;

    o->count = send->size;
    switch (o->row->kind) {
    case CORE_ALL_REDUCE:
        return shape_set(o, 0, send, 0);
    case CORE_REDUCE:
        return !is_root || shape_set(o, 0, send, 0);
    case CORE_ALL_GATHER:
        return shape_set(o, size, send, 0);
    case CORE_GATHER:
        return !is_root || shape_set(o, size, send, 0);
    case CORE_ALL_TO_ALL:
        o->count = send->size / size;
        return is_divisible(o) && shape_set(o, 0, send, 0);
    default: /* reduce_scatter, scatter */
        o->count = send->size / size;
        return is_divisible(o) && shape_set(o, send->shape[0] / size, send, 1);
    }
}

/* Returns whether `recv` fits the result: has its size and dtype. */
static bool
recv_fits(const struct operation *o)
{
    npy_intp size = 1;

    for (int axis = 0; axis < o->ndim; axis++) {
        size *= o->shape[axis];
    }
    return o->recv->size == size &&
           type_code_equal(o->recv->dtype, o->send->dtype);
}

/* Returns whether NCCL allows the positions of `send` and `recv` in memory:
 * they do not overlap, or are at the place of an operation in place. The
 * Python method copies other arrays. */
static bool
positions_allowed(const struct operation *o)
{
    size_t bytes = (size_t)PyDataType_ELSIZE(o->send->dtype);
    CUdeviceptr send = o->send->head.pointer, recv = o->recv->head.pointer;
    size_t sent = (size_t)o->send->size * bytes;
    size_t received = (size_t)o->recv->size * bytes;
    size_t rank = (size_t)o->rank.rank;

    if (send + sent <= recv || recv + received <= send) {
        return true;
    }
    switch (o->row->kind) {
    case CORE_ALL_REDUCE:
    case CORE_REDUCE:
        return send == recv;
    case CORE_ALL_GATHER:
    case CORE_GATHER:
        return send == recv + rank * sent;
    case CORE_REDUCE_SCATTER:
    case CORE_SCATTER:
        return recv == send + rank * received;
    default:
        return false;
    }
}

/* Prepares a method that takes `send` and `recv`. */
static bool
prepare_two_arrays(struct operation *o)
{
    bool is_root = o->peer == o->rank.rank;
    PyObject *recv = o->values[RECV_PARAMETER];

    if (o->row->kind == CORE_SCATTER && !is_root) {
        return prepare_scatter_receiver(o);
    }
    o->send = usual_array(o->values[SEND_PARAMETER]);
    if (!o->send || !prepare_result(o, is_root)) {
        return false;
    }
    if (!o->receives || !recv || recv == Py_None) {
        return true;
    }
    o->recv = usual_array(recv);
    return o->recv && recv_fits(o) && positions_allowed(o);
}

/* Reads the arguments of a call, except those for NCCL's elements. Returns
 * false for calls that the Python method handles. */
static bool
operation_prepare(struct operation *o, PyObject *capsule)
{
    PyObject *stream = o->values[STREAM_PARAMETER];
    PyObject *peer = o->values[ROOT_PARAMETER] ? o->values[ROOT_PARAMETER]
                                               : o->values[PEER_PARAMETER];
    enum core_collective kind = o->row->kind;

    o->reduces = kind == CORE_ALL_REDUCE || kind == CORE_REDUCE ||
                 kind == CORE_REDUCE_SCATTER;
    return core_collective_find_rank(capsule, stream ? stream : Py_None,
                                     &o->rank) &&
           number_read(peer, o->rank.size - 1, &o->peer) &&
           op_read(o->values[OP_PARAMETER], &o->op) &&
           (o->values[ARRAY_PARAMETER] ? prepare_one_array(o)
                                       : prepare_two_arrays(o));
}

/* Creates the array for the result: a new reference, or NULL with an
 * exception. */
static struct array *
result_new(const struct operation *o)
{
    struct array *model = o->send;
    enum core_collective kind = o->row->kind;
    struct array *made = NULL;

    if ((kind == CORE_ALL_REDUCE || kind == CORE_REDUCE ||
         kind == CORE_ALL_TO_ALL) &&
        model->ndim > 0) {
        made = array_new_fast(model, model->ndim, model->dtype,
                              o->rank.context, o->rank.stream);
    }
    return made ? made
                : array_new_like_from(model, NULL, model->dtype, o->ndim,
                                      o->shape, NULL, o->rank.stream);
}

/* Makes a prepared call, and returns its result. Returns NULL without an
 * exception for elements that the Python method handles. */
static PyObject *
operation_run(struct operation *o, PyObject *capsule)
{
    struct elements elements = {0};
    const PyArray_Descr *dtype = (o->send ? o->send : o->recv)->dtype;

    if (!(o->reduces ? elements_reduced(dtype, o->op, &elements)
                     : elements_moved(dtype, &elements))) {
        return NULL;
    }
    struct array *recv = (struct array *)Py_XNewRef((PyObject *)o->recv);
    if (o->receives && !recv && !(recv = result_new(o))) {
        return NULL;
    }
    const struct core_collective_call call = {
        .kind = o->row->kind,
        .send = (PyObject *)o->send,
        .recv = (PyObject *)recv,
        .count = o->count * elements.count,
        .bytes = elements.bytes,
        .type = elements.type,
        .op = (ncclRedOp_t)o->op,
        .peer = o->peer,
        .stream = o->rank.stream,
    };
    if (core_collective_issue(capsule, &call) < 0) {
        Py_CLEAR(recv);
        return NULL;
    }
    return recv ? (PyObject *)recv : Py_NewRef(Py_None);
}

/* Makes the call of a method. args[0] is the communicator. Returns NULL
 * without an exception for calls that the Python method handles. */
static PyObject *
collective_call(const struct row *row, PyObject *const *args, Py_ssize_t count,
                PyObject *names)
{
    struct operation o;

    o.row = row;
    o.receives = false;
    o.send = o.recv = NULL;
    memset(o.values, 0, sizeof o.values);
    if (count < 1 ||
        !arguments_read(row, args + 1, count - 1, names, o.values)) {
        return NULL;
    }
    PyObject *capsule = PyObject_GetAttr(args[0], capsule_name);
    if (!capsule) {
        PyErr_Clear();
        return NULL;
    }
    PyObject *result =
        operation_prepare(&o, capsule) ? operation_run(&o, capsule) : NULL;
    Py_DECREF(capsule);
    return result;
}

/* ---- the type ---- */

struct fast_collective {
    struct function_wrapper wrapper;
    const struct row *row; /* NULL: the function is `group` */
    /* strong reference; the class whose new object `group` returns, or NULL */
    PyObject *group;
};

static PyObject *
fast_collective_vectorcall(PyObject *op, PyObject *const *args, size_t nargsf,
                           PyObject *names)
{
    struct fast_collective *self = (struct fast_collective *)op;
    Py_ssize_t count = PyVectorcall_NARGS(nargsf);

    if (self->row) {
        struct core_call call;
        core_call_begin(&call, op, CORE_CALL_CURRENT);
        PyObject *result = collective_call(self->row, args, count, names);
        core_call_end(&call);
        if (result || PyErr_Occurred()) {
            return result;
        }
    } else if (count == 0 && !names) {
        return PyObject_CallNoArgs(self->group);
    }
    return PyObject_Vectorcall(self->wrapper.function, args, nargsf, names);
}

static const struct row *
row_find(const char *name)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(rows[i].name, name) == 0) {
            return &rows[i];
        }
    }
    return NULL;
}

/* FastCollective(function, name, group=None): wraps a method, and gives it the
 * C implementation of the table row called `name`. With `group`, a class,
 * wraps a function that returns a new object of the class. */
static PyObject *
fast_collective_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *keywords[] = {"function", "name", "group", NULL};
    PyObject *function, *group = Py_None;
    const char *name;

    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "Os|O:FastCollective",
                                     keywords, &function, &name, &group)) {
        return NULL;
    }
    const struct row *row = group == Py_None ? row_find(name) : NULL;
    if (!row && group == Py_None) {
        PyErr_Format(PyExc_ValueError, "no operation has the name '%s'", name);
        return NULL;
    }
    struct fast_collective *self =
        (struct fast_collective *)function_wrapper_new(
            type, fast_collective_vectorcall, function);
    if (self) {
        self->row = row;
        self->group = row ? NULL : Py_NewRef(group);
    }
    return (PyObject *)self;
}

static void
fast_collective_dealloc(PyObject *op)
{
    PyObject_GC_UnTrack(op);
    Py_CLEAR(((struct fast_collective *)op)->group);
    function_wrapper_dealloc(op);
}

int
array_collective_setup(PyObject *module)
{
    static const PyType_Slot own[] = {
        {Py_tp_new, fast_collective_new},
        {Py_tp_dealloc, fast_collective_dealloc},
        {Py_tp_doc, "An NCCL operation with a fast path in C."},
        {0},
    };

    for (int i = 0; i < PARAMETERS; i++) {
        parameter_names[i] = PyUnicode_InternFromString(parameter_texts[i]);
        if (!parameter_names[i]) {
            return -1;
        }
    }
    for (int i = 0; i < OPS; i++) {
        op_names[i] = PyUnicode_InternFromString(op_texts[i]);
        if (!op_names[i]) {
            return -1;
        }
    }
    capsule_name = PyUnicode_InternFromString("_capsule");
    return capsule_name
               ? function_wrapper_add_type(module,
                                           "pycuda._driver.FastCollective",
                                           sizeof(struct fast_collective), own)
               : -1;
}
