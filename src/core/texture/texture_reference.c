/* texture_reference.c - classes TextureReference and SurfaceReference,
 * implemented by CUDA's texture and surface objects.
 *
 * CUDA 12 removed texture references. The header that precedes a source with
 * references (texture_reference.h) therefore declares each as a variable of 8
 * bytes, which holds the handle of a texture or surface object. The state of a
 * reference (struct core_texture) belongs to its module, so a binding (the
 * memory that the reference reads) outlives the Python object. When a binding
 * has changed, the next launch of a kernel of the module creates a new texture
 * object and writes its handle into the variable. The old object is destroyed
 * after a wait for the context. All functions need the GIL; waits release it.
 *
 * SPDX-License-Identifier: MIT */
#include "core/code/module.h"
#include "core/context/scope.h"
#include "core/context/stack.h"
#include "core/core.h"
#include "core/memory/allocation.h"
#include "core/python/args.h"
#include "core/python/enums.h"
#include "core/python/gil.h"
#include "core/python/object.h"
#include "core/python/object_head.h"
#include "core/state.h"
#include "core/texture/cuda_array.h"
#include "core/texture/texture_object.h"
#include "core/texture/texture_reference.h"

/* A Python TextureReference or SurfaceReference. It belongs to a variable of a
 * module, or to no module if a program created it. */
struct reference {
    CORE_HEAD
    /* strong reference; the module of the texture reference, or NULL if it
     * belongs to no module */
    struct core_module *module;
    /* state of the reference: that of the module's variable, or the member
     * `own` */
    struct core_texture *state;
    struct core_texture own;
};

static struct core_texture *
state_of(PyObject *op)
{
    return ((struct reference *)op)->state;
}

/* Sets the defaults that CUDA's texture references have. */
static void
state_init(struct core_texture *state)
{
    state->how.addressMode[0] = CU_TR_ADDRESS_MODE_CLAMP;
    state->how.addressMode[1] = CU_TR_ADDRESS_MODE_CLAMP;
    state->how.addressMode[2] = CU_TR_ADDRESS_MODE_CLAMP;
    state->how.filterMode = CU_TR_FILTER_MODE_POINT;
    state->format = CU_AD_FORMAT_FLOAT;
    state->channels = 1;
}

/* Destroys the native texture or surface object of a reference, if it has one.
 * The context must be current. */
static void
object_destroy(const struct core_texture *state)
{
    if (state->object == 0) {
        return;
    }
    if (state->surface) {
        driver.cuSurfObjectDestroy(state->object);
    } else {
        driver.cuTexObjectDestroy(state->object);
    }
}

void
core_textures_free(struct core_module *module)
{
    struct core_scope scope;
    bool entered =
        module->textures != NULL && core_enter(module->context, &scope);
    while (module->textures != NULL) {
        struct core_texture *state = module->textures;
        module->textures = state->next;
        if (entered) {
            object_destroy(state);
        }
        Py_CLEAR(state->resource);
        Py_CLEAR(state->name);
        PyMem_Free(state);
    }
    if (entered) {
        core_leave(&scope);
    }
}

/* Returns whether fetches from a texture with integer elements return integers
 * instead of floats. The read mode in the reference's declaration decides,
 * since it is compiled into the kernel. If it is unknown, the flags that the
 * program set decide; without flags the result is true. */
static bool
reads_integers(const struct core_texture *state)
{
    if (state->format == CU_AD_FORMAT_FLOAT ||
        state->format == CU_AD_FORMAT_HALF) {
        return false;
    }
    if (state->gives != FETCHED_UNKNOWN) {
        return state->gives == FETCHED_INTEGERS;
    }
    return !state->has_flags || state->how.flags & CU_TRSF_READ_AS_INTEGER;
}

/* Creates a native texture object from the bound memory and the sampling
 * options. */
