/* nvrtc.c - calls NVRTC, one program per call.
 *
 * Called by the Python module pycuda.compiler, which chooses the options, adds
 * the prelude (text that precedes the user's source) and caches results. This
 * file reads no source file. The GIL is released during compilation.
 *
 * SPDX-License-Identifier: MIT */
#include "core/code/nvrtc.h"
#include "core/context/context.h"
#include "core/context/stack.h"
#include "core/core.h"
#include "core/python/args.h"
#include "core/python/borrowed.h"
#include "core/python/errors.h"
#include "core/python/gil.h"
#include "core/python/interrupt.h"
#include "core/python/locked_calls.h"
#include "core/state.h"

/* The opened compiler library. Its `kind` is API_CLOSED until it is opened. */
static struct api_choice compiler;

int
core_library_dirs_pass(void)
{
    PyObject *list = PySys_GetObject("path"); /* borrowed */
    const char *directories[256];
    size_t count = 0;
    if (list == NULL || !PyList_Check(list)) {
        return 0;
    }
    /* the tuple holds references to the str objects, whose UTF-8 texts are
     * used until core_library_dirs_pass returns */
    PyObject *path = PyList_AsTuple(list);
    if (path == NULL) {
        return -1;
    }
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(path) && count < 256; i++) {
        PyObject *item = PyTuple_GET_ITEM(path, i);
        const char *text =
            PyUnicode_Check(item) ? PyUnicode_AsUTF8(item) : NULL;
        if (text != NULL) {
            directories[count++] = text;
        } else {
            PyErr_Clear();
        }
    }
    int status = api_set_library_dirs(directories, count);
    Py_DECREF(path);
    if (status < 0) {
        PyErr_NoMemory();
    }
    return status < 0 ? -1 : 0;
}

/* Returns the current device's compute capability as 10 * major + minor; 0
 * without a current context. */
static int
device_arch(void)
{
    int major = 0, minor = 0;
    struct core_context *context = core_stack_top();
    if (context != NULL) {
        driver.cuDeviceGetAttribute(
            &major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
            context->device);
        driver.cuDeviceGetAttribute(
            &minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
            context->device);
    }
    return 10 * major + minor;
}

/* Opens NVRTC, or the CPU device's compiler. Returns -1 with RuntimeError if
 * there is neither. */
static int
compiler_open(void)
{
    int version = 0, status;
    if (core_open() < 0 || core_library_dirs_pass() < 0) {
        return -1;
    }
    driver.cuDriverGetVersion(&version);
    int arch = device_arch();
    PyThreadState *thread = core_gil_release();
    status = api_open_nvrtc(version, arch, &compiler);
    core_gil_acquire(thread);
    if (status < 0) {
        PyErr_SetString(PyExc_RuntimeError, compiler.text);
    }
    return status;
}

/* One list of strings among the arguments of a compilation, such as its
 * options. */
struct strings {
    PyObject *owner;    /* tuple of bytes objects, which own the C strings */
    const char **items; /* C strings, in the bytes objects of `owner` */
    Py_ssize_t count;
};

static void
strings_free(struct strings *strings)
{
    PyMem_Free(strings->items);
    Py_XDECREF(strings->owner);
}

/* Encodes a str as UTF-8 bytes. A surrogate becomes the byte that it replaces
 * in a file name that is not UTF-8 (os.fsdecode). Returns NULL with an
 * exception. */
static PyObject *
string_encode(PyObject *text, const char *what)
{
    if (!PyUnicode_Check(text)) {
        PyErr_Format(PyExc_TypeError, "%s must be a str, not %s", what,
                     Py_TYPE(text)->tp_name);
        return NULL;
    }
    PyObject *bytes =
        PyUnicode_AsEncodedString(text, "utf-8", "surrogateescape");
    if (bytes != NULL &&
        strlen(PyBytes_AS_STRING(bytes)) != (size_t)PyBytes_GET_SIZE(bytes)) {
        PyErr_Format(PyExc_ValueError, "%s has a null character", what);
        Py_CLEAR(bytes);
    }
    return bytes;
}

