/* texture_object.c - TextureObject and SurfaceObject, which kernels take as
 * cudaTextureObject_t and cudaSurfaceObject_t.
 *
 * Both are immutable and have a reference to the memory that kernels read or
 * write through them. Freeing an object that was passed to a kernel waits for
 * the context, since the driver does not wait for the kernel. While a stream
 * of the context captures, the native object is passed to the graph and
 * destroyed with it. All functions need the GIL; the wait releases it.
 *
 * SPDX-License-Identifier: MIT */
#include "core/context/context.h"
#include "core/context/scope.h"
#include "core/context/stack.h"
#include "core/core.h"
#include "core/memory/allocation.h"
#include "core/memory/free_site.h"
#include "core/python/args.h"
#include "core/python/gil.h"
#include "core/python/object.h"
#include "core/python/object_head.h"
#include "core/state.h"
#include "core/stream/open_captures.h"
#include "core/texture/cuda_array.h"
#include "core/texture/mipmap.h"
#include "core/texture/texture_object.h"

#include <math.h>

/* upper limit of the mipmap level in a texture fetch; larger than any real
 * level, so fetches are not limited */
#define MAX_LEVEL 1000.0f

/* A TextureObject or SurfaceObject; immutable until it is freed. */
struct object {
    CORE_HEAD
    unsigned long long handle; /* native handle; 0 after free() */
    /* strong: the Array, allocation or GPUArray that kernels access */
    PyObject *resource;
    bool surface;
    bool used; /* true: was passed to a kernel, which may still read it */
};

/* Native handle of an object that was freed during a capture. The graphs that
 * are being captured own it. */
struct orphan {
    struct core_context *context; /* strong reference */
    unsigned long long handle;
    bool surface;
};

/* Destroys the native texture or surface object in its context without the
 * GIL. If `wait` is set, waits for the context first. Does nothing if the
 * context is gone. */
static CUresult
handle_destroy(struct core_context *context, unsigned long long handle,
               bool surface, bool wait)
{
    struct core_scope scope;
    if (!core_enter(context, &scope)) {
        return CUDA_SUCCESS;
    }
    CUresult code = CUDA_SUCCESS;
    PyThreadState *thread = core_gil_release();
    if (wait) {
        driver.cuCtxSynchronize();
    }
    code = surface ? driver.cuSurfObjectDestroy(handle)
                   : driver.cuTexObjectDestroy(handle);
    core_gil_acquire(thread);
    core_leave(&scope);
    return code;
}

/* Destructor of the capsule that a graph holds: destroys the native handle in
 * it. */
static void
orphan_destroy(PyObject *capsule)
{
    struct orphan *orphan = PyCapsule_GetPointer(capsule, NULL);
    handle_destroy(orphan->context, orphan->handle, orphan->surface,
                   orphan->context->captures == 0);
    Py_DECREF((PyObject *)orphan->context);
    PyMem_Free(orphan);
}

/* Passes the native handle to the graphs of all captures in progress, so that
 * the end of the last graph destroys it. */
static CUresult
handle_defer_destroy(struct object *self, unsigned long long handle)
{
    struct orphan *orphan = PyMem_Malloc(sizeof *orphan);
    if (orphan == NULL) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *orphan = (struct orphan){
        .context = (struct core_context *)Py_NewRef((PyObject *)self->context),
        .handle = handle,
        .surface = self->surface,
    };
    PyObject *capsule = PyCapsule_New(orphan, NULL, orphan_destroy);
    if (capsule == NULL || core_capture_retain(self->context, capsule) < 0) {
        PyErr_Clear();
    }
    Py_XDECREF(capsule);
    return CUDA_SUCCESS;
}

/* Destroys the native handle at the first call, or passes it to the graphs of
 * captures in progress. */
