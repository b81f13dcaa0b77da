/* mipmap_type.c - class MipmappedArray: a chain of Arrays (levels). Each level
 * has half the width and height of the previous one.
 *
 * A level is an Array with a reference to its MipmappedArray. free() of the
 * MipmappedArray invalidates all levels. All functions need the GIL.
 *
 * SPDX-License-Identifier: MIT */
#include "core/context/context.h"
#include "core/context/scope.h"
#include "core/context/stack.h"
#include "core/core.h"
#include "core/memory/default_pool.h"
#include "core/memory/free_site.h"
#include "core/python/args.h"
#include "core/python/gil.h"
#include "core/python/object.h"
#include "core/state.h"
#include "core/texture/cuda_array.h"
#include "core/texture/mipmap.h"

/* Returns the number of levels that the driver creates if a program asks for
 * `wanted` levels. */
static unsigned
level_count(const CUDA_ARRAY3D_DESCRIPTOR *descriptor, unsigned wanted)
{
    bool layered = (descriptor->Flags &
                    (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP)) != 0;
    size_t side = descriptor->Width;
    unsigned most = 1;
    side = descriptor->Height > side ? descriptor->Height : side;
    side = !layered && descriptor->Depth > side ? descriptor->Depth : side;
    for (; side > 1; side >>= 1) {
        most++;
    }
    return wanted < 1 ? 1 : wanted > most ? most : wanted;
}

/* Creates a MipmappedArray in the current context. If memory is short, frees
 * idle device memory and retries. */
static PyObject *
mipmap_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *keywords[] = {"", "levels", NULL};
    PyObject *object, *levels = NULL;
    CUDA_ARRAY3D_DESCRIPTOR descriptor;
    unsigned wanted = UINT32_MAX;
    CUmipmappedArray handle;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|O:MipmappedArray",
                                     keywords, &object, &levels) ||
        core_descriptor3d_read(object, &descriptor) < 0 ||
        (levels != NULL && levels != Py_None &&
         core_unsigned(levels, &wanted) < 0)) {
        return NULL;
    }
    struct core_context *context = core_current();
    if (context == NULL) {
        return NULL;
    }
    if (wanted == 0) {
        PyErr_SetString(PyExc_ValueError,
                        "MipmappedArray: levels must be 1 or more");
        return NULL;
    }
    unsigned count = level_count(&descriptor, wanted);
    struct core_mipmap *self = NULL;
    bool tried = false;
    CUresult code;
    /* a destructor may pop the context from the stack and free it */
    Py_INCREF((PyObject *)context);
    do {
        code = driver.cuMipmappedArrayCreate(&handle, &descriptor, count);
    } while (core_reclaim_memory(code, &tried));
    if (core_check(code, "cuMipmappedArrayCreate") == 0) {
        self = (struct core_mipmap *)core_object_new(type, context);
        if (self == NULL) {
            driver.cuMipmappedArrayDestroy(handle);
        } else {
            self->handle = handle;
            self->count = count;
        }
    }
    Py_DECREF((PyObject *)context);
    return (PyObject *)self;
}

/* Destroys the native object at the first call, without the GIL. Later calls
 * do nothing. */
static CUresult
mipmap_release(struct core_mipmap *self)
{
    struct core_scope scope;
    CUresult code = CUDA_SUCCESS;
    CUmipmappedArray handle = self->handle;
    self->handle = NULL;
    if (handle != NULL && core_enter(self->context, &scope)) {
        PyThreadState *thread = core_gil_release();
        code = driver.cuMipmappedArrayDestroy(handle);
        core_gil_acquire(thread);
        core_leave(&scope);
    }
    return code;
}

static void
mipmap_dealloc(PyObject *op)
{
    core_object_begin_dealloc(op);
    mipmap_release((struct core_mipmap *)op);
    core_object_end_dealloc(op);
}

static PyObject *
mipmap_free(PyObject *op, PyObject *unused)
{
    (void)unused;
    if (((struct core_mipmap *)op)->handle != NULL) {
        core_free_site_record(op);
    }
    if (core_check(mipmap_release((struct core_mipmap *)op),
                   "cuMipmappedArrayDestroy") < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

/* Returns a level as an Array, which keeps a reference to this
 * MipmappedArray. */
static PyObject *
mipmap_get_level(PyObject *op, PyObject *which)
{
    struct core_mipmap *self = (struct core_mipmap *)op;
    CUmipmappedArray handle;
    CUarray array;
    int level;
    if (core_int(which, &level) < 0 || core_mipmap_handle(op, &handle) < 0 ||
        core_current() == NULL) {
        return NULL;
    }
    if (level < 0 || (unsigned)level >= self->count) {
        PyErr_Format(PyExc_IndexError,
                     "level %d of a mipmapped array with levels 0 to %u",
                     level, self->count - 1);
        return NULL;
    }
    return core_check(driver.cuMipmappedArrayGetLevel(&array, handle,
                                                      (unsigned)level),
                      "cuMipmappedArrayGetLevel") < 0
               ? NULL
               : core_array_wrap(array, self->context, op);
}

static PyObject *
mipmap_levels(PyObject *op, void *unused)
{
    (void)unused;
    return PyLong_FromUnsignedLong(((struct core_mipmap *)op)->count);
}

static PyObject *
mipmap_get_handle(PyObject *op, void *unused)
{
    (void)unused;
    return PyLong_FromVoidPtr(((struct core_mipmap *)op)->handle);
}

static PyMethodDef mipmap_methods[] = {
    {"free", mipmap_free, METH_NOARGS,
     "Free the memory of all levels; further calls have no effect."},
    {"get_level", mipmap_get_level, METH_O,
     "get_level($self, level, /)\n--\n\n"
     "Return a level as an Array; 0 is the largest."},
    {NULL},
};

static PyGetSetDef mipmap_getset[] = {
    {"handle", mipmap_get_handle, NULL, "CUmipmappedArray as an int", NULL},
    {"levels", mipmap_levels, NULL, "number of levels, an int", NULL},
    {NULL},
};

static PyType_Slot mipmap_slots[] = {
    {Py_tp_doc, "MipmappedArray(descriptor, levels=None): a chain of "
                "Arrays, each half as large as the previous one, down to 1 "
                "texel or `levels` of them."},
    {Py_tp_new, mipmap_new},
    {Py_tp_dealloc, mipmap_dealloc},
    {Py_tp_traverse, core_object_traverse},
    {Py_tp_clear, core_object_clear},
    {Py_tp_methods, mipmap_methods},
    {Py_tp_getset, mipmap_getset},
    {Py_tp_members, core_object_members},
    {0, NULL},
};

static PyType_Spec mipmap_spec = {
    .name = "pycuda._driver.MipmappedArray",
    .basicsize = sizeof(struct core_mipmap),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .slots = mipmap_slots,
};

int
core_mipmap_setup(PyObject *module)
{
    return core_add_type(module, &core.mipmap_type, &mipmap_spec, NULL);
}