/* Reads the strings of a list or tuple. The caller ensures that no other
 * thread changes `sequence` during the call. */
static int
items_read(PyObject *sequence, const char *what, struct strings *strings)
{
    Py_ssize_t count = PySequence_Fast_GET_SIZE(sequence);
    strings->owner = PyTuple_New(count);
    if (strings->owner == NULL) {
        return -1;
    }
    strings->items = PyMem_Calloc((size_t)count + 1, sizeof *strings->items);
    if (strings->items == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *bytes =
            string_encode(PySequence_Fast_GET_ITEM(sequence, i), what);
        if (bytes == NULL) {
            return -1;
        }
        PyTuple_SET_ITEM(strings->owner, i, bytes);
        strings->items[i] = PyBytes_AS_STRING(bytes);
    }
    strings->count = count;
    return 0;
}

/* Reads a list or tuple of str; NULL counts as empty. The caller calls
 * strings_free, even after a failure. */
static int
strings_read(PyObject *sequence, const char *what, struct strings *strings)
{
    if (sequence == NULL) {
        return 0;
    }
    if (!PyList_Check(sequence) && !PyTuple_Check(sequence)) {
        PyErr_Format(PyExc_TypeError, "%s must be a list of str", what);
        return -1;
    }
    PyObject *items = core_stable_sequence(sequence);
    int status = items == NULL ? -1 : items_read(items, what, strings);
    Py_XDECREF(items);
    return status;
}

/* State of one compilation; compilation_free releases it. */
struct compilation {
    nvrtcProgram program;
    struct strings options, header_names, header_texts, expressions;
    PyObject *header_keys, *header_values;
    PyObject *source; /* source text, a bytes object */
    nvrtcResult status;
};

/* Frees the objects of a compilation, even if only some were created. */
static void
compilation_free(struct compilation *c)
{
    if (c->program != NULL) {
        nvrtc.nvrtcDestroyProgram(&c->program);
    }
    strings_free(&c->options);
    strings_free(&c->header_names);
    strings_free(&c->header_texts);
    strings_free(&c->expressions);
    Py_XDECREF(c->source);
    Py_XDECREF(c->header_keys);
    Py_XDECREF(c->header_values);
}

/* Reads the names and texts of in-memory headers from a dict. */
static int
headers_read(struct compilation *c, PyObject *headers)
{
    if (headers == NULL || headers == Py_None) {
        return 0;
    }
    if (!PyDict_Check(headers)) {
        PyErr_SetString(PyExc_TypeError, "headers must be a dict");
        return -1;
    }
    c->header_keys = PyDict_Keys(headers);
    c->header_values = PyDict_Values(headers);
    if (c->header_keys == NULL || c->header_values == NULL) {
        return -1;
    }
    if (strings_read(c->header_keys, "headers", &c->header_names) < 0) {
        return -1;
    }
    return strings_read(c->header_values, "headers", &c->header_texts);
}

/* Creates and compiles the program; called without the GIL. */
static nvrtcResult
compilation_run(struct compilation *c, const char *name)
{
    nvrtcResult status =
        nvrtc.nvrtcCreateProgram(&c->program, PyBytes_AS_STRING(c->source),
                                 name, (int)c->header_names.count,
                                 c->header_texts.items, c->header_names.items);
    for (Py_ssize_t i = 0; status == NVRTC_SUCCESS && i < c->expressions.count;
         i++) {
        status =
            nvrtc.nvrtcAddNameExpression(c->program, c->expressions.items[i]);
    }
    if (status != NVRTC_SUCCESS) {
        return status;
    }
    return nvrtc.nvrtcCompileProgram(c->program, (int)c->options.count,
                                     c->options.items);
}