static CUresult
object_release(struct object *self)
{
    CUresult code = CUDA_SUCCESS;
    unsigned long long handle = self->handle;
    /* cleared before the GIL is released, since another thread may then call
     * this function */
    self->handle = 0;
    if (handle != 0 && self->used && self->context->captures != 0) {
        code = handle_defer_destroy(self, handle);
    } else if (handle != 0) {
        code =
            handle_destroy(self->context, handle, self->surface, self->used);
    }
    Py_CLEAR(self->resource);
    return code;
}

static void
object_dealloc(PyObject *op)
{
    core_object_begin_dealloc(op);
    object_release((struct object *)op);
    core_object_end_dealloc(op);
}

static int
object_traverse(PyObject *op, visitproc visit, void *arg)
{
    Py_VISIT(((struct object *)op)->resource);
    return core_object_traverse(op, visit, arg);
}

/* Returns a Python object that owns the native handle. If that fails, destroys
 * the handle. */
static PyObject *
object_wrap(PyTypeObject *type, unsigned long long handle, PyObject *resource)
{
    struct core_context *context = core_current();
    if (context == NULL) {
        return NULL;
    }
    struct object *self = (struct object *)core_object_new(type, context);
    if (self == NULL) {
        handle_destroy(context, handle, type == core.surfobj_type, false);
        return NULL;
    }
    self->handle = handle;
    self->surface = type == core.surfobj_type;
    self->resource = Py_NewRef(resource);
    return (PyObject *)self;
}

/* ---- arguments that describe the memory ---- */

/* Returns the array_format (element type) that matches an object's `dtype`.
 * Returns -1 without an exception if the dtype is missing or has no such
 * format; -1 with an exception if the object's code raised one or memory was
 * short. */
static int
format_of_dtype(PyObject *object)
{
    static const struct {
        const char *name;
        CUarray_format format;
    } rows[] = {
        {"uint8", CU_AD_FORMAT_UNSIGNED_INT8},
        {"uint16", CU_AD_FORMAT_UNSIGNED_INT16},
        {"uint32", CU_AD_FORMAT_UNSIGNED_INT32},
        {"int8", CU_AD_FORMAT_SIGNED_INT8},
        {"int16", CU_AD_FORMAT_SIGNED_INT16},
        {"int32", CU_AD_FORMAT_SIGNED_INT32},
        {"float16", CU_AD_FORMAT_HALF},
        {"float32", CU_AD_FORMAT_FLOAT},
    };
    PyObject *dtype = PyObject_GetAttrString(object, "dtype");
    PyObject *text = dtype == NULL ? NULL : PyObject_Str(dtype);
    const char *name = text == NULL ? NULL : PyUnicode_AsUTF8(text);
    int format = -1;
    for (size_t i = 0; name != NULL && i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(rows[i].name, name) == 0) {
            format = rows[i].format;
        }
    }
    Py_XDECREF(text);
    Py_XDECREF(dtype);
    if (PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_AttributeError)) {
        PyErr_Clear();
    }
    return format;
}

/* Arguments of TextureObject's constructor: borrowed references, or NULL if
 * not given. */
struct constructor_arguments {
    PyObject *resource, *format, *channels, *bytes, *descr, *pitch;
    PyObject *address, *filter, *border;
    /* options for mipmap levels */
    PyObject *level_filter, *bias, *least, *most;
    /* 0 or 1: normalized_coordinates, normalized_float, srgb */
    int coordinates, floats, srgb;
};

/* Raises TypeError if an argument for linear memory is given with an Array. */
static int
not_linear(const struct constructor_arguments *given)
{
    if (given->format != NULL || given->bytes != NULL ||
        given->descr != NULL || given->pitch != NULL) {
        PyErr_SetString(PyExc_TypeError,
                        "TextureObject: an Array has its own format and "
                        "size; format, bytes, descr and pitch are for "
                        "linear memory");
        return -1;
    }
    return 0;
}

/* Reads the element format of an Array from the driver. */
static int
format_query(CUarray array, CUarray_format *format)
{
    CUDA_ARRAY3D_DESCRIPTOR descriptor;
    if (core_check(driver.cuArray3DGetDescriptor(&descriptor, array),
                   "cuArray3DGetDescriptor") < 0) {
        return -1;
    }
    *format = descriptor.Format;
    return 0;
}