static CUresult
texture_create(const struct core_texture *state, unsigned long long *object)
{
    CUDA_RESOURCE_DESC where = state->where;
    CUDA_TEXTURE_DESC how = state->how;
    if (where.resType == CU_RESOURCE_TYPE_LINEAR) {
        where.res.linear.format = state->format;
        where.res.linear.numChannels = state->channels;
    } else if (where.resType == CU_RESOURCE_TYPE_PITCH2D) {
        where.res.pitch2D.format = state->format;
        where.res.pitch2D.numChannels = state->channels;
    }
    how.flags &= ~(unsigned)CU_TRSF_READ_AS_INTEGER;
    if (reads_integers(state)) {
        how.flags |= CU_TRSF_READ_AS_INTEGER;
    }
    return driver.cuTexObjectCreate(object, &where, &how, NULL);
}

/* Raises the exception for a failed driver call of a reference. The message
 * contains the name of the reference. */
static int
texture_check(const struct core_texture *state, CUresult code,
              const char *routine, const char *says)
{
    char detail[160];
    if (code == CUDA_SUCCESS) {
        return 0;
    }
    const char *name = PyUnicode_AsUTF8(state->name);
    if (name == NULL) {
        return -1;
    }
    snprintf(detail, sizeof detail, "of the %s reference '%.80s'%s",
             state->surface ? "surface" : "texture", name, says);
    return core_fail(code, routine, detail);
}

/* Creates the native object of a changed binding, and writes its handle into
 * the module variable. First waits for kernels that may use the old object,
 * which is then destroyed. */
static int
texture_update(struct core_texture *state, CUstream stream)
{
    unsigned long long object = 0;
    CUstreamCaptureStatus capture = CU_STREAM_CAPTURE_STATUS_NONE;
    driver.cuStreamIsCapturing(stream, &capture);
    if (capture != CU_STREAM_CAPTURE_STATUS_NONE) {
        return core_fail(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
                         "texture_reference",
                         "a binding changed since the last launch; launch "
                         "once before the stream is captured");
    }
    /* the launch has not made the context current in CUDA yet */
    core_stack_claim();
    if (state->object != 0) {
        CUresult code;
        PyThreadState *thread = core_gil_release();
        code = driver.cuCtxSynchronize();
        core_gil_acquire(thread);
        if (core_check(code, "cuCtxSynchronize") < 0) {
            return -1;
        }
    }
    if (state->surface) {
        if (texture_check(state,
                          driver.cuSurfObjectCreate(&object, &state->where),
                          "cuSurfObjectCreate", "") < 0) {
            return -1;
        }
    } else if (texture_check(state, texture_create(state, &object),
                             "cuTexObjectCreate", "") < 0) {
        return -1;
    }
    object_destroy(state);
    state->object = object;
    if (core_check(driver.cuMemcpyHtoDAsync(state->variable, &state->object,
                                            sizeof state->object, stream),
                   "cuMemcpyHtoDAsync") < 0) {
        return -1;
    }
    state->dirty = false;
    /* Wait here until the handle is written, because kernels on other streams
     * also read the variable. */
    return core_check(driver.cuStreamSynchronize(stream),
                      "cuStreamSynchronize");
}

/* Returns 1 if the bound memory was freed, else 0. Freed memory is no error
 * here: perhaps the kernel does not read it. Returns -1 for other errors. */
static int
resource_freed(const struct core_texture *state, CUstream stream)
{
    CUarray array;
    if (state->resource == NULL) {
        return 0;
    }
    bool tiled = Py_IS_TYPE(state->resource, core.cuarray_type);
    if (tiled ? core_array_handle(state->resource, &array) < 0
              : core_use(state->resource, stream) < 0) {
        if (!PyErr_ExceptionMatches(core.logic_error)) {
            return -1;
        }
        PyErr_Clear();
        return 1;
    }
    return 0;
}

/* Called before a launch. If bindings have changed, writes their handles into
 * the module's variables, and waits for the stream. Raises LogicError if a
 * binding has changed and the stream captures. Skips bindings to freed memory,
 * since the kernel perhaps does not read that memory. */
int
core_textures_update(struct core_module *module, CUstream stream)
{
    for (struct core_texture *state = module->textures; state != NULL;
         state = state->next) {
        int freed = resource_freed(state, stream);
        if (freed < 0) {
            return -1;
        }
        if (state->bound && state->dirty && !freed &&
            texture_update(state, stream) < 0) {
            return -1;
        }
    }
    return 0;
}

