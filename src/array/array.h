/* array.h - what the files of this room share: the array object, its layout,
 * operations and the kernel table.
 *
 * Everything runs with the GIL held, which is the lock of every table here.
 * Strides are bytes and signed; sizes are elements unless named bytes.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_ARRAY_ARRAY_H
#define PYCUDA_ARRAY_ARRAY_H

#include "core/core.h"

#define NPY_NO_DEPRECATED_API  NPY_2_0_API_VERSION
#define NPY_TARGET_VERSION     NPY_2_0_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL pycuda_array_numpy
#ifndef ARRAY_IMPORTS_NUMPY
#define NO_IMPORT_ARRAY
#endif
#include <numpy/arrayobject.h>
#include <numpy/arrayscalars.h>

#define ARRAY_MAX_NDIM 32
#define ARRAY_INLINE   4 /* axes stored in the object itself */
#define ARRAY_INPUTS   3 /* most inputs of an element-wise operation */
#define ARRAY_OPERANDS (ARRAY_INPUTS + 1)
#define ARRAY_BLOCK    256u /* threads of an element-wise block */

enum array_flags {
    ARRAY_C = 1, /* C-contiguous */
    ARRAY_F = 2, /* Fortran-contiguous */
    ARRAY_FORC = 3,
    ARRAY_OFFSET = 4,   /* a view: gpudata is a plain integer */
    ARRAY_READY = 8,    /* __init__ or a view gave it its fields */
    ARRAY_STRIDES = 16, /* a program assigned the strides */
};

struct array {
    struct core_array_head head;
    Py_ssize_t size; /* elements */
    int ndim;
    unsigned flags;       /* enum array_flags */
    npy_intp *shape;      /* ndim entries; inline_dims or PyMem memory */
    npy_intp *strides;    /* bytes; behind shape */
    PyArray_Descr *dtype; /* strong */
    PyObject *base;       /* strong; the array viewed, or NULL */
    PyObject *allocator;  /* strong; NULL: the default pool */
    PyObject *dict;       /* strong: attributes; or NULL */
    PyObject *weakrefs;   /* Python's; or NULL */
    npy_intp inline_dims[2 * ARRAY_INLINE];
};

/* Shape and strides of up to ARRAY_OPERANDS arrays walked together. */
struct layout {
    int ndim;
    int operands;
    npy_intp size;
    npy_intp shape[ARRAY_MAX_NDIM];
    npy_intp strides[ARRAY_OPERANDS][ARRAY_MAX_NDIM];
    npy_intp offset[ARRAY_OPERANDS]; /* bytes, from flipped axes */
};

/* How a kernel walks its operands; names in operation.c. */
enum layout_class {
    LAYOUT_ALIGNED,     /* dense, 16-byte aligned, many elements */
    LAYOUT_CONTIGUOUS,  /* dense, all in the same order */
    LAYOUT_ROWS,        /* long innermost axis: a row of blocks per row */
    LAYOUT_FLAT,        /* anything else: index arithmetic per element */
    LAYOUT_PACKS,       /* as ROWS, 16-byte words */
    LAYOUT_TILES,       /* inputs that another axis walks: square tiles */
    LAYOUT_SMALL_TILES, /* the same of few elements */
};

/* Type codes are NumPy's type numbers, these for Python's scalars, which take
 * the type of the array beside them, and one for ml_dtypes.bfloat16, whose
 * number depends on what else was registered.  They fit 6 bits. */
enum type_code {
    CODE_INT = 28,
    CODE_FLOAT = 29,
    CODE_COMPLEX = 30,
    CODE_BFLOAT16 = 32,
    CODE_FOREIGN = 63, /* a type of others: no arithmetic */
};

/* Operations that C names itself; the rest get numbers as they are first
 * named from Python.  Names are NumPy's where NumPy has one. */
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

/* What an operation computes in: loop types of the inputs, and the result's
 * type before it is cast to a given output. */
struct rule {
    PyArray_Descr *loop[ARRAY_INPUTS];
    PyArray_Descr *result;
};

