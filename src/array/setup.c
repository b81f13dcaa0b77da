/* setup.c - adds the types and functions of src/array to pycuda._driver.
 *
 * The module's exec slot calls array_setup once.
 *
 * SPDX-License-Identifier: MIT */
#define ARRAY_IMPORTS_NUMPY
#include "array/advanced_indexing.h"
#include "array/array_type.h"
#include "array/attribute_setters.h"
#include "array/attributes.h"
#include "array/dlpack.h"
#include "array/elementwise_operation.h"
#include "array/fault.h"
#include "array/index_copy.h"
#include "array/operation_table.h"
#include "array/plan_cache.h"
#include "array/reduce.h"
#include "array/setups.h"
#include "core/core.h"

#define KEYWORDS(function)                                                    \
    (PyCFunction)(void (*)(void)) function, METH_VARARGS | METH_KEYWORDS

static PyMethodDef functions[] = {
    {"_apply", KEYWORDS(array_apply_python),
     "_apply(name, inputs, out=None, dtype=None, stream=None)\n--\n\n"
     "An element-wise operation on up to three arrays and scalars."},
    {"_reduce", KEYWORDS(array_reduce_python),
     "_reduce(name, inputs, dtype=None, stream=None, allocator=None, "
     "neutral=None)\n--\n\n"
     "A reduction of whole arrays to a 0-d array."},
    {"_plan_set", plan_set, METH_VARARGS,
     "_plan_set(name, inputs, axis, result, temps, launches)\n--\n\n"
     "Remembers the launches (function, block, grid, shared bytes, arguments) "
     "of a call; arguments are bytes or numbers: first those of the inputs' "
     "addresses, then the result's, then of memory of so many bytes."},
    {"_set_array_class", array_set_class, METH_O,
     "_set_array_class(cls, /)\n--\n\n"
     "GPUArray, which adds to ArrayBase nothing but methods."},
    {"_set_type_resolver", operation_set_resolver, METH_O,
     "_set_type_resolver(callable, /)\n--\n\n"
     "callable(name, types) -> (loop types, result type)."},
    {"_set_indexer", advanced_set_indexer, METH_VARARGS,
     "_set_indexer(get, set, /)\n--\n\n"
     "What indices that are arrays go to: get(array, key), set(array, key, "
     "value)."},
    {"_address_bits", advanced_address_bits, METH_O,
     "_address_bits(array, /)\n--\n\nThe last eight bits of its address."},
    {"_is_misaligned", advanced_is_misaligned, METH_O,
     "_is_misaligned(array, /)\n--\n\n"
     "Whether elements lie where kernels cannot load them as one."},
    {"_are_alike", advanced_are_alike, METH_VARARGS,
     "_are_alike(a, b, /)\n--\n\n"
     "Whether they are GPUArrays of one shape and dtype, packed in C order, "
     "with elements that kernels can load."},
    {"_identity", advanced_identity, METH_O,
     "_identity(array, /)\n--\n\n(address, shape, strides, dtype), to "
     "compare."},
    {"_distance", advanced_distance, METH_VARARGS,
     "_distance(a, b, /)\n--\n\nBytes from the first element of a to that of "
     "b."},
    {"_dlpack_export", dlpack_export, METH_VARARGS,
     "_dlpack_export(array, device_type, device, stream, versioned, /)\n--\n\n"
     "A DLPack capsule; ready for what the stream (a handle) does next."},
    {"_dlpack_import", dlpack_import, METH_O,
     "_dlpack_import(capsule, /)\n--\n\n"
     "(address, shape, strides in bytes, dtype, (device type, device), "
     "whether it is read-only, holder)."},
    {"_register_faults", fault_register, METH_VARARGS,
     "_register_faults(address, device, owner, /)\n--\n\n"
     "Where kernels of the current context note indices out of range, and "
     "what keeps that memory."},
    {"_registered_faults", fault_registered, METH_NOARGS,
     "_registered_faults()\n--\n\n"
     "The owner of the current context's words, or None."},
    {"_take_indexed", index_copy_gather, METH_VARARGS,
     "_take_indexed(row, indices, axis, result, stream=None, /)\n--\n\n"
     "result = row[indices], all packed; `axis` is what a fault names.  False "
     "where the context has no words for faults yet."},
    {"_put_indexed", index_copy_scatter, METH_VARARGS,
     "_put_indexed(row, indices, axis, values, stream=None, /)\n--\n\n"
     "row[indices] = values, in the same way."},
    {"_check_faults", fault_check_python, METH_NOARGS,
     "_check_faults()\n--\n\n"
     "IndexError if a kernel met an index out of range."},
    {NULL},
};

static int
import_numpy(void)
{
    return _import_array();
}

int
array_setup(PyObject *module)
{
    if (import_numpy() < 0 || array_flags_setup(module) < 0 ||
        array_type_setup(module) < 0 || array_assign_setup(module) < 0 ||
        array_kernels_setup(module) < 0 ||
        array_fast_ufunc_setup(module) < 0 ||
        array_planned_setup(module) < 0 || array_fast_call_setup(module) < 0 ||
        array_elementwise_setup(module) < 0) {
        return -1;
    }
    return PyModule_AddFunctions(module, functions);
}
