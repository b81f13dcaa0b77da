/* array.h - the array object, its layout, operations and kernels: declarations
 * shared by the files of src/array.
 *
 * All functions require the GIL, which protects all tables and caches of
 * src/array, unless noted. Strides are signed and in bytes; sizes count
 * elements unless named bytes. Functions that return a PyObject or a struct
 * pointer return a new reference, or NULL with an exception, unless noted.
 * Functions that return int return 0, or -1 with an exception, unless noted.
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
#define ARRAY_INLINE   4 /* axes whose lengths and strides fit in the object */
/* Maximum number of inputs of an element-wise operation. */
#define ARRAY_INPUTS   3
#define ARRAY_OPERANDS (ARRAY_INPUTS + 1)
#define ARRAY_BLOCK    256u /* threads per block of element-wise kernels */

enum array_flags {
    ARRAY_C = 1, /* C-contiguous */
    ARRAY_F = 2, /* Fortran-contiguous */
    ARRAY_FORC = 3,
    ARRAY_OFFSET = 4,   /* a view; its attribute gpudata is an int */
    ARRAY_READY = 8,    /* __init__ or the creation of a view is complete */
    ARRAY_STRIDES = 16, /* a program assigned the strides */
};

struct array {
    struct core_array_head head;
    Py_ssize_t size; /* number of elements */
    int ndim;
    unsigned flags;    /* enum array_flags */
    npy_intp *shape;   /* ndim lengths; in inline_dims or PyMem memory */
    npy_intp *strides; /* in bytes; stored after shape, in the same memory */
    PyArray_Descr *dtype; /* strong */
    PyObject *base;       /* strong; the array that this one views, or NULL */
    PyObject *allocator;  /* strong; NULL: the default allocator */
    PyObject *dict;       /* strong; instance attributes, or NULL */
    PyObject *weakrefs;   /* list of weak references; managed by Python */
    npy_intp inline_dims[2 * ARRAY_INLINE];
};

/* Shape and strides of up to ARRAY_OPERANDS arrays that an operation traverses
 * together. */
struct layout {
    int ndim;
    int operands;
    npy_intp size;
    npy_intp shape[ARRAY_MAX_NDIM];
    npy_intp strides[ARRAY_OPERANDS][ARRAY_MAX_NDIM];
    /* Bytes to add to each pointer: the first element moves to the other end
     * of an axis whose direction layout_collapse reverses. */
    npy_intp offset[ARRAY_OPERANDS];
};

/* Layout classes: how a kernel traverses its operands. Table class_names in
 * elementwise_task.c has the name of each class for the keys of kernels. */
enum layout_class {
    /* Contiguous, 16-byte aligned, at least ALIGN_MINIMUM elements. */
    LAYOUT_ALIGNED,
    LAYOUT_CONTIGUOUS, /* contiguous, all in the same order */
    LAYOUT_ROWS,       /* long innermost axis: each row has its own blocks */
    /* All other layouts: a thread computes addresses from its element's
     * index. */
    LAYOUT_FLAT,
    LAYOUT_PACKS, /* as LAYOUT_ROWS, but copies words of 16 bytes */
    /* An input is contiguous along another axis than the output: each block
     * processes a square tile. */
    LAYOUT_TILES,
    LAYOUT_SMALL_TILES, /* as LAYOUT_TILES, for fewer elements */
};

/* Type codes: NumPy's type numbers and the codes below. Python scalars take
 * the type of the array with which they are combined. ml_dtypes.bfloat16 has a
 * fixed code, since its type number depends on the order in which types are
 * registered. Codes fit in 6 bits. */
enum type_code {
    CODE_INT = 28,
    CODE_FLOAT = 29,
    CODE_COMPLEX = 30,
    CODE_BFLOAT16 = 32,
    CODE_FOREIGN = 63, /* unknown user type without arithmetic */
};

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

/* A compiled kernel and its launch parameters. */
struct kernel {
    /* Key of the context; changes when its kernels are released. */
    void *context;
    CUfunction handle;
    unsigned block; /* threads per block */
    /* Elements per thread. */
    unsigned per_thread;
    /* For reductions: maximum number of blocks of the first launch. */
    unsigned max_blocks;
};

/* An input or output of an operation: an array or a scalar. */
struct operand {
    struct array *array; /* borrowed; NULL for a scalar */
    PyObject *scalar;    /* borrowed; the scalar object */
    int code;            /* type code */
    char value[16];      /* the scalar, converted to the loop type */
};

/* ---- layout.c: pure arithmetic, for any thread ---- */
/* Returns the contiguity flags of a layout, ARRAY_C and ARRAY_F. An empty
 * array has both. */
