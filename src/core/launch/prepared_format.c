/* prepared_format.c - argument formats of prepare(), such as "PiP".
 *
 * A format has one type code per kernel argument. prepare() parses it once.
 * core_format_pack then stores the values of a prepared call directly into the
 * kernel's parameters. Codes and sizes are those of the native mode of
 * Python's struct module, plus F and D for complex numbers, e for float16 and
 * E for bfloat16. Errors are pycuda._pvt_struct.error, which derives from
 * struct.error.
 *
 * SPDX-License-Identifier: MIT */
#include "core/code/function.h"
#include "core/code/layout.h"
#include "core/context/context.h"
#include "core/core.h"
#include "core/launch/field_inline.h"
#include "core/launch/inline.h"
#include "core/launch/launch_error.h"
#include "core/launch/pack.h"
#include "core/launch/pack_buffer.h"
#include "core/launch/prepared_format.h"
#include "core/numpy.h"
#include "core/python/args.h"
#include "core/python/locks.h"
#include "core/state.h"

/* Size and alignment in bytes of the value of each type code. */
static const struct {
    char code;
    uint8_t bytes, alignment;
} codes[] = {
    {'P', 8, 8},  {'i', 4, 4}, {'f', 4, 4}, {'d', 8, 8}, {'I', 4, 4},
    {'l', 8, 8},  {'L', 8, 8}, {'q', 8, 8}, {'Q', 8, 8}, {'n', 8, 8},
    {'N', 8, 8},  {'h', 2, 2}, {'H', 2, 2}, {'b', 1, 1}, {'B', 1, 1},
    {'?', 1, 1},  {'c', 1, 1}, {'e', 2, 2}, {'E', 2, 2}, {'F', 8, 4},
    {'D', 16, 8}, {'s', 1, 1}, {'p', 1, 1}, {'x', 1, 1},
};

/* Protects core.struct_error. */
LEAF_LOCK(error_lock);

PyObject *
core_struct_error(void)
{
    if (READ_SHARED(core.struct_error) == NULL) {
        PyObject *module = PyImport_ImportModule("pycuda._pvt_struct");
        if (module == NULL) {
            PyErr_Clear();
            module = PyImport_ImportModule("struct");
        }
        PyObject *found =
            module == NULL ? NULL : PyObject_GetAttrString(module, "error");
        Py_XDECREF(module);
        LEAF_BEGIN(error_lock);
        if (core.struct_error == NULL) {
            WRITE_SHARED(core.struct_error, found);
            found = NULL;
        }
        LEAF_END(error_lock);
        Py_XDECREF(found);
    }
    PyObject *error = READ_SHARED(core.struct_error);
    return error == NULL ? PyExc_ValueError : error;
}

static int
code_find(char code)
{
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        if (codes[i].code == code) {
            return (int)i;
        }
    }
    return -1;
}

#define MAX_REPEAT (1 << 16)

/* Reads one type code with its repeat count, such as "3i"; `index` is the
 * code's index in `codes`. Returns the rest of the text, or NULL with an
 * exception. */
static const char *
item_read(const char *text, size_t *repeat, int *index)
{
    bool counted = false;
    *repeat = 0;
    for (; *text >= '0' && *text <= '9' && *repeat < 1 << 20; text++) {
        *repeat = *repeat * 10 + (size_t)(*text - '0');
        counted = true;
    }
    *repeat = counted ? *repeat : 1;
    *index = *text == '\0' ? -1 : code_find(*text);
    if (*repeat > MAX_REPEAT) {
        PyErr_Format(core_struct_error(),
                     "repeat count in struct format: it must be at most %d",
                     MAX_REPEAT);
        return NULL;
    }
    if (*index < 0) {
        PyErr_Format(core_struct_error(), "bad char in struct format: '%.1s'",
                     text);
        return NULL;
    }
    return text + 1;
}

/* Limit of a format's size. It is far more than a kernel accepts, and small
 * enough that sizes and offsets fit in 32 bits. */
#define MAX_BYTES ((uint32_t)1 << 20)

/* Returns the format's UTF-8 text, borrowed. Raises struct.error if the text
 * contains a null character. */
static const char *
format_text(PyObject *object)
{
    Py_ssize_t length;
    const char *text = PyUnicode_AsUTF8AndSize(object, &length);
    if (text != NULL && strlen(text) != (size_t)length) {
        PyErr_SetString(core_struct_error(),
                        "bad char in struct format: a null character");
        return NULL;
    }
    return text;
}

/* Parses a format. The caller gets one reference, which core_format_release
 * drops. Raises struct.error for a malformed format. */