/* Returns the argument `texrefs` as a new list. Raises TypeError if an element
 * is not a TextureReference. */
PyObject *
core_texrefs_list(PyObject *texrefs)
{
    if (PyObject_TypeCheck(texrefs, core.texref_type)) {
        PyErr_SetString(PyExc_TypeError,
                        "texrefs must be a list of TextureReference objects, "
                        "not one of them");
        return NULL;
    }
    PyObject *list =
        texrefs == Py_None ? PyList_New(0) : PySequence_List(texrefs);
    if (list == NULL && PyErr_ExceptionMatches(PyExc_TypeError)) {
        PyErr_Format(PyExc_TypeError,
                     "texrefs must be a list of TextureReference objects, "
                     "not %s",
                     Py_TYPE(texrefs)->tp_name);
    }
    for (Py_ssize_t i = 0; list != NULL && i < PyList_GET_SIZE(list); i++) {
        PyObject *item = PyList_GET_ITEM(list, i);
        if (!PyObject_TypeCheck(item, core.texref_type)) {
            PyErr_Format(PyExc_TypeError,
                         "texrefs must be TextureReference objects, but #%zd "
                         "(0-based) is %s",
                         i, Py_TYPE(item)->tp_name);
            Py_CLEAR(list);
        }
    }
    return list;
}

/* Raises LogicError if the memory bound to the reference was freed. */
static int
bound_check(const struct core_texture *state)
{
    CUarray array;
    CUdeviceptr pointer;
    if (!state->bound) {
        return 0;
    }
    if (Py_IS_TYPE(state->resource, core.cuarray_type)) {
        return core_array_handle(state->resource, &array);
    }
    return core_is_allocation(state->resource) ||
                   core_is_array(state->resource)
               ? core_pointer(state->resource, &pointer)
               : 0;
}

/* Checks the argument `texrefs` of a launch. Raises TypeError if an element is
 * not a TextureReference, and LogicError if the memory bound to one was freed.
 * A kernel uses all references of its module, but only the given ones are
 * checked. */
int
core_texrefs_check(PyObject *texrefs)
{
    PyObject *list = core_texrefs_list(texrefs);
    if (list == NULL) {
        return -1;
    }
    int status = 0;
    for (Py_ssize_t i = 0; status == 0 && i < PyList_GET_SIZE(list); i++) {
        const struct core_texture *state = state_of(PyList_GET_ITEM(list, i));
        status = bound_check(state);
        if (status < 0 && state->name != NULL &&
            PyErr_ExceptionMatches(core.logic_error)) {
            PyErr_Clear();
            texture_check(state, CUDA_ERROR_INVALID_HANDLE, "cuTexRefSetArray",
                          ", whose memory was freed");
        }
    }
    Py_DECREF(list);
    return status;
}

/* Reads from the variable's initial value, which the declaration has set,
 * whether fetches return floats or integers. The result is unknown during a
 * capture. */
static enum core_fetched
declared_read(const struct core_module *module, CUdeviceptr variable)
{
    unsigned long long mark = 0;
    /* copying from the device would invalidate a capture */
    if (module->context->captures == 0) {
        driver.cuMemcpyDtoH(&mark, variable, sizeof mark);
    }
    return mark == FETCHED_FLOATS || mark == FETCHED_INTEGERS
               ? (enum core_fetched)mark
               : FETCHED_UNKNOWN;
}

/* Returns a Python reference object for a module variable. All reference
 * objects of a variable share one state, which the first call creates. */
static PyObject *
reference_wrap(PyTypeObject *type, struct core_module *module, PyObject *name,
               CUdeviceptr variable, bool surface)
{
    struct core_texture *state = module->textures;
    while (state != NULL && state->variable != variable) {
        state = state->next;
    }
    if (state == NULL) {
        state = PyMem_Calloc(1, sizeof *state);
        if (state == NULL) {
            return PyErr_NoMemory();
        }
        state_init(state);
        state->name = Py_NewRef(name);
        state->variable = variable;
        state->surface = surface;
        if (!surface) {
            state->gives = declared_read(module, variable);
        }
        state->next = module->textures;
        module->textures = state;
    }
    struct reference *self =
        (struct reference *)core_object_new(type, module->context);
    if (self != NULL) {
        self->module = (struct core_module *)Py_NewRef((PyObject *)module);
        self->state = state;
    }
    return (PyObject *)self;
}

