/* setup.c - adds the types and functions of src/array to pycuda._driver.
 *
 * The module's exec slot calls array_setup once.
 *
 * SPDX-License-Identifier: MIT */
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
#include "core/python/locked_calls.h"

#define KEYWORDS(function)                                                    \
    (PyCFunction)(void (*)(void)) function, METH_VARARGS | METH_KEYWORDS

static PyMethodDef functions[] = {
    {"_apply", KEYWORDS(array_apply_python),
     "_apply(name, inputs, out=None, dtype=None, stream=None)\n--\n\n"
     "Compute an element-wise operation on up to three arrays and scalars."},
    {"_reduce", KEYWORDS(array_reduce_python),
     "_reduce(name, inputs, dtype=None, stream=None, allocator=None, "
     "neutral=None)\n--\n\n"
     "Reduce whole arrays to a 0-d array."},
    {"_plan_set", plan_set, METH_VARARGS,
     "_plan_set(name, inputs, axis, result, temps, launches)\n--\n\n"
     "Store the launch plan of a call: tuples (function, block, grid, "
     "shared bytes, arguments). An argument is bytes, or the number of an "
     "address: first those of the inputs, then that of the result, then "
     "those of temporaries with the sizes `temps`."},
    {"_set_array_class", array_set_class, METH_O,
     "_set_array_class(cls, /)\n--\n\n"
     "Set the class GPUArray, which adds only methods to ArrayBase."},
    {"_set_type_resolver", operation_set_resolver, METH_O,
     "_set_type_resolver(callable, /)\n--\n\n"
     "Set the callable(name, types) -> (loop types, result type)."},
    {"_set_indexer", advanced_set_indexer, METH_VARARGS,
     "_set_indexer(get, set, /)\n--\n\n"
     "Set the functions for indices that are arrays: get(array, key) and "
     "set(array, key, value)."},
    {"_address_bits", advanced_address_bits, METH_O,
     "_address_bits(array, /)\n--\n\n"
     "Return the lowest eight bits of the array's address."},
    {"_is_misaligned", advanced_is_misaligned, METH_O,
     "_is_misaligned(array, /)\n--\n\n"
     "Return whether an element's address is not a multiple of its "
     "alignment, so that kernels cannot load it as a whole."},
    {"_are_alike", advanced_are_alike, METH_VARARGS,
     "_are_alike(a, b, /)\n--\n\n"
     "Return whether both are GPUArrays of the same shape and dtype, "
     "C-contiguous and aligned."},
    {"_identity", advanced_identity, METH_O,
     "_identity(array, /)\n--\n\n"
     "Return (address, shape, strides, dtype) for comparisons."},
    {"_distance", advanced_distance, METH_VARARGS,
     "_distance(a, b, /)\n--\n\n"
     "Return the distance in bytes from the first element of a to that of "
     "b."},
    {"_dlpack_export", dlpack_export, METH_VARARGS,
     "_dlpack_export(array, device_type, device, stream, versioned, "
     "/)\n--\n\n"
     "Return a DLPack capsule. Later work on the stream (a handle) waits "
     "for pending work on the array."},
    {"_dlpack_import", dlpack_import, METH_O,
     "_dlpack_import(capsule, /)\n--\n\n"
     "Return (address, shape, strides in bytes, dtype, (device type, "
     "device), whether it is read-only, owner of the memory)."},
    {"_register_faults", fault_register, METH_VARARGS,
     "_register_faults(address, device, owner, /)\n--\n\n"
     "Set the address at which kernels of the current context record "
     "indices out of range, and the owner of that memory."},
    {"_registered_faults", fault_registered, METH_NOARGS,
     "_registered_faults()\n--\n\n"
     "Return the owner of the memory in which the current context's "
     "kernels record indices out of range, or None."},
    {"_take_indexed", index_copy_gather, METH_VARARGS,
     "_take_indexed(row, indices, axis, result, stream=None, /)\n--\n\n"
     "Compute result = row[indices], all contiguous; errors name `axis`. "
     "Return False if _register_faults was not called in this context."},
    {"_put_indexed", index_copy_scatter, METH_VARARGS,
     "_put_indexed(row, indices, axis, values, stream=None, /)\n--\n\n"
     "Compute row[indices] = values, in the same way as _take_indexed."},
    {"_check_faults", fault_check_python, METH_NOARGS,
     "_check_faults()\n--\n\n"
     "Raise IndexError if a kernel has recorded an index out of range."},
    {NULL},
};

int
array_setup(PyObject *module)
{
    if (operation_setup() < 0 || array_flags_setup(module) < 0 ||
        array_type_setup(module) < 0 || array_assign_setup(module) < 0 ||
        array_kernels_setup(module) < 0 ||
        array_fast_ufunc_setup(module) < 0 ||
        array_planned_setup(module) < 0 || array_fast_call_setup(module) < 0 ||
        array_collective_setup(module) < 0 ||
        array_elementwise_setup(module) < 0) {
        return -1;
    }
    return core_add_functions(module, functions);
}