struct core_format *
core_format_parse(PyObject *object)
{
    const char *text = format_text(object);
    if (text == NULL) {
        return NULL;
    }
    struct core_format *format = PyMem_Calloc(1, sizeof *format);
    if (format != NULL) {
        format->users = 1;
    }
    while (format != NULL && *text != '\0') {
        size_t repeat;
        int index;
        if (*text == '@' || *text == ' ') {
            text++;
            continue;
        }
        text = item_read(text, &repeat, &index);
        if (text == NULL) {
            PyMem_Free(format);
            return NULL;
        }
        if (format->bytes > MAX_BYTES) {
            core_format_release(format);
            PyErr_SetString(core_struct_error(),
                            "struct format of more than 1 MiB");
            return NULL;
        }
        char code = codes[index].code;
        uint32_t alignment = codes[index].alignment;
        format->bytes = (format->bytes + alignment - 1) & ~(alignment - 1);
        if (code == 'x') {
            format->bytes += (uint32_t)repeat;
            continue;
        }
        bool block = code == 's' || code == 'p';
        size_t fields = block ? 1 : repeat;
        uint32_t bytes = block ? (uint32_t)repeat : codes[index].bytes;
        struct core_format *grown =
            PyMem_Realloc(format, sizeof *format + (format->count + fields) *
                                                       sizeof *format->fields);
        if (grown == NULL) {
            PyMem_Free(format);
            format = NULL;
            break;
        }
        format = grown;
        for (size_t i = 0; i < fields; i++) {
            format->fields[format->count++] = (struct core_field){
                .code = code, .bytes = bytes, .offset = format->bytes};
            format->bytes += bytes;
        }
    }
    if (format == NULL) {
        PyErr_NoMemory();
    }
    return format;
}

/* Returns the format string of a NumPy scalar type or a dtype. Any other
 * object counts as a pointer, "P". */
PyObject *
core_format_of_type(PyObject *type)
{
    bool scalar =
        PyType_Check(type) &&
        PyType_IsSubtype((PyTypeObject *)type, &PyGenericArrType_Type);
    if (!scalar && !PyArray_DescrCheck(type)) {
        return PyUnicode_FromString("P");
    }
    PyArray_Descr *descr;
    if (!PyArray_DescrConverter(type, &descr)) {
        return NULL;
    }
    PyObject *text = descr->kind == 'V'
                         ? PyUnicode_FromFormat(
                               "%zds", (Py_ssize_t)PyDataType_ELSIZE(descr))
                         : PyUnicode_FromFormat("%c", descr->type);
    Py_DECREF(descr);
    return text;
}

/* Returns the device address of an object that is not an int, as an int. Used
 * for integer parameters of 8 bytes, since programs declare pointers as
 * numpy.intp in prepare(). */
static PyObject *
address_as_integer(PyObject *arg, struct core_pack *pack)
{
    CUdeviceptr pointer;
    return core_pack_pointer(arg, pack, &pointer) < 0
               ? NULL
               : PyLong_FromUnsignedLongLong(pointer);
}

/* Stores an integer that is in the range of the format's code. If the
 * parameter has another size, converts the integer to that size. */
static int
integer_store(struct core_function *function, Py_ssize_t index,
              const struct core_field *field, PyObject *arg,
              struct core_pack *pack, char *target, uint32_t bytes)
{
    PyObject *number =
        PyLong_CheckExact(arg) ? Py_NewRef(arg) : PyNumber_Index(arg);
    if (number == NULL && field->bytes == sizeof(CUdeviceptr) &&
        PyErr_ExceptionMatches(PyExc_TypeError)) {
        PyErr_Clear();
        number = address_as_integer(arg, pack);
    }
    if (number == NULL && !PyErr_ExceptionMatches(PyExc_TypeError)) {
        return -1;
    }
    if (number == NULL) {
        PyErr_Clear();
        PyErr_SetString(core_struct_error(),
                        "required argument is not an integer");
        return -1;
    }
    int overflow;
    long long value = PyLong_AsLongLongAndOverflow(number, &overflow);
    uint64_t bits = (uint64_t)value;
    bool is_signed = strchr("bhilqn", field->code) != NULL;
    bool negative = !overflow && value < 0;
    if (overflow > 0 && !is_signed) {
        bits = PyLong_AsUnsignedLongLong(number);
        overflow = PyErr_Occurred() != NULL;
        PyErr_Clear();
    }
    Py_DECREF(number);
    unsigned width = 8 * field->bytes;
    bool fits = !overflow;
    if (fits && is_signed && width < 64) {
        fits = value >= -(1LL << (width - 1)) && value < 1LL << (width - 1);
    } else if (fits && !is_signed) {
        fits = !negative && (width == 64 || bits >> width == 0);
    }
    if (!fits) {
        PyErr_Format(core_struct_error(),
                     "the value is out of range for format '%c'", field->code);
        return -1;
    }
    if (bytes == field->bytes) {
        memcpy(target, &bits, bytes);
        return 0;
    }
    return core_pack_integer(function, index, bits, is_signed && value < 0,
                             target, bytes);
}