/* Returns the TextureReference or SurfaceReference of a module's variable at
 * the address `variable`. */
PyObject *
core_texref_for(struct core_module *module, PyObject *name,
                CUdeviceptr variable)
{
    return reference_wrap(core.texref_type, module, name, variable, false);
}

PyObject *
core_surfref_for(struct core_module *module, PyObject *name,
                 CUdeviceptr variable)
{
    return reference_wrap(core.surfref_type, module, name, variable, true);
}

/* Implements TextureReference(): creates a reference that belongs to no
 * module. PyCUDA allows this, but no kernel reads it. */
static PyObject *
texref_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *keywords[] = {NULL};
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, ":TextureReference",
                                     keywords)) {
        return NULL;
    }
    struct reference *self = (struct reference *)core_object_new(type, NULL);
    if (self != NULL) {
        self->state = &self->own;
        state_init(self->state);
    }
    return (PyObject *)self;
}

static void
reference_dealloc(PyObject *op)
{
    struct reference *self = (struct reference *)op;
    core_object_begin_dealloc(op);
    Py_CLEAR(self->own.resource);
    Py_CLEAR(self->module);
    core_object_end_dealloc(op);
}

static int
reference_traverse(PyObject *op, visitproc visit, void *arg)
{
    Py_VISIT((PyObject *)((struct reference *)op)->module);
    Py_VISIT(((struct reference *)op)->own.resource);
    return core_object_traverse(op, visit, arg);
}

/* Stores the memory bound to the reference. The next launch creates the native
 * object. */
static PyObject *
state_bind(struct core_texture *state, PyObject *resource)
{
    Py_XSETREF(state->resource, Py_NewRef(resource));
    state->bound = true;
    state->dirty = true;
    Py_RETURN_NONE;
}

static PyObject *
texref_set_array(PyObject *op, PyObject *array)
{
    struct core_texture *state = state_of(op);
    CUarray handle;
    CUDA_ARRAY3D_DESCRIPTOR descriptor;
    if (core_array_handle(array, &handle) < 0 ||
        core_check(driver.cuArray3DGetDescriptor(&descriptor, handle),
                   "cuArray3DGetDescriptor") < 0) {
        return NULL;
    }
    memset(&state->where, 0, sizeof state->where);
    state->where.resType = CU_RESOURCE_TYPE_ARRAY;
    state->where.res.array.hArray = handle;
    state->format = descriptor.Format;
    state->channels = descriptor.NumChannels;
    return state_bind(state, array);
}

/* Returns the remainder, in bytes, of an address divided by the device's
 * alignment of textures. */
static size_t
texture_offset(CUdeviceptr pointer)
{
    CUdevice device = 0;
    int alignment = 0;
    driver.cuCtxGetDevice(&device);
    driver.cuDeviceGetAttribute(&alignment,
                                CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT, device);
    return alignment <= 0 ? 0 : pointer % (size_t)alignment;
}

/* Binds linear memory. A texture must begin at an aligned address, so the last
 * aligned address before `devptr` is bound. Returns the offset of `devptr`
 * from it in bytes. */
static PyObject *
texref_set_address(PyObject *op, CORE_ARGS)
{
    static const struct core_signature signature = {
        "set_address", 2, {"devptr", "bytes", "allow_offset"}};
    struct core_texture *state = state_of(op);
    PyObject *values[3];
    CUdeviceptr pointer;
    size_t bytes;
    if (core_args(&signature, args, nargs, names, values) < 0 ||
        core_pointer(values[0], &pointer) < 0 ||
        core_size(values[1], &bytes) < 0) {
        return NULL;
    }
    int allowed = values[2] == NULL ? 0 : PyObject_IsTrue(values[2]);
    size_t offset = texture_offset(pointer);
    if (allowed < 0) {
        return NULL;
    }
    if (offset != 0 && !allowed) {
        core_fail(CUDA_ERROR_INVALID_VALUE, "texture_reference::set_address",
                  "texture binding resulted in offset, but allow_offset was "
                  "false");
        return NULL;
    }
    memset(&state->where, 0, sizeof state->where);
    state->where.resType = CU_RESOURCE_TYPE_LINEAR;
    state->where.res.linear.devPtr = pointer - offset;
    state->where.res.linear.sizeInBytes = bytes + offset;
    PyObject *done = state_bind(state, values[0]);
    Py_XDECREF(done);
    return done == NULL ? NULL : PyLong_FromSize_t(offset);
}