/* Fills `where` (the driver's resource descriptor) for a MipmappedArray.
 * Raises ValueError unless coordinates are normalized. */
static int
mipmap_read(const struct constructor_arguments *given,
            CUDA_RESOURCE_DESC *where, CUarray_format *format)
{
    CUmipmappedArray *handle = &where->res.mipmap.hMipmappedArray;
    CUarray first;
    if (!given->coordinates) {
        PyErr_SetString(PyExc_ValueError,
                        "TextureObject: a MipmappedArray needs "
                        "normalized_coordinates=True, since its levels "
                        "differ in size");
        return -1;
    }
    where->resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
    return not_linear(given) < 0 ||
                   core_mipmap_handle(given->resource, handle) < 0 ||
                   core_check(
                       driver.cuMipmappedArrayGetLevel(&first, *handle, 0),
                       "cuMipmappedArrayGetLevel") < 0
               ? -1
               : format_query(first, format);
}

/* Fills `where` (the driver's resource descriptor) for an Array, whose format
 * and size are fixed. */
static int
array_read(const struct constructor_arguments *given,
           CUDA_RESOURCE_DESC *where, CUarray_format *format)
{
    where->resType = CU_RESOURCE_TYPE_ARRAY;
    return not_linear(given) < 0 ||
                   core_array_handle(given->resource,
                                     &where->res.array.hArray) < 0
               ? -1
               : format_query(where->res.array.hArray, format);
}

/* Fills `where` (the driver's resource descriptor) for pitched linear memory,
 * from an ArrayDescriptor and a pitch in bytes. */
static int
pitched_read(const struct constructor_arguments *given,
             CUDA_RESOURCE_DESC *where, CUarray_format *format)
{
    CUDA_ARRAY_DESCRIPTOR descriptor;
    size_t pitch;
    if (given->pitch == NULL || given->format != NULL ||
        given->bytes != NULL) {
        PyErr_SetString(PyExc_TypeError,
                        "TextureObject: descr requires pitch, and excludes "
                        "format and bytes");
        return -1;
    }
    where->resType = CU_RESOURCE_TYPE_PITCH2D;
    if (core_pointer(given->resource, &where->res.pitch2D.devPtr) < 0 ||
        core_descriptor_read(given->descr, &descriptor) < 0 ||
        core_size(given->pitch, &pitch) < 0) {
        return -1;
    }
    where->res.pitch2D.format = *format = descriptor.Format;
    where->res.pitch2D.numChannels = descriptor.NumChannels;
    where->res.pitch2D.width = descriptor.Width;
    where->res.pitch2D.height = descriptor.Height;
    where->res.pitch2D.pitchInBytes = pitch;
    return 0;
}

/* Reads the size of linear memory in bytes: from the argument `bytes`, or from
 * the attribute nbytes of the resource. */
static int
linear_bytes(const struct constructor_arguments *given, size_t *bytes)
{
    if (given->bytes != NULL) {
        return core_size(given->bytes, bytes);
    }
    PyObject *count = PyObject_GetAttrString(given->resource, "nbytes");
    if (count == NULL) {
        PyErr_SetString(PyExc_TypeError,
                        "TextureObject: linear memory requires bytes");
        return -1;
    }
    int status = core_size(count, bytes);
    Py_DECREF(count);
    return status;
}

/* Fills `where` (the driver's resource descriptor) for linear memory of one
 * dimension. The format is the argument, or that of the resource's dtype. */