/* Stores the bytes of a buffer or a NumPy void scalar (a struct), padded with
 * zeros or truncated to the field's size. */
static int
block_store(const struct core_field *field, PyObject *arg, char *target)
{
    Py_buffer view;
    if (PyArray_IsScalar(arg, Void)) {
        size_t size = (size_t)PyDataType_ELSIZE(
            (PyArray_Descr *)((PyVoidScalarObject *)arg)->descr);
        memset(target, 0, field->bytes);
        memcpy(target, ((PyVoidScalarObject *)arg)->obval,
               size < field->bytes ? size : field->bytes);
        return 0;
    }
    if (core_buffer(arg, false, &view) < 0) {
        return -1;
    }
    size_t size = (size_t)view.len;
    memset(target, 0, field->bytes);
    memcpy(target, view.buf, size < field->bytes ? size : field->bytes);
    PyBuffer_Release(&view);
    return 0;
}

static int
complex_store(const struct core_field *field, PyObject *arg, char *target)
{
    Py_complex value = PyComplex_AsCComplex(arg);
    if (value.real == -1.0 && PyErr_Occurred()) {
        return -1;
    }
    if (field->code == 'D') {
        memcpy(target, &value, sizeof value);
        return 0;
    }
    float pair[2] = {(float)value.real, (float)value.imag};
    memcpy(target, pair, sizeof pair);
    return 0;
}

/* Converts a float to bfloat16, its upper 16 bits, rounded to nearest, ties to
 * even. */