/* A compiled kernel and how many elements one of its threads does. */
struct kernel {
    void *context; /* the key that its context has as long as it keeps it */
    CUfunction handle;
    unsigned block; /* threads */
    unsigned per_thread;
    unsigned max_blocks; /* reductions: blocks of the first stage */
};

/* One input or output of an operation: an array, or a scalar. */
struct operand {
    struct array *array; /* borrowed; NULL: a scalar */
    PyObject *scalar;    /* borrowed */
    int code;            /* NumPy type number or enum type_code */
    char value[16];      /* the scalar in its loop type */
};

/* layout.c - pure arithmetic, no Python. */
unsigned layout_flags(int ndim, const npy_intp *shape, const npy_intp *strides,
                      npy_intp itemsize);
npy_intp layout_size(int ndim, const npy_intp *shape);
void layout_pack(int ndim, const npy_intp *shape, npy_intp itemsize,
                 char order, npy_intp *strides);
void layout_pack_like(int ndim, const npy_intp *shape, npy_intp itemsize,
                      const npy_intp *model, npy_intp *strides);
int layout_dense(int ndim, const npy_intp *shape, const npy_intp *strides,
                 npy_intp itemsize);
void layout_extent(int ndim, const npy_intp *shape, const npy_intp *strides,
                   npy_intp itemsize, npy_intp *low, npy_intp *high);
int layout_broadcast(int *ndim, npy_intp *shape, int other_ndim,
                     const npy_intp *other);
void layout_add(struct layout *layout, int operand, int ndim,
                const npy_intp *shape, const npy_intp *strides);
void layout_collapse(struct layout *layout);
int layout_reshape(int ndim, const npy_intp *shape, const npy_intp *strides,
                   npy_intp itemsize, int new_ndim, const npy_intp *new_shape,
                   npy_intp *new_strides);

/* type.c - the object. */
extern PyTypeObject *array_type; /* ArrayBase */
static inline int
array_check(PyObject *object)
{
    return USUAL(Py_TYPE(object)->tp_base == array_type) ||
           PyObject_TypeCheck(object, array_type);
}
/* Whether it is one of pycuda.gpuarray's own: a subclass may have its way of
 * making results. */
static inline int
array_plain(PyObject *object)
{
    return Py_TYPE(object)->tp_base == array_type &&
           ((struct array *)object)->flags & ARRAY_READY;
}
/* Of arrays with elements, so that the last axis follows from the others. */
static inline bool
array_same_shape(const struct array *a, const struct array *b)
{
    if (a->size != b->size || a->ndim != b->ndim) {
        return false;
    }
    for (int axis = 0; axis < a->ndim - 1; axis++) {
        if (a->shape[axis] != b->shape[axis]) {
            return false;
        }
    }
    return true;
}
struct array *array_alloc(PyTypeObject *type, int ndim);
struct array *array_view(struct array *base, int ndim);
void array_view_finish(struct array *view);
struct array *array_new_like(struct array *model, PyArray_Descr *dtype,
                             int ndim, const npy_intp *shape,
                             const npy_intp *strides, CUstream stream);
struct array *array_new_plain(PyArray_Descr *dtype, int ndim,
                              const npy_intp *shape);
struct array *array_new_again(struct array *model, int ndim,
                              PyArray_Descr *dtype,
                              struct core_context *context, CUstream stream);
struct array *array_new_ready(struct array *model, int ndim,
                              PyArray_Descr *dtype,
                              struct core_context *context, CUstream stream);
int array_take_memory(struct array *array, CUstream stream);
void array_update(struct array *array);
int array_type_setup(PyObject *module);
PyObject *array_set_class(PyObject *module, PyObject *type);
int array_set_dims(struct array *array, int ndim, const npy_intp *shape,
                   const npy_intp *strides);
PyObject *array_default_allocator(void);