unsigned layout_flags(int ndim, const npy_intp *shape, const npy_intp *strides,
                      npy_intp itemsize);
/* Returns the number of elements; 1 for no axes. */
npy_intp layout_size(int ndim, const npy_intp *shape);
/* Computes contiguous strides in order 'C' or 'F'. */
void layout_pack(int ndim, const npy_intp *shape, npy_intp itemsize,
                 char order, npy_intp *strides);
/* Computes contiguous strides that keep the axis order of `model` (NumPy's
 * order "K"). */
void layout_pack_like(int ndim, const npy_intp *shape, npy_intp itemsize,
                      const npy_intp *model, npy_intp *strides);
/* Returns whether the elements fill memory without gaps from the first element
 * on, in any order of the axes. */
int layout_contiguous(int ndim, const npy_intp *shape, const npy_intp *strides,
                      npy_intp itemsize);
/* Computes the bytes touched, [*low, *high), relative to the first element.
 * Must not overflow; array_verify_reach checks that. */
void layout_extent(int ndim, const npy_intp *shape, const npy_intp *strides,
                   npy_intp itemsize, npy_intp *low, npy_intp *high);
/* Replaces the shape (*ndim, shape) by the result of broadcasting it with the
 * shape `other`. Returns -1, without an exception, if the shapes are
 * incompatible. `shape` needs space for ARRAY_MAX_NDIM entries. */
int layout_broadcast(int *ndim, npy_intp *shape, int other_ndim,
                     const npy_intp *other);
/* Stores the strides of one operand in a layout whose shape is set. An axis
 * along which the operand is broadcast gets stride 0. */
void layout_add(struct layout *layout, int operand, int ndim,
                const npy_intp *shape, const npy_intp *strides);
/* Removes axes of length 1, sorts and merges the others, and makes the
 * output's strides positive. Leaves at least one axis. The size must not be
 * 0. */
void layout_collapse(struct layout *layout);
/* Computes strides with which an array of a new shape has the same elements in
 * C order. Both shapes have the same number of elements, at least 1. Returns
 * 1, or 0 if only a copy can have the new shape. */
int layout_reshape(int ndim, const npy_intp *shape, const npy_intp *strides,
                   npy_intp itemsize, int new_ndim, const npy_intp *new_shape,
                   npy_intp *new_strides);

/* ---- array_type.c: the array object ---- */
extern PyTypeObject *array_type; /* the class ArrayBase; strong */
/* Returns whether the object is an array. Never fails. */
static inline int
array_check(PyObject *object)
{
    return LIKELY(Py_TYPE(object)->tp_base == array_type) ||
           PyObject_TypeCheck(object, array_type);
}
/* Returns whether the array is of a class of pycuda.gpuarray and initialized.
 * Other subclasses may create results in their own way, so fast paths decline
 * them. */
static inline int
array_is_own_class(PyObject *object)
{
    return Py_TYPE(object)->tp_base == array_type &&
           ((struct array *)object)->flags & ARRAY_READY;
}
/* Returns whether two arrays, neither of them empty, have the same shape. Does
 * not compare the last axis: its length follows from the size. */
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
/* Creates an array of `type` without memory. The caller sets shape and
 * strides; the other fields are zero. */
struct array *array_alloc(PyTypeObject *type, int ndim);
/* Creates a view of `base` with ndim axes. The caller fills shape and strides,
 * sets head.pointer to the view's first element, and then calls
 * array_view_finish. */
struct array *array_view(struct array *base, int ndim);
/* Completes a view whose shape and strides are set: computes its size and
 * flags. */
void array_view_finish(struct array *view);
/* Creates an array of the model's class, with memory from the model's
 * allocator for use in `stream`. If the class overrides _new_like_me and
 * `shape` is the model's shape, calls this method. `strides` NULL: C order.
 * May run Python code. */
struct array *array_new_like(struct array *model, PyArray_Descr *dtype,
                             int ndim, const npy_intp *shape,
                             const npy_intp *strides, CUstream stream);
/* Creates a C-contiguous GPUArray with memory from the default allocator. */
struct array *array_new_contiguous(PyArray_Descr *dtype, int ndim,
                                   const npy_intp *shape);
/* Creates the C-contiguous result of a kernel on `stream`. Its class and
 * allocator are those of `model`, a C-contiguous array for which
 * array_is_own_class is true; it has the model's shape, or no axes if `ndim`
 * is 0. The context and the stream are those that core_current_with_stream
 * returned. May run Python code and release the GIL. */