static int
linear_read(const struct constructor_arguments *given,
            CUDA_RESOURCE_DESC *where, CUarray_format *format)
{
    unsigned number = 0;
    int known = format_of_dtype(given->resource);
    if (known < 0 && PyErr_Occurred()) {
        return -1;
    }
    if (given->format == NULL && known < 0) {
        PyErr_SetString(PyExc_TypeError,
                        "TextureObject: linear memory requires format, an "
                        "array_format, unless it is an array of 8-, 16- or "
                        "32-bit numbers");
        return -1;
    }
    if (given->format != NULL && core_unsigned(given->format, &number) < 0) {
        return -1;
    }
    *format =
        (CUarray_format)(given->format == NULL ? (unsigned)known : number);
    where->resType = CU_RESOURCE_TYPE_LINEAR;
    where->res.linear.format = *format;
    where->res.linear.numChannels = 1;
    if (core_pointer(given->resource, &where->res.linear.devPtr) < 0 ||
        linear_bytes(given, &where->res.linear.sizeInBytes) < 0) {
        return -1;
    }
    return given->channels == NULL
               ? 0
               : core_unsigned(given->channels,
                               &where->res.linear.numChannels);
}

/* Fills `where` (the driver's resource descriptor), by the type of the
 * resource and whether the argument `descr` is given. */
static int
resource_read(const struct constructor_arguments *given,
              CUDA_RESOURCE_DESC *where, CUarray_format *format)
{
    if (Py_IS_TYPE(given->resource, core.cuarray_type)) {
        return array_read(given, where, format);
    }
    if (Py_IS_TYPE(given->resource, core.mipmap_type)) {
        return mipmap_read(given, where, format);
    }
    return given->descr != NULL ? pitched_read(given, where, format)
                                : linear_read(given, where, format);
}

/* ---- arguments for sampling ---- */

int
core_border_color(PyObject *object, float color[4])
{
    PyObject *items = PySequence_Tuple(object);
    if (items == NULL) {
        return -1;
    }
    int status = PyTuple_GET_SIZE(items) == 4 ? 0 : -1;
    if (status < 0) {
        PyErr_Format(PyExc_ValueError,
                     "border_color must be four numbers, not %zd",
                     PyTuple_GET_SIZE(items));
    }
    for (Py_ssize_t i = 0; status == 0 && i < 4; i++) {
        color[i] = (float)PyFloat_AsDouble(PyTuple_GET_ITEM(items, i));
        status = PyErr_Occurred() ? -1 : 0;
    }
    Py_DECREF(items);
    return status;
}

static int
address_mode_read(PyObject *object, CUaddress_mode *mode)
{
    unsigned number;
    if (core_unsigned(object, &number) < 0) {
        return -1;
    }
    if (number > CU_TR_ADDRESS_MODE_BORDER) {
        PyErr_SetString(PyExc_ValueError,
                        "address_mode must be an address_mode, or one for "
                        "each of up to 3 dimensions");
        return -1;
    }
    *mode = (CUaddress_mode)number;
    return 0;
}

/* Reads the argument for the address modes of the three axes: one mode, or a
 * sequence of up to three. */
static int
address_modes_read(PyObject *object, CUaddress_mode modes[3])
{
    if (!PyTuple_Check(object) && !PyList_Check(object)) {
        if (address_mode_read(object, &modes[0]) < 0) {
            return -1;
        }
        modes[1] = modes[2] = modes[0];
        return 0;
    }
    Py_ssize_t count = PySequence_Size(object);
    if (count < 1 || count > 3) {
        PyErr_SetString(PyExc_ValueError,
                        "address_mode must have one to three modes");
        return -1;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *item = PySequence_GetItem(object, i);
        int status = item == NULL ? -1 : address_mode_read(item, &modes[i]);
        Py_XDECREF(item);
        if (status < 0) {
            return -1;
        }
    }
    return 0;
}

/* Sets `integers` to whether texture fetches return integers instead of
 * floats. Raises ValueError if a conversion to float is not possible. */
static int
read_mode_read(const struct constructor_arguments *given,
               CUarray_format format, bool *integers)
{
    bool floats = format == CU_AD_FORMAT_FLOAT || format == CU_AD_FORMAT_HALF;
    bool wide = format == CU_AD_FORMAT_UNSIGNED_INT32 ||
                format == CU_AD_FORMAT_SIGNED_INT32;
    *integers = !floats && !given->floats;
    if (wide && given->floats) {
        PyErr_SetString(PyExc_ValueError,
                        "normalized_float requires 8- or 16-bit integers");
        return -1;
    }
    return 0;
}

