/* free_site.c - the Python lines that freed device memory, for the messages of
 * later uses.
 *
 * A ring buffer has the latest calls of free(). It is looked up from the
 * newest entry to the oldest one, so that an entry of an earlier object at the
 * same address is never taken for that of the present one: each explicit free
 * makes an entry, and the oldest entries are overwritten first.
 *
 * SPDX-License-Identifier: MIT */
#include "core/memory/free_site.h"
#include "core/core.h"

enum { RECORDED_FREES = 64 };

static struct {
    const PyObject *object; /* only compared: it may be gone */
    PyCodeObject *code;     /* strong reference, or NULL */
    int instruction;        /* offset of the call in the code */
} sites[RECORDED_FREES];
static unsigned newest;

void
core_free_site_record(PyObject *object)
{
    PyFrameObject *frame = PyEval_GetFrame();
    unsigned at = (newest + 1) % RECORDED_FREES;
    PyCodeObject *old = sites[at].code;
    newest = at;
    sites[at].object = object;
    sites[at].code = frame == NULL ? NULL : PyFrame_GetCode(frame);
    sites[at].instruction = frame == NULL ? 0 : PyFrame_GetLasti(frame);
    /* last, since it may run Python code */
    Py_XDECREF((PyObject *)old);
}

int
core_free_site_fail(PyObject *object, const char *routine, const char *what)
{
    char text[320];
    snprintf(text, sizeof text, "%s was freed", what);
    for (unsigned i = 0; i < RECORDED_FREES; i++) {
        unsigned at = (newest + RECORDED_FREES - i) % RECORDED_FREES;
        if (sites[at].object != object) {
            continue;
        }
        PyCodeObject *code = sites[at].code;
        const char *file =
            code == NULL ? NULL : PyUnicode_AsUTF8(code->co_filename);
        if (file == NULL) {
            PyErr_Clear();
            break;
        }
        size_t length = strlen(file);
        snprintf(text, sizeof text, "%s was freed at %s:%d", what,
                 file + (length > 200 ? length - 200 : 0),
                 PyCode_Addr2Line(code, sites[at].instruction));
        break;
    }
    return core_fail(CUDA_ERROR_INVALID_HANDLE, routine, text);
}
