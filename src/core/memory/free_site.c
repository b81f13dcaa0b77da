/* free_site.c - the Python lines that freed device memory, for the messages of
 * later uses.
 *
 * A ring buffer has the latest calls of free(). It is searched from the newest
 * to the oldest entry for the address of a Python object. Several entries may
 * have that address, because Python reuses the memory of destroyed objects.
 * The newest one belongs to the object that exists now.
 *
 * SPDX-License-Identifier: MIT */
#include "core/memory/free_site.h"
#include "core/core.h"
#include "core/python/locks.h"

/* number of latest frees that are kept; a power of two */
enum { RECORDED_FREES = 64 };

/* A call of free(): the freed object, and the Python instruction that made the
 * call. The line number is only computed for a message. */
struct site {
    /* the freed object; may be destroyed, so only compared */
    const PyObject *object;
    PyCodeObject *code; /* strong reference, or NULL */
#if PY_VERSION_HEX < 0x030C0000
    const void *instruction; /* address of an instruction in the code object */
#else
    int instruction; /* offset in bytes of an instruction in the code object */
#endif
};

static struct site sites[RECORDED_FREES];
static unsigned newest;
/* protects both */
LEAF_LOCK(sites_lock);

/* site_read stores the running Python function and instruction in `site`, with
 * a new reference to the code. It does not create a frame object, as
 * PyEval_GetFrame does. site_instruction returns the offset of the site's
 * instruction in bytes. */
#if PY_VERSION_HEX < 0x030C0000
/* The first fields of Python 3.11's interpreter frames. */
struct frame {
    PyObject *function, *globals, *builtins, *locals;
    PyCodeObject *code;
    PyFrameObject *object;
    struct frame *previous;
    const void *instruction;
};

static inline void
site_read(struct site *site)
{
    const struct frame *frame =
        (const struct frame *)PyThreadState_Get()->cframe->current_frame;
    if (UNLIKELY(frame == NULL)) {
        site->code = NULL;
        return;
    }
    Py_INCREF(frame->code);
    site->code = frame->code;
    site->instruction = frame->instruction;
}

static int
site_instruction(const struct site *site)
{
    return (int)((const char *)site->instruction -
                 (const char *)_PyCode_CODE(site->code));
}
#else
static inline void
site_read(struct site *site)
{
#if PY_VERSION_HEX < 0x030D0000
    struct _PyInterpreterFrame *frame =
        PyThreadState_Get()->cframe->current_frame;
#else
    struct _PyInterpreterFrame *frame = PyThreadState_Get()->current_frame;
#endif
    PyObject *code =
        frame == NULL ? NULL : PyUnstable_InterpreterFrame_GetCode(frame);
    if (code != NULL && !PyCode_Check(code)) {
        Py_CLEAR(code);
    }
    site->code = (PyCodeObject *)code;
    site->instruction =
        code == NULL ? 0 : PyUnstable_InterpreterFrame_GetLasti(frame);
}

static int
site_instruction(const struct site *site)
{
    return site->instruction;
}
#endif

void
core_free_site_record(PyObject *object)
{
    struct site read = {.object = object};
    site_read(&read);
    LEAF_BEGIN(sites_lock);
    struct site *site = &sites[++newest % RECORDED_FREES];
    PyCodeObject *old = site->code;
    *site = read;
    LEAF_END(sites_lock);
    /* Called last: the destructor may run Python code. */
    Py_XDECREF((PyObject *)old);
}

/* Finds the newest free of the object, and stores it in *site with a new
 * reference to its code. Returns false, with a NULL code, if no free of the
 * object is recorded. */
static bool
site_find(const PyObject *object, struct site *site)
{
    site->code = NULL;
    LEAF_BEGIN(sites_lock);
    for (unsigned i = 0; i < RECORDED_FREES; i++) {
        const struct site *entry = &sites[(newest - i) % RECORDED_FREES];
        if (entry->object == object) {
            *site = *entry;
            Py_XINCREF((PyObject *)site->code);
            break;
        }
    }
    LEAF_END(sites_lock);
    return site->code != NULL;
}

int
core_free_site_fail(PyObject *object, const char *routine, const char *what)
{
    char text[320];
    snprintf(text, sizeof text, "%s was freed", what);
    struct site site;
    const char *file = NULL;
    if (site_find(object, &site)) {
        file = PyUnicode_AsUTF8(site.code->co_filename);
    }
    if (file != NULL) {
        size_t length = strlen(file);
        snprintf(text, sizeof text, "%s was freed at %s:%d", what,
                 file + (length > 200 ? length - 200 : 0),
                 PyCode_Addr2Line(site.code, site_instruction(&site)));
    }
    PyErr_Clear();
    Py_XDECREF((PyObject *)site.code);
    return core_fail(CUDA_ERROR_INVALID_HANDLE, routine, text);
}