/* Reads the sampling options into `how`, except those for mipmap levels.
 * Raises ValueError if linear filtering is set and fetches return integers. */
static int
sampling_read(const struct constructor_arguments *given, CUarray_format format,
              CUDA_TEXTURE_DESC *how)
{
    unsigned filter = CU_TR_FILTER_MODE_POINT;
    bool integers;
    for (int i = 0; i < 3; i++) {
        how->addressMode[i] = CU_TR_ADDRESS_MODE_CLAMP;
    }
    if ((given->address != NULL &&
         address_modes_read(given->address, how->addressMode) < 0) ||
        (given->filter != NULL && core_unsigned(given->filter, &filter) < 0) ||
        (given->border != NULL && given->border != Py_None &&
         core_border_color(given->border, how->borderColor) < 0) ||
        read_mode_read(given, format, &integers) < 0) {
        return -1;
    }
    if (filter > CU_TR_FILTER_MODE_LINEAR ||
        (filter == CU_TR_FILTER_MODE_LINEAR && integers)) {
        PyErr_SetString(PyExc_ValueError,
                        filter > CU_TR_FILTER_MODE_LINEAR
                            ? "filter_mode must be a filter_mode"
                            : "filter_mode.LINEAR interpolates floats: "
                              "integers need normalized_float=True");
        return -1;
    }
    how->filterMode = (CUfilter_mode)filter;
    how->flags = (integers ? CU_TRSF_READ_AS_INTEGER : 0) |
                 (given->coordinates ? CU_TRSF_NORMALIZED_COORDINATES : 0) |
                 (given->srgb ? CU_TRSF_SRGB : 0);
    return 0;
}

/* Reads a float argument. Raises ValueError for nan. */
static int
float_read(PyObject *object, const char *name, float *value)
{
    double wide = PyFloat_AsDouble(object);
    if (wide == -1 && PyErr_Occurred()) {
        return -1;
    }
    if (isnan(wide)) {
        PyErr_Format(PyExc_ValueError, "%s must be a number, not nan", name);
        return -1;
    }
    *value = (float)wide;
    return 0;
}

/* Reads the options for mipmap levels: the bias, the range of levels, and
 * whether two levels are interpolated. */
static int
levels_read(const struct constructor_arguments *given, CUDA_TEXTURE_DESC *how)
{
    const struct {
        PyObject *object;
        const char *name;
        float *value;
    } rows[] = {
        {given->bias, "mipmap_level_bias", &how->mipmapLevelBias},
        {given->least, "min_mipmap_level_clamp", &how->minMipmapLevelClamp},
        {given->most, "max_mipmap_level_clamp", &how->maxMipmapLevelClamp},
    };
    unsigned filter = CU_TR_FILTER_MODE_POINT;
    bool mipmapped = Py_IS_TYPE(given->resource, core.mipmap_type);
    if (mipmapped) {
        how->maxMipmapLevelClamp = MAX_LEVEL;
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].object == NULL || rows[i].object == Py_None) {
            continue;
        }
        if (!mipmapped) {
            PyErr_Format(PyExc_TypeError,
                         "%s is only valid for a MipmappedArray",
                         rows[i].name);
            return -1;
        }
        if (float_read(rows[i].object, rows[i].name, rows[i].value) < 0) {
            return -1;
        }
    }
    if (given->level_filter != NULL &&
        core_unsigned(given->level_filter, &filter) < 0) {
        return -1;
    }
    bool linear = filter == CU_TR_FILTER_MODE_LINEAR;
    if (filter > CU_TR_FILTER_MODE_LINEAR ||
        (linear && (how->flags & CU_TRSF_READ_AS_INTEGER))) {
        PyErr_SetString(PyExc_ValueError,
                        linear ? "mipmap_filter_mode.LINEAR interpolates "
                                 "floats: integers need "
                                 "normalized_float=True"
                               : "mipmap_filter_mode must be a filter_mode");
        return -1;
    }
    how->mipmapFilterMode = (CUfilter_mode)filter;
    return 0;
}