/* Returns the compiler's log, or the text of the status if there is none. */
static PyObject *
compilation_log(struct compilation *c)
{
    size_t bytes = 0;
    if (c->program == NULL ||
        nvrtc.nvrtcGetProgramLogSize(c->program, &bytes) != NVRTC_SUCCESS ||
        bytes <= 1) {
        return PyUnicode_FromString(
            c->status == NVRTC_SUCCESS ? ""
                                       : nvrtc.nvrtcGetErrorString(c->status));
    }
    char *text = PyMem_Calloc(bytes + 1, 1);
    if (text == NULL) {
        return PyErr_NoMemory();
    }
    nvrtc.nvrtcGetProgramLog(c->program, text);
    PyObject *log =
        PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
    PyMem_Free(text);
    return log;
}

/* Returns the compiled code as bytes. `target` is "cubin", "ptx" or "ltoir".
 * Returns None, and sets c->status, if the compiler has no code of this
 * kind. */
static PyObject *
compilation_image(struct compilation *c, const char *target)
{
    static const struct {
        const char *target;
        /* offsets of NVRTC's size function and read function in struct
         * api_nvrtc */
        size_t size, get;
    } rows[] = {
        {"cubin", offsetof(struct api_nvrtc, nvrtcGetCUBINSize),
         offsetof(struct api_nvrtc, nvrtcGetCUBIN)},
        {"ptx", offsetof(struct api_nvrtc, nvrtcGetPTXSize),
         offsetof(struct api_nvrtc, nvrtcGetPTX)},
        {"ltoir", offsetof(struct api_nvrtc, nvrtcGetLTOIRSize),
         offsetof(struct api_nvrtc, nvrtcGetLTOIR)},
    };
    size_t row = 0, bytes = 0;
    while (row < 3 && strcmp(rows[row].target, target) != 0) {
        row++;
    }
    if (row == 3) {
        PyErr_Format(PyExc_ValueError,
                     "target must be cubin, ptx or ltoir, not '%s'", target);
        return NULL;
    }
    nvrtcResult (*size)(nvrtcProgram, size_t *);
    nvrtcResult (*get)(nvrtcProgram, char *);
    memcpy(&size, (const char *)&nvrtc + rows[row].size, sizeof size);
    memcpy(&get, (const char *)&nvrtc + rows[row].get, sizeof get);
    c->status = size(c->program, &bytes);
    if (c->status != NVRTC_SUCCESS) {
        Py_RETURN_NONE;
    }
    PyObject *image = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)bytes);
    if (image != NULL) {
        c->status = get(c->program, PyBytes_AS_STRING(image));
    }
    return image;
}

/* Returns a dict from each name expression, such as "f<int>", to the compiled
 * (mangled) name of the kernel. Leaves out expressions for which the compiler
 * has no name. */
static PyObject *
compilation_names(struct compilation *c)
{
    PyObject *names = PyDict_New();
    for (Py_ssize_t i = 0; names != NULL && i < c->expressions.count; i++) {
        const char *lowered = NULL;
        if (nvrtc.nvrtcGetLoweredName(c->program, c->expressions.items[i],
                                      &lowered) != NVRTC_SUCCESS ||
            lowered == NULL) {
            continue;
        }
        PyObject *value = PyUnicode_FromString(lowered);
        if (value == NULL ||
            PyDict_SetItemString(names, c->expressions.items[i], value) < 0) {
            Py_CLEAR(names);
        }
        Py_XDECREF(value);
    }
    return names;
}

/* Returns the tuple (status, compiled code or None, log, dict of lowered
 * names) of a compilation. */
static PyObject *
compilation_result(struct compilation *c, const char *target)
{
    PyObject *image = c->status == NVRTC_SUCCESS ? compilation_image(c, target)
                                                 : Py_NewRef(Py_None);
    PyObject *names = NULL;
    /* Read the log after compilation_image, which adds a message to the log if
     * the requested kind of code was not generated. */
    PyObject *log = image == NULL ? NULL : compilation_log(c);
    if (log != NULL) {
        names =
            c->status == NVRTC_SUCCESS ? compilation_names(c) : PyDict_New();
    }
    if (names == NULL) {
        Py_XDECREF(log);
        Py_XDECREF(image);
        return NULL;
    }
    return Py_BuildValue("(iNNN)", (int)c->status, image, log, names);
}