static PyObject *
texref_set_address_2d(PyObject *op, CORE_ARGS)
{
    static const struct core_signature signature = {
        "set_address_2d", 3, {"devptr", "descr", "pitch"}};
    struct core_texture *state = state_of(op);
    PyObject *values[3];
    CUdeviceptr pointer;
    CUDA_ARRAY_DESCRIPTOR descriptor;
    size_t pitch;
    if (core_args(&signature, args, nargs, names, values) < 0 ||
        core_pointer(values[0], &pointer) < 0 ||
        core_descriptor_read(values[1], &descriptor) < 0 ||
        core_size(values[2], &pitch) < 0) {
        return NULL;
    }
    memset(&state->where, 0, sizeof state->where);
    state->where.resType = CU_RESOURCE_TYPE_PITCH2D;
    state->where.res.pitch2D.devPtr = pointer;
    state->where.res.pitch2D.width = descriptor.Width;
    state->where.res.pitch2D.height = descriptor.Height;
    state->where.res.pitch2D.pitchInBytes = pitch;
    state->format = descriptor.Format;
    state->channels = descriptor.NumChannels;
    return state_bind(state, values[0]);
}

/* Returns whether the number is a value of the enum array_format. */
static bool
is_array_format(unsigned format)
{
    static const unsigned char formats[] = {
        CU_AD_FORMAT_UNSIGNED_INT8,  CU_AD_FORMAT_UNSIGNED_INT16,
        CU_AD_FORMAT_UNSIGNED_INT32, CU_AD_FORMAT_SIGNED_INT8,
        CU_AD_FORMAT_SIGNED_INT16,   CU_AD_FORMAT_SIGNED_INT32,
        CU_AD_FORMAT_HALF,           CU_AD_FORMAT_FLOAT,
    };
    return format < 256 && memchr(formats, (int)format, sizeof formats);
}

static PyObject *
texref_set_format(PyObject *op, CORE_ARGS)
{
    static const struct core_signature signature = {
        "set_format", 2, {"format", "num_components"}};
    PyObject *values[2];
    unsigned format, channels;
    if (core_args(&signature, args, nargs, names, values) < 0 ||
        core_unsigned(values[0], &format) < 0 ||
        core_unsigned(values[1], &channels) < 0) {
        return NULL;
    }
    if (!is_array_format(format) ||
        (channels != 1 && channels != 2 && channels != 4)) {
        core_fail(CUDA_ERROR_INVALID_VALUE, "cuTexRefSetFormat",
                  "format must be an array_format and num_components 1, 2 "
                  "or 4");
        return NULL;
    }
    state_of(op)->format = (CUarray_format)format;
    state_of(op)->channels = channels;
    state_of(op)->dirty = true;
    Py_RETURN_NONE;
}

static PyObject *
texref_set_address_mode(PyObject *op, CORE_ARGS)
{
    static const struct core_signature signature = {
        "set_address_mode", 2, {"dim", "am"}};
    PyObject *values[2];
    unsigned dimension, mode;
    if (core_args(&signature, args, nargs, names, values) < 0 ||
        core_unsigned(values[0], &dimension) < 0 ||
        core_unsigned(values[1], &mode) < 0) {
        return NULL;
    }
    if (dimension > 2 || mode > CU_TR_ADDRESS_MODE_BORDER) {
        core_fail(CUDA_ERROR_INVALID_VALUE, "cuTexRefSetAddressMode",
                  "dim must be 0, 1 or 2 and am an address_mode");
        return NULL;
    }
    state_of(op)->how.addressMode[dimension] = (CUaddress_mode)mode;
    state_of(op)->dirty = true;
    Py_RETURN_NONE;
}