static PyObject *
texture_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *keywords[] = {"resource",
                               "address_mode",
                               "filter_mode",
                               "normalized_coordinates",
                               "normalized_float",
                               "srgb",
                               "border_color",
                               "format",
                               "num_channels",
                               "bytes",
                               "descr",
                               "pitch",
                               "mipmap_filter_mode",
                               "mipmap_level_bias",
                               "min_mipmap_level_clamp",
                               "max_mipmap_level_clamp",
                               NULL};
    struct constructor_arguments given = {0};
    CUDA_RESOURCE_DESC where = {0};
    CUDA_TEXTURE_DESC how = {0};
    CUarray_format format;
    unsigned long long handle;
    if (!PyArg_ParseTupleAndKeywords(
            args, kwargs, "O|$OOpppOOOOOOOOOO:TextureObject", keywords,
            &given.resource, &given.address, &given.filter, &given.coordinates,
            &given.floats, &given.srgb, &given.border, &given.format,
            &given.channels, &given.bytes, &given.descr, &given.pitch,
            &given.level_filter, &given.bias, &given.least, &given.most) ||
        core_current() == NULL || resource_read(&given, &where, &format) < 0 ||
        sampling_read(&given, format, &how) < 0 ||
        levels_read(&given, &how) < 0) {
        return NULL;
    }
    CUresult code = driver.cuTexObjectCreate(&handle, &where, &how, NULL);
    if (code == CUDA_ERROR_INVALID_VALUE &&
        where.resType != CU_RESOURCE_TYPE_ARRAY &&
        where.resType != CU_RESOURCE_TYPE_MIPMAPPED_ARRAY) {
        core_fail(code, "cuTexObjectCreate",
                  "linear memory must begin at a multiple of "
                  "device_attribute.TEXTURE_ALIGNMENT, rows at one of "
                  "TEXTURE_PITCH_ALIGNMENT, and contain all described "
                  "texels");
        return NULL;
    }
    if (core_check(code, "cuTexObjectCreate") < 0) {
        return NULL;
    }
    return object_wrap(type, handle, given.resource);
}

static PyObject *
surface_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *keywords[] = {"array", NULL};
    CUDA_RESOURCE_DESC where = {.resType = CU_RESOURCE_TYPE_ARRAY};
    PyObject *array;
    unsigned long long handle;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O:SurfaceObject", keywords,
                                     &array) ||
        core_array_handle(array, &where.res.array.hArray) < 0 ||
        core_current() == NULL) {
        return NULL;
    }
    CUresult code = driver.cuSurfObjectCreate(&handle, &where);
    if (code == CUDA_ERROR_INVALID_VALUE) {
        core_fail(code, "cuSurfObjectCreate",
                  "the array must be made with array3d_flags.SURFACE_LDST");
        return NULL;
    }
    return core_check(code, "cuSurfObjectCreate") < 0
               ? NULL
               : object_wrap(type, handle, array);
}

/* ---- use by kernels ---- */

/* Raises LogicError if the object was freed or its context was detached. */
static int
object_alive(struct object *self)
{
    if (self->handle == 0) {
        return core_free_site_fail((PyObject *)self,
                                   self->surface ? "surface_object"
                                                 : "texture_object",
                                   "this object");
    }
    return self->context->valid ? 0
                                : core_context_fail_detached("texture_object");
}

/* Returns the native handle of a TextureObject or SurfaceObject (the caller
 * has checked the type). Records that `stream` uses its memory. Raises
 * LogicError if the object or its memory was freed. */
int
core_texture_object(PyObject *op, CUstream stream, unsigned long long *handle)
{
    struct object *self = (struct object *)op;
    CUarray array;
    CUmipmappedArray chain;
    if (object_alive(self) < 0) {
        return -1;
    }
    if (Py_IS_TYPE(self->resource, core.cuarray_type) &&
        core_array_handle(self->resource, &array) < 0) {
        return -1;
    }
    if (Py_IS_TYPE(self->resource, core.mipmap_type) &&
        core_mipmap_handle(self->resource, &chain) < 0) {
        return -1;
    }
    self->used = true;
    *handle = self->handle;
    return core_use_in_kernel(core_memory_owner(self->resource), stream);
}