/* Compiles one program. If a signal handler raises an exception during the
 * compilation, raises this exception instead of returning the result. */
static PyObject *
nvrtc_compile(PyObject *unused, CORE_ARGS)
{
    (void)unused;
    static const struct core_signature signature = {
        "_compile",
        3,
        {"source", "name", "options", "headers", "target",
         "name_expressions"}};
    PyObject *values[6];
    struct compilation c = {0};
    PyObject *result = NULL;
    const char *target = "cubin";
    if (core_args(&signature, args, nargs, names, values) < 0) {
        return NULL;
    }
    c.source = string_encode(values[0], "source");
    const char *name = c.source == NULL ? NULL : core_text(values[1], "name");
    if (name != NULL && values[4] != NULL) {
        target = core_text(values[4], "target");
    }
    if (name == NULL || target == NULL ||
        strings_read(values[2], "options", &c.options) < 0 ||
        headers_read(&c, values[3]) < 0 ||
        strings_read(values[5], "name_expressions", &c.expressions) < 0 ||
        compiler_open() < 0) {
        goto done;
    }
    PyThreadState *thread = core_gil_release();
    c.status = compilation_run(&c, name);
    core_gil_acquire(thread);
    if (core_interrupt_raise() == 0) {
        result = compilation_result(&c, target);
    }
done:
    compilation_free(&c);
    return result;
}

static PyObject *
nvrtc_info(PyObject *unused_self, PyObject *unused)
{
    (void)unused_self;
    (void)unused;
    int major = 0, minor = 0, count = 0;
    int archs[256];
    if (compiler_open() < 0) {
        return NULL;
    }
    nvrtc.nvrtcVersion(&major, &minor);
    if (nvrtc.nvrtcGetNumSupportedArchs(&count) != NVRTC_SUCCESS ||
        count > 256 || nvrtc.nvrtcGetSupportedArchs(archs) != NVRTC_SUCCESS) {
        count = 0;
    }
    PyObject *list = PyList_New(0);
    for (int i = 0; list != NULL && i < count; i++) {
        PyObject *arch = PyLong_FromLong(archs[i]);
        if (arch == NULL || PyList_Append(list, arch) < 0) {
            Py_CLEAR(list);
        }
        Py_XDECREF(arch);
    }
    return list == NULL
               ? NULL
               : Py_BuildValue("(siiN)", compiler.library, major, minor, list);
}

static PyObject *
set_kernel_factory(PyObject *unused, PyObject *factory)
{
    (void)unused;
    if (!PyCallable_Check(factory)) {
        PyErr_SetString(PyExc_TypeError, "the factory must be callable");
        return NULL;
    }
    Py_XSETREF(core.kernel_factory, Py_NewRef(factory));
    Py_RETURN_NONE;
}

/* Calls the kernel factory (a Python function that compiles the kernel of an
 * array operation) with `key`. The first call imports the factory's module,
 * which registers the factory. */
PyObject *
core_make_kernel(PyObject *key)
{
    if (core.kernel_factory == NULL) {
        PyObject *module = PyImport_ImportModule("pycuda._kernels.factory");
        Py_XDECREF(module);
        if (module == NULL) {
            return NULL;
        }
    }
    if (core.kernel_factory == NULL) {
        PyErr_SetString(
            PyExc_RuntimeError,
            "pycuda._kernels.factory has registered no kernel factory");
        return NULL;
    }
    return PyObject_CallOneArg(core.kernel_factory, key);
}

static PyMethodDef functions[] = {
    {"_compile", CORE_METHOD(nvrtc_compile),
     "Compile one NVRTC program; return (status, image, log, lowered "
     "names)."},
    {"_nvrtc_info", nvrtc_info, METH_NOARGS,
     "Return (path, major version, minor version, architectures) of NVRTC."},
    {"_set_kernel_factory", set_kernel_factory, METH_O, NULL},
    {NULL},
};

int
core_nvrtc_setup(PyObject *module)
{
    return core_add_functions(module, functions);
}