static PyObject *
texref_set_filter_mode(PyObject *op, PyObject *value)
{
    unsigned mode;
    if (core_unsigned(value, &mode) < 0) {
        return NULL;
    }
    if (mode > CU_TR_FILTER_MODE_LINEAR) {
        core_fail(CUDA_ERROR_INVALID_VALUE, "cuTexRefSetFilterMode",
                  "expected a filter_mode");
        return NULL;
    }
    state_of(op)->how.filterMode = (CUfilter_mode)mode;
    state_of(op)->dirty = true;
    Py_RETURN_NONE;
}

static PyObject *
texref_set_border_color(PyObject *op, PyObject *color)
{
    float border[4];
    if (core_border_color(color, border) < 0) {
        return NULL;
    }
    memcpy(state_of(op)->how.borderColor, border, sizeof border);
    state_of(op)->dirty = true;
    Py_RETURN_NONE;
}

static PyObject *
texref_get_border_color(PyObject *op, PyObject *unused)
{
    (void)unused;
    const float *color = state_of(op)->how.borderColor;
    return Py_BuildValue("(ffff)", color[0], color[1], color[2], color[3]);
}

/* Stores the flags. The read mode in the flags has no effect if the
 * reference's declaration has compiled a read mode into the kernel. */
static PyObject *
texref_set_flags(PyObject *op, PyObject *value)
{
    unsigned flags;
    if (core_unsigned(value, &flags) < 0) {
        return NULL;
    }
    state_of(op)->how.flags = flags;
    state_of(op)->has_flags = true;
    state_of(op)->dirty = true;
    Py_RETURN_NONE;
}

static PyObject *
texref_get_address(PyObject *op, PyObject *unused)
{
    (void)unused;
    const CUDA_RESOURCE_DESC *where = &state_of(op)->where;
    if (!state_of(op)->bound || where->resType == CU_RESOURCE_TYPE_ARRAY) {
        core_fail(CUDA_ERROR_INVALID_VALUE, "cuTexRefGetAddress",
                  "no address is bound");
        return NULL;
    }
    return PyLong_FromUnsignedLongLong(
        where->resType == CU_RESOURCE_TYPE_LINEAR ? where->res.linear.devPtr
                                                  : where->res.pitch2D.devPtr);
}

/* Returns an Array object that keeps the bound Array alive. */
static PyObject *
reference_get_array(PyObject *op, PyObject *unused)
{
    (void)unused;
    const struct core_texture *state = state_of(op);
    if (!state->bound || state->where.resType != CU_RESOURCE_TYPE_ARRAY) {
        core_fail(CUDA_ERROR_INVALID_VALUE,
                  state->surface ? "cuSurfRefGetArray" : "cuTexRefGetArray",
                  "no array is bound");
        return NULL;
    }
    return core_array_wrap(state->where.res.array.hArray,
                           ((struct core_object *)state->resource)->context,
                           state->resource);
}

static PyObject *
texref_get_address_mode(PyObject *op, PyObject *value)
{
    unsigned dimension;
    if (core_unsigned(value, &dimension) < 0) {
        return NULL;
    }
    if (dimension > 2) {
        core_fail(CUDA_ERROR_INVALID_VALUE, "cuTexRefGetAddressMode", NULL);
        return NULL;
    }
    return core_enum("address_mode",
                     (long)state_of(op)->how.addressMode[dimension]);
}

static PyObject *
texref_get_filter_mode(PyObject *op, PyObject *unused)
{
    (void)unused;
    return core_enum("filter_mode", (long)state_of(op)->how.filterMode);
}

static PyObject *
texref_get_format(PyObject *op, PyObject *unused)
{
    (void)unused;
    PyObject *format = core_enum("array_format", (long)state_of(op)->format);
    return format == NULL
               ? NULL
               : Py_BuildValue("(NI)", format, state_of(op)->channels);
}

static PyObject *
texref_get_flags(PyObject *op, PyObject *unused)
{
    (void)unused;
    return PyLong_FromUnsignedLong(state_of(op)->how.flags);
}