/* Implements int(object): returns the native handle. A program may store it in
 * a struct for a kernel, so the object is marked as used. */
static PyObject *
object_int(PyObject *op)
{
    struct object *self = (struct object *)op;
    if (object_alive(self) < 0) {
        return NULL;
    }
    self->used = true;
    return PyLong_FromUnsignedLongLong(self->handle);
}

static PyObject *
object_handle(PyObject *op, void *unused)
{
    (void)unused;
    return object_int(op);
}

static PyObject *
object_free(PyObject *op, PyObject *unused)
{
    (void)unused;
    if (((struct object *)op)->handle != 0) {
        core_free_site_record(op);
    }
    if (core_check(object_release((struct object *)op), "cuTexObjectDestroy") <
        0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *
object_resource(PyObject *op, void *unused)
{
    (void)unused;
    PyObject *resource = ((struct object *)op)->resource;
    return Py_NewRef(resource == NULL ? Py_None : resource);
}

static PyMethodDef object_methods[] = {
    {"free", object_free, METH_NOARGS,
     "Destroy the object after the kernels that use it; further calls have "
     "no effect."},
    {NULL},
};
static PyGetSetDef texture_fields[] = {
    {"handle", object_handle, NULL, "cudaTextureObject_t as an int", NULL},
    {"resource", object_resource, NULL,
     "the memory that is read; None "
     "after free()",
     NULL},
    {NULL},
};
static PyGetSetDef surface_fields[] = {
    {"handle", object_handle, NULL, "cudaSurfaceObject_t as an int", NULL},
    {"array", object_resource, NULL,
     "the array that is accessed; None "
     "after free()",
     NULL},
    {NULL},
};

#define OBJECT_SLOTS(variable, text, make, fields)                            \
    static PyType_Slot variable[] = {                                         \
        {Py_tp_doc, text},                                                    \
        {Py_tp_new, make},                                                    \
        {Py_tp_dealloc, object_dealloc},                                      \
        {Py_tp_traverse, object_traverse},                                    \
        {Py_tp_clear, core_object_clear},                                     \
        {Py_nb_int, object_int},                                              \
        {Py_nb_index, object_int},                                            \
        {Py_tp_methods, object_methods},                                      \
        {Py_tp_getset, fields},                                               \
        {Py_tp_members, core_object_members},                                 \
        {0, NULL},                                                            \
    }
OBJECT_SLOTS(texture_slots,
             "TextureObject(resource, *, address_mode=address_mode.CLAMP, "
             "filter_mode=filter_mode.POINT, normalized_coordinates=False, "
             "normalized_float=False, srgb=False, border_color=None, "
             "format=None, num_channels=1, bytes=None, descr=None, "
             "pitch=None, mipmap_filter_mode=filter_mode.POINT, "
             "mipmap_level_bias=0, min_mipmap_level_clamp=0, "
             "max_mipmap_level_clamp=None): lets kernels sample an Array, "
             "a MipmappedArray or linear memory.",
             texture_new, texture_fields);
OBJECT_SLOTS(surface_slots,
             "SurfaceObject(array): lets kernels read and write an Array.",
             surface_new, surface_fields);

static PyType_Spec texture_spec = {
    .name = "pycuda._driver.TextureObject",
    .basicsize = sizeof(struct object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .slots = texture_slots,
};
static PyType_Spec surface_spec = {
    .name = "pycuda._driver.SurfaceObject",
    .basicsize = sizeof(struct object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .slots = surface_slots,
};

int
core_texture_object_setup(PyObject *module)
{
    if (core_add_type(module, &core.texobj_type, &texture_spec, NULL) < 0) {
        return -1;
    }
    return core_add_type(module, &core.surfobj_type, &surface_spec, NULL);
}