/* verify.c */
PyObject *array_tuple(int n, const npy_intp *values);
int array_parse_shape(PyObject *object, npy_intp *shape);
int array_verify_shape(int ndim, const npy_intp *shape, npy_intp itemsize);
int array_verify_dtype(PyArray_Descr *dtype);
/* The bytes touched, relative to the first element: ValueError where they are
 * beyond the address space. */
int array_verify_reach(int ndim, const npy_intp *shape,
                       const npy_intp *strides, npy_intp itemsize,
                       npy_intp *low, npy_intp *high);
int array_verify_strides(const struct array *array, int ndim,
                         const npy_intp *shape, const npy_intp *strides);

/* init.c */
PyObject *array_new(PyTypeObject *type, PyObject *args, PyObject *kwargs);
int array_init(PyObject *self, PyObject *args, PyObject *kwargs);
int array_init_order(PyObject *order, char *letter); /* "C" or "F" */

/* attributes.c */
extern PyGetSetDef array_attributes[];
int array_flags_setup(PyObject *module);

/* assign.c */
int array_assign_setup(PyObject *module);
/* The memory's owner as a program assigned it: borrowed, or NULL. */
PyObject *assign_owner(const struct array *array);
/* Strides for another number of axes than shape has: borrowed, or NULL. */
PyObject *assign_strides_waiting(const struct array *array);
/* ValueError where attributes contradict each other. */
int assign_settled(const struct array *array);
int assign_shape(PyObject *self, PyObject *value, void *unused);
int assign_strides(PyObject *self, PyObject *value, void *unused);
int assign_dtype(PyObject *self, PyObject *value, void *unused);
int assign_gpudata(PyObject *self, PyObject *value, void *unused);
int assign_base(PyObject *self, PyObject *value, void *unused);
int assign_allocator(PyObject *self, PyObject *value, void *unused);
int assign_flags(PyObject *self, PyObject *value, void *unused);

/* index.c */
PyObject *array_subscript(PyObject *self, PyObject *key);
PyObject *array_item(PyObject *self, Py_ssize_t index);
int array_assign_subscript(PyObject *self, PyObject *key, PyObject *value);

/* advanced.c */
PyObject *advanced_set_indexer(PyObject *module, PyObject *args);
PyObject *advanced_get(PyObject *self, PyObject *key);
int advanced_set(PyObject *self, PyObject *key, PyObject *value);
PyObject *advanced_address_bits(PyObject *module, PyObject *array);
PyObject *advanced_is_misaligned(PyObject *module, PyObject *array);
PyObject *advanced_are_alike(PyObject *module, PyObject *args);
PyObject *advanced_distance(PyObject *module, PyObject *args);
PyObject *advanced_identity(PyObject *module, PyObject *array);
PyObject *advanced_field(PyObject *self, PyObject *name);
PyObject *fault_register(PyObject *module, PyObject *args);
PyObject *fault_registered(PyObject *module, PyObject *unused);
int fault_check(void);
int fault_words(CUdeviceptr *words);
PyObject *fault_check_python(PyObject *module, PyObject *unused);

/* shape.c */
extern PyMethodDef array_shape_methods[];
PyObject *array_transposed(PyObject *self, PyObject *unused);

/* code.c */
int code_of(const PyArray_Descr *dtype);
/* -1 with TypeError where kernels would misread it. */
int code_native(const PyArray_Descr *dtype);
int code_same(const PyArray_Descr *a, const PyArray_Descr *b);
int code_computes(int code);
PyObject *code_dtype(int code);
PyObject *code_object(int code);

/* kernels.c */
/* The kernel of this key in the current context, and its Function, which the
 * caller holds until the launch; on a miss `make_key` says in Python's terms
 * what to make. */
PyObject *kernel_find(uint64_t low, uint64_t high,
                      PyObject *(*make_key)(void *), void *data,
                      struct kernel *kernel);

/* operation.c */
int operation_number(PyObject *name);
PyObject *operation_name(int number);
const struct rule *operation_rule(int operation, int inputs, const int *codes);
PyObject *operation_set_resolver(PyObject *module, PyObject *resolver);