struct array *array_new_slow(struct array *model, int ndim,
                             PyArray_Descr *dtype,
                             struct core_context *context, CUstream stream);
/* Creates the same result as array_new_slow if that requires no Python
 * code and holds the GIL throughout. Otherwise returns NULL without an
 * exception. */
struct array *array_new_fast(struct array *model, int ndim,
                             PyArray_Descr *dtype,
                             struct core_context *context, CUstream stream);
/* Allocates memory for the array's elements from its allocator, for use in
 * `stream`. The array must not have memory yet. May run Python code. */
int array_allocate_memory(struct array *array, CUstream stream);
/* Recomputes size and contiguity from shape, strides and dtype. */
void array_update(struct array *array);
/* Creates ArrayBase and adds it to the module. */
int array_type_setup(PyObject *module);
/* _set_array_class(type): registers GPUArray, so that array_type.c can reuse
 * freed objects of this class. */
PyObject *array_set_class(PyObject *module, PyObject *type);
/* Sets shape and strides, which are copied, and recomputes the size and the
 * flags. The array is unchanged on failure. */
int array_set_dims(struct array *array, int ndim, const npy_intp *shape,
                   const npy_intp *strides);
/* Returns pycuda._driver.mem_alloc, a borrowed reference. */
PyObject *array_default_allocator(void);

/* ---- validation.c: checks of values that programs pass ---- */
/* Returns a Python tuple of the n values. */
PyObject *array_tuple(int n, const npy_intp *values);
/* Parses an int or an iterable of ints into at most ARRAY_MAX_NDIM entries.
 * Returns the number of entries, or -1 with an exception. */
int array_parse_shape(PyObject *object, npy_intp *shape);
/* Raises ValueError for negative lengths, or if the bytes exceed the address
 * space. */
int array_verify_shape(int ndim, const npy_intp *shape, npy_intp itemsize);
/* Raises TypeError for dtypes that device memory cannot hold. */
int array_verify_dtype(PyArray_Descr *dtype);
/* Computes the bytes touched, [*low, *high), relative to the first element.
 * Raises ValueError if they are beyond the address space. */
int array_verify_reach(int ndim, const npy_intp *shape,
                       const npy_intp *strides, npy_intp itemsize,
                       npy_intp *low, npy_intp *high);
/* Raises ValueError if strides leave the memory of the array's owner. */
int array_verify_strides(const struct array *array, int ndim,
                         const npy_intp *shape, const npy_intp *strides);

/* ---- constructor.c: constructor ---- */
/* tp_new: creates an empty array. */
PyObject *array_new(PyTypeObject *type, PyObject *args, PyObject *kwargs);
/* tp_init: GPUArray(shape, dtype, ...); may run more than once. */
int array_init(PyObject *self, PyObject *args, PyObject *kwargs);
/* Parses a memory order. Stores 'C' (also for NULL) or 'F' in *letter. */
int array_parse_order(PyObject *order, char *letter);

/* ---- attributes.c ---- */
extern PyGetSetDef array_attributes[];
/* Creates the objects that the attribute `flags` of arrays returns. */
int array_flags_setup(PyObject *module);

/* ---- attribute_setters.c: setters of attributes ---- */
/* Creates the type UnsettledMemory: the owner of an array while attributes
 * that a program assigned contradict each other. */
int array_assign_setup(PyObject *module);
/* Returns the owner of the array's memory, without the UnsettledMemory object
 * that may wrap it: a borrowed reference. Returns NULL, without an exception,
 * if the array has no memory. */
PyObject *assign_owner(const struct array *array);
/* Returns the strides that a program assigned, a borrowed tuple, while their
 * number differs from the number of axes. Returns NULL, without an exception,
 * if there are none. */
PyObject *assign_strides_waiting(const struct array *array);
/* Raises ValueError if assigned attributes contradict each other. */
int assign_is_consistent(const struct array *array);
/* Setters for the table array_attributes. `value` NULL deletes the
 * attribute. */
int assign_shape(PyObject *self, PyObject *value, void *unused);
int assign_strides(PyObject *self, PyObject *value, void *unused);
int assign_dtype(PyObject *self, PyObject *value, void *unused);
int assign_gpudata(PyObject *self, PyObject *value, void *unused);
int assign_base(PyObject *self, PyObject *value, void *unused);
int assign_allocator(PyObject *self, PyObject *value, void *unused);
int assign_flags(PyObject *self, PyObject *value, void *unused);