static PyMethodDef texref_methods[] = {
    {"set_array", texref_set_array, METH_O,
     "Bind an Array and keep it alive."},
    {"set_address", CORE_METHOD(texref_set_address),
     "Bind linear memory; return the offset in bytes."},
    {"set_address_2d", CORE_METHOD(texref_set_address_2d),
     "Bind pitched linear memory."},
    {"set_format", CORE_METHOD(texref_set_format), DOC_SET_FORMAT},
    {"set_address_mode", CORE_METHOD(texref_set_address_mode), DOC_SET_MODE},
    {"set_filter_mode", texref_set_filter_mode, METH_O, DOC_SET_FILTER_MODE},
    {"set_flags", texref_set_flags, METH_O, DOC_SET_FLAGS},
    {"set_border_color", texref_set_border_color, METH_O,
     "Set the border color of address_mode.BORDER: four numbers, initially "
     "(0, 0, 0, 0)."},
    {"get_border_color", texref_get_border_color, METH_NOARGS, DOC_BORDER},
    {"get_address", texref_get_address, METH_NOARGS, DOC_GET_ADDRESS},
    {"get_array", reference_get_array, METH_NOARGS, DOC_GET_ARRAY},
    {"get_address_mode", texref_get_address_mode, METH_O, DOC_GET_MODE},
    {"get_filter_mode", texref_get_filter_mode, METH_NOARGS, DOC_FILTER},
    {"get_format", texref_get_format, METH_NOARGS, DOC_GET_FORMAT},
    {"get_flags", texref_get_flags, METH_NOARGS, DOC_GET_FLAGS},
    {NULL},
};

static PyObject *
surfref_set_array(PyObject *op, CORE_ARGS)
{
    static const struct core_signature signature = {
        "set_array", 1, {"array", "flags"}};
    struct core_texture *state = state_of(op);
    PyObject *values[2];
    CUarray handle;
    unsigned flags;
    if (core_args(&signature, args, nargs, names, values) < 0 ||
        core_array_handle(values[0], &handle) < 0 ||
        (values[1] != NULL && core_unsigned(values[1], &flags) < 0)) {
        return NULL;
    }
    memset(&state->where, 0, sizeof state->where);
    state->where.resType = CU_RESOURCE_TYPE_ARRAY;
    state->where.res.array.hArray = handle;
    return state_bind(state, values[0]);
}

static PyMethodDef surfref_methods[] = {
    {"set_array", CORE_METHOD(surfref_set_array),
     "Bind an Array, which was created for surfaces, and keep it alive."},
    {"get_array", reference_get_array, METH_NOARGS, DOC_GET_ARRAY},
    {NULL},
};

#define REFERENCE_SLOTS(variable, text, make, methods)                        \
    static PyType_Slot variable[] = {                                         \
        {Py_tp_doc, text},                                                    \
        {Py_tp_new, make},                                                    \
        {Py_tp_dealloc, reference_dealloc},                                   \
        {Py_tp_traverse, reference_traverse},                                 \
        {Py_tp_clear, core_object_clear},                                     \
        {Py_tp_methods, methods},                                             \
        {Py_tp_members, core_object_members},                                 \
        {0, NULL},                                                            \
    }
REFERENCE_SLOTS(texref_slots, "A texture<...> variable of a module.",
                texref_new, texref_methods);
REFERENCE_SLOTS(surfref_slots, "A surface<...> variable of a module.",
                core_no_new, surfref_methods);

static PyType_Spec texref_spec = {
    .name = "pycuda._driver.TextureReference",
    .basicsize = sizeof(struct reference),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .slots = texref_slots,
};
static PyType_Spec surfref_spec = {
    .name = "pycuda._driver.SurfaceReference",
    .basicsize = sizeof(struct reference),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .slots = surfref_slots,
};

int
core_texture_reference_setup(PyObject *module)
{
    if (core_add_type(module, &core.texref_type, &texref_spec, NULL) < 0) {
        return -1;
    }
    return core_add_type(module, &core.surfref_type, &surfref_spec, NULL);
}