/* apply.c */
int operand_set(struct operand *operand, PyObject *object);
int operand_convert(struct operand *operand, PyArray_Descr *loop);
PyObject *array_apply(int operation, int inputs, PyObject *const *objects,
                      struct array *out, PyArray_Descr *dtype,
                      CUstream stream);
int array_misaligned(const struct array *array);
PyObject *array_apply_python(PyObject *module, PyObject *args,
                             PyObject *kwargs);

/* copy.c */
int array_copy_into(struct array *target, struct array *source,
                    CUstream stream);
int array_copy_same(struct array *target, struct array *source,
                    CUstream stream);
struct array *array_packed(struct array *array, char order, CUstream stream);

/* number.c: slots; rows of array_type. */
extern PyType_Slot array_number_slots[];
PyObject *array_richcompare(PyObject *a, PyObject *b, int operation);

/* transfer.c */
extern PyMethodDef array_transfer_methods[];
int array_bool(PyObject *self);
int array_assign(struct array *target, PyObject *value);
int array_fill_with(struct array *array, PyObject *value, CUstream stream);

/* reduce.c */
/* Whether array_reduce_all is right for the array: reductions of float16 and
 * bfloat16 are accumulated in float32, which Python arranges. */
bool array_reduces_all(const struct array *array);
PyObject *array_reduce_all(int operation, int inputs,
                           PyObject *const *objects);
PyObject *array_reduce_python(PyObject *module, PyObject *args,
                              PyObject *kwargs);

/* dlpack.c */
PyObject *dlpack_give(PyObject *module, PyObject *args);
PyObject *dlpack_take(PyObject *module, PyObject *capsule);

/* plan.c */
PyObject *plan_set(PyObject *module, PyObject *args);
PyObject *plan_repeat(PyObject *name, PyObject *const *objects,
                      Py_ssize_t count, PyObject *axis);

/* create.c, join.c, gather.c: usual calls (usual.c).  Of positional arguments,
 * and a dtype (create.c) or axis that was named, or NULL.  NULL without an
 * exception: not usual. */
PyObject *create_empty_like(PyObject *const *args, Py_ssize_t count,
                            PyObject *dtype);
PyObject *create_zeros(PyObject *const *args, Py_ssize_t count,
                       PyObject *dtype);
PyObject *create_zeros_like(PyObject *const *args, Py_ssize_t count,
                            PyObject *dtype);
PyObject *create_ones(PyObject *const *args, Py_ssize_t count,
                      PyObject *dtype);
PyObject *create_ones_like(PyObject *const *args, Py_ssize_t count,
                           PyObject *dtype);
PyObject *create_arange(PyObject *const *args, Py_ssize_t count,
                        PyObject *dtype);
PyObject *join_concatenate(PyObject *const *args, Py_ssize_t count,
                           PyObject *axis);
PyObject *join_stack(PyObject *const *args, Py_ssize_t count, PyObject *axis);
PyObject *join_roll(PyObject *const *args, Py_ssize_t count, PyObject *axis);
PyObject *gather_take(PyObject *const *args, Py_ssize_t count, PyObject *axis);

/* gather.c */
/* a[indices] of a row; NULL without an exception for anything else. */
PyObject *gather_index(PyObject *self, PyObject *key);
/* a[indices] = value; 1: done, 0: not usual, -1: an exception. */
int gather_put(PyObject *self, PyObject *key, PyObject *value);

/* line.c: _take_line, _put_line */
PyObject *line_take(PyObject *module, PyObject *args);
PyObject *line_put(PyObject *module, PyObject *args);

/* kernels.c, shortcut.c, planned.c, usual.c, elementwise.c: types of
 * pycuda._driver. */
int array_kernels_setup(PyObject *module);
int array_shortcut_setup(PyObject *module);
int array_planned_setup(PyObject *module);
int array_usual_setup(PyObject *module);
int array_elementwise_setup(PyObject *module);

#endif