/* ---- basic_indexing.c: basic indexing ---- */
/* Slots of the type: array[key], iteration, array[key] = value. */
PyObject *array_subscript(PyObject *self, PyObject *key);
PyObject *array_item(PyObject *self, Py_ssize_t index);
int array_assign_subscript(PyObject *self, PyObject *key, PyObject *value);

/* ---- advanced_indexing.c: other indexing, and faults ---- */
/* Implements _set_indexer of pycuda._driver: registers the Python functions
 * that get and set array[key] if no fast path handles the key. */
PyObject *advanced_set_indexer(PyObject *module, PyObject *args);
/* Gets or sets array[key] for keys other than integers and slices. */
PyObject *advanced_get(PyObject *self, PyObject *key);
int advanced_set(PyObject *self, PyObject *key, PyObject *value);
/* Implement functions of pycuda._driver; setup.c has their arguments and
 * results. */
PyObject *advanced_address_bits(PyObject *module, PyObject *array);
PyObject *advanced_is_misaligned(PyObject *module, PyObject *array);
PyObject *advanced_are_alike(PyObject *module, PyObject *args);
PyObject *advanced_distance(PyObject *module, PyObject *args);
PyObject *advanced_identity(PyObject *module, PyObject *array);
/* Returns array["name"], a view of a field of records. */
PyObject *advanced_field(PyObject *self, PyObject *name);
/* Implement _register_faults and _registered_faults of pycuda._driver, which
 * set and return the fault record of the current context. */
PyObject *fault_register(PyObject *module, PyObject *args);
PyObject *fault_registered(PyObject *module, PyObject *unused);
/* Raises IndexError if a completed kernel of the current context met an index
 * out of range. */
int fault_check(void);
/* Stores the device address of the current context's fault record, in which
 * kernels report an index out of range. Returns 1, 0 if there is none yet, or
 * -1 with an exception. */
int fault_record_address(CUdeviceptr *words);
/* Implements _check_faults of pycuda._driver, which calls fault_check. */
PyObject *fault_check_python(PyObject *module, PyObject *unused);

/* ---- shape.c ---- */
extern PyMethodDef array_shape_methods[];
/* Returns a view with permuted axes; reversed if `axes` is NULL or None. */
PyObject *array_transposed(PyObject *self, PyObject *axes);

/* ---- type_codes.c: type codes ---- */
/* Returns the type code of a dtype; CODE_FOREIGN for unknown types. */
int type_code_of(const PyArray_Descr *dtype);
/* Raises TypeError for dtypes that kernels would misread, since their byte
 * order is not the machine's. */
int type_code_native(const PyArray_Descr *dtype);
/* Returns whether two dtypes describe the same bytes, as NumPy's
 * PyArray_EquivTypes does. Never fails. */
int type_code_equal(const PyArray_Descr *a, const PyArray_Descr *b);
/* Returns whether operations may be defined for the type code. */
int type_code_has_operations(int code);
/* Returns the dtype of a code; TypeError for CODE_FOREIGN. */
PyObject *type_code_dtype(int code);
/* Returns the dtype of a code, or the Python type of a scalar's code. */
PyObject *type_code_object(int code);

/* ---- kernel_cache.c ---- */
/* Finds the compiled kernel for a key in the current context, and fills
 * `kernel`. If there is none, passes the tuple that make_key(data) returns to
 * Python's kernel factory, which compiles the kernel. Returns a new reference
 * to the Function, which the caller must hold until the launch. */
PyObject *kernel_find(uint64_t low, uint64_t high,
                      PyObject *(*make_key)(void *), void *data,
                      struct kernel *kernel);

/* ---- operation_table.c ---- */
/* Returns the number of the operation called `name`, a str. A new name gets
 * the next free number. */
int operation_number(PyObject *name);
/* Returns the name of an operation, a borrowed reference. */
PyObject *operation_name(int number);
/* Returns the type rule of an operation for inputs of these type codes. The
 * rule exists until the process ends. */
const struct rule *operation_rule(int operation, int inputs, const int *codes);
/* _set_type_resolver(callable): sets the Python function that determines a
 * type rule when it is first needed. */
PyObject *operation_set_resolver(PyObject *module, PyObject *resolver);

/* ---- elementwise_operation.c: element-wise operations ---- */
/* Classifies an object, which the operand borrows. Returns 1, 0 if it cannot
 * be an operand, or -1 with an exception. */
int operand_set(struct operand *operand, PyObject *object);
/* Converts a scalar to the dtype `loop`, in which the operation computes, and
 * stores its bytes in operand->value. */