static uint16_t
bfloat16_of(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    if (value != value) {
        return (uint16_t)(bits >> 16 | 0x40);
    }
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static int
real_store(const struct core_field *field, PyObject *arg, char *target)
{
    double value = PyFloat_AsDouble(arg);
    if (value == -1.0 && PyErr_Occurred()) {
        if (PyErr_ExceptionMatches(PyExc_TypeError)) {
            PyErr_SetString(core_struct_error(),
                            "required argument is not a float");
        }
        return -1;
    }
    if (field->code == 'd') {
        memcpy(target, &value, sizeof value);
        return 0;
    }
    if (field->code == 'e') {
        return PyFloat_Pack2(value, target, 1);
    }
    float narrow = (float)value;
    if (field->code == 'E') {
        uint16_t upper = bfloat16_of(narrow);
        memcpy(target, &upper, sizeof upper);
        return 0;
    }
    memcpy(target, &narrow, sizeof narrow);
    return 0;
}

/* Converts one argument by its field's code and stores it into a parameter of
 * `bytes` bytes. May run Python code. */
static int
field_store(struct core_function *function, Py_ssize_t index,
            const struct core_field *field, PyObject *arg,
            struct core_pack *pack, char *target, uint32_t bytes)
{
    CUdeviceptr pointer;
    switch (field->code) {
    case 'P':
        if (core_pack_pointer(arg, pack, &pointer) < 0) {
            return -1;
        }
        memcpy(target, &pointer, sizeof pointer);
        return 0;
    case 'f':
    case 'd':
    case 'e':
    case 'E':
        return real_store(field, arg, target);
    case 'F':
    case 'D':
        return complex_store(field, arg, target);
    case 's':
    case 'p':
        return block_store(field, arg, target);
    case '?': {
        int truth = PyObject_IsTrue(arg);
        *target = (char)truth;
        return truth < 0 ? -1 : 0;
    }
    case 'c':
        if (!PyBytes_Check(arg) || PyBytes_GET_SIZE(arg) != 1) {
            PyErr_SetString(core_struct_error(),
                            "char format requires a bytes object of length "
                            "1");
            return -1;
        }
        *target = PyBytes_AS_STRING(arg)[0];
        return 0;
    default:
        return integer_store(function, index, field, arg, pack, target, bytes);
    }
}

static bool
is_integer(char code)
{
    return strchr("bBhHiIlLqQnN", code) != NULL;
}

/* Returns whether the format has one field per parameter, and each field has
 * the size of its parameter or can be converted to that size. */
static bool
format_fits(const struct core_format *format, const struct core_layout *layout)
{
    if (format->count != layout->count) {
        return false;
    }
    for (size_t i = 0; i < format->count; i++) {
        const struct core_field *field = &format->fields[i];
        if (field->bytes != layout->parameters[i].bytes &&
            (!is_integer(field->code) || layout->parameters[i].bytes > 8)) {
            return false;
        }
    }
    return true;
}

/* Compares the fields of the format string with the kernel's parameters. Sets
 * by_layout to true if the kernel's parameters are known and the fields fit
 * them (format_fits). If so, also sets each field's `target` to the offset of
 * its parameter. */
void
core_format_set_offsets(struct core_format *format,
                        const struct core_layout *layout)
{
    format->by_layout = layout->known && format_fits(format, layout);
    for (size_t i = 0; format->by_layout && i < format->count; i++) {
        struct core_field *field = &format->fields[i];
        const struct core_parameter *parameter = &layout->parameters[i];
        field->target = parameter->offset;
        field->fast_code = parameter->bytes == field->bytes ? field->code : 0;
    }
}

/* Raises TypeError: the size of the prepared format differs from the size of
 * the kernel's parameters. */
static int
format_error(struct core_function *function)
{
    return core_launch_error(
        PyExc_TypeError, function, "prepared_size", "(IIOnI)",
        function->layout.count, function->layout.bytes,
        function->arg_format == NULL ? Py_None : function->arg_format,
        (Py_ssize_t)function->format->count, function->format->bytes);
}

/* Stores each argument into its parameter, by field_store_fast (fast path) or,
 * if that declines, by field_store. */
static inline int
format_pack_by_layout(struct core_function *function,
                      const struct core_format *format, PyObject *const *args,
                      struct core_pack *pack)
{
    /* Fields of `pack`, `format` and `function` are copied to locals, since
     * the compiler must assume that a store through `target` changes them. */
    char *const buffer = pack->buffer;
    void **const pointers = pack->pointers;
    const CUstream stream = pack->stream;
    const size_t count = format->count;
    struct core_slot *slot = function->slots;
    const struct core_context *here = context_without_capture(function);
    for (size_t i = 0; i < count; i++, slot++) {
        const struct core_field *field = &format->fields[i];
        char *target = buffer + field->target;
        pointers[i] = target;
        if (LIKELY(field_store_fast(field, slot, args[i], here, stream,
                                    target))) {
            continue;
        }
        if (field->code == 'P' && Py_TYPE(args[i]) != slot->type) {
            core_slot_set_type(slot, Py_TYPE(args[i]));
        }
        if (field_store(function, (Py_ssize_t)i, field, args[i], pack, target,
                        function->layout.parameters[i].bytes) < 0) {
            return core_launch_error_prepared(function, (Py_ssize_t)i,
                                              field->code, args[i]);
        }
        here = context_without_capture(
            /* recomputed, since field_store may have run Python code that
             * changed the context */
            function);
    }
    return 0;
}

/* Packs the arguments at the parameters' offsets if these are known and the
 * format fits. Otherwise packs them as one buffer by PyCUDA's rules. */
static int
format_pack(struct core_function *function, const struct core_format *format,
            PyObject *const *args, Py_ssize_t count, struct core_pack *pack)
{
    const struct core_layout *layout = &function->layout;
    if ((size_t)count != format->count) {
        return core_launch_error(
            core_struct_error(), function, "prepared_count", "(OnN)",
            function->arg_format == NULL ? Py_None : function->arg_format,
            (Py_ssize_t)format->count, core_launch_arguments(args, count));
    }
    if (LIKELY(format->by_layout)) {
        return format_pack_by_layout(function, format, args, pack);
    }
    if (layout->known && format->bytes != layout->bytes) {
        return format_error(function);
    }
    if (core_pack_reserve(pack, format->bytes, 0) < 0) {
        return -1;
    }
    memset(pack->buffer, 0, format->bytes);
    for (Py_ssize_t i = 0; i < count; i++) {
        const struct core_field *field = &format->fields[i];
        if (field_store(function, i, field, args[i], pack,
                        pack->buffer + field->offset, field->bytes) < 0) {
            return core_launch_error_prepared(function, i, field->code,
                                              args[i]);
        }
    }
    for (uint32_t i = 0; layout->known && i < layout->count; i++) {
        pack->pointers[i] = pack->buffer + layout->parameters[i].offset;
    }
    pack->as_buffer = !layout->known;
    pack->bytes = format->bytes;
    return 0;
}

void
core_format_release(struct core_format *format)
{
    if (format != NULL && --format->users == 0) {
        PyMem_Free(format);
    }
}

/* Packs the arguments by the function's format. Converting an argument may
 * call its __index__, which may call prepare() and replace the format. The
 * reference count keeps the old format alive. */
int
core_format_pack(struct core_function *function, PyObject *const *args,
                 Py_ssize_t count, struct core_pack *pack)
{
    pack->args = args;
    pack->count = count;
    struct core_format *format = function->format;
    format->users++;
    int status = format_pack(function, format, args, count, pack);
    core_format_release(format);
    return status;
}