int operand_convert(struct operand *operand, PyArray_Descr *loop);
/* Applies an operation to the first `inputs` entries of `objects`, in
 * `stream`. Writes to `out`, or to a new array of `dtype` if `out` is NULL. If
 * `dtype` is NULL too, the type rule determines the type. Returns the output
 * or Py_NotImplemented. */
PyObject *array_apply(int operation, int inputs, PyObject *const *objects,
                      struct array *out, PyArray_Descr *dtype,
                      CUstream stream);
/* Returns whether kernels cannot load the elements directly, because the
 * addresses are not multiples of the dtype's alignment. Never fails. */
int array_misaligned(const struct array *array);
/* Implements _apply of pycuda._driver, which calls array_apply. */
PyObject *array_apply_python(PyObject *module, PyObject *args,
                             PyObject *kwargs);

/* ---- copy.c ---- */
/* Performs target[...] = source in `stream`, with broadcasting and casting. */
int array_copy_into(struct array *target, struct array *source,
                    CUstream stream);
/* Performs target[...] = source for equivalent dtypes. Both arrays have
 * elements, and the source broadcasts to the target. */
int array_copy_same(struct array *target, struct array *source,
                    CUstream stream);
/* Returns a contiguous copy in order 'C', 'F' or 'K'. */
struct array *array_contiguous(struct array *array, char order,
                               CUstream stream);

/* ---- operators.c: operator slots of array_type ---- */
extern PyType_Slot array_number_slots[];
/* Implements the comparison operators: `operation` is Py_LT to Py_GE. */
PyObject *array_richcompare(PyObject *a, PyObject *b, int operation);

/* ---- transfer.c ---- */
extern PyMethodDef array_transfer_methods[];
/* Returns the truth of an array of one element, or -1 with an exception. */
int array_bool(PyObject *self);
/* Performs target[...] = value for a scalar, sequence, NumPy array or
 * GPUArray. */
int array_assign(struct array *target, PyObject *value);
/* Sets all elements to a value, in `stream` (fill.c). */
int array_fill_with(struct array *array, PyObject *value, CUstream stream);

/* ---- reduce.c ---- */
/* Returns whether array_reduce_all supports the array. It does not support
 * float16 and bfloat16, whose reductions Python accumulates in float32. Never
 * fails. */
bool array_reduces_all(const struct array *array);
/* Reduces nonempty arrays of one shape to one element. Returns it as an array
 * without axes. Runs on the default stream. */
PyObject *array_reduce_all(int operation, int inputs,
                           PyObject *const *objects);
/* Implements _reduce of pycuda._driver. */
PyObject *array_reduce_python(PyObject *module, PyObject *args,
                              PyObject *kwargs);

/* ---- dlpack.c: functions of pycuda._driver, see setup.c ---- */
PyObject *dlpack_give(PyObject *module, PyObject *args);
PyObject *dlpack_take(PyObject *module, PyObject *capsule);

/* ---- plan_cache.c: launch plans ---- */
/* Implements _plan_set of pycuda._driver: adds a plan to the cache. */
PyObject *plan_set(PyObject *module, PyObject *args);
/* Finds the launch plan for a function name (interned), arrays with these
 * properties and an axis (or None), and executes it. Returns NULL without an
 * exception if there is no such plan. */
PyObject *plan_replay(PyObject *name, PyObject *const *objects,
                      Py_ssize_t count, PyObject *axis);

/* ---- create.c, join.c, gather.c: fast paths for fast_call.c ----
 *
 * `args` has the positional arguments of the Python function. The last
 * parameter is the value of the keyword `dtype` (create.c) or `axis`, or NULL
 * if it was not passed. The functions return NULL without an exception for
 * arguments that they do not handle. */
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

/* ---- gather.c ---- */
/* Fast path of a[indices]. Returns the new array, or NULL without an exception
 * if it does not handle the operands. */
PyObject *gather_index(PyObject *self, PyObject *key);
/* Fast path of a[indices] = value. Returns 1 on success, 0 if it does not
 * handle the operands, or -1 with an exception. */
int gather_put(PyObject *self, PyObject *key, PyObject *value);

/* ---- index_copy.c: _take_indexed and _put_indexed of pycuda._driver ---- */
PyObject *index_copy_gather(PyObject *module, PyObject *args);
PyObject *index_copy_scatter(PyObject *module, PyObject *args);

/* ---- Types of pycuda._driver ----
 *
 * Called once per process, by array_setup. */
int array_kernels_setup(PyObject *module);
int array_fast_ufunc_setup(PyObject *module);
int array_planned_setup(PyObject *module);
int array_fast_call_setup(PyObject *module);
int array_elementwise_setup(PyObject *module);

#endif
