/* call_site.c - finds the line of Python or the C symbol that called the
 * library.
 *
 * Called when memory is allocated or freed while checks are on. In a process
 * with Python, if this thread holds the GIL, the call site is the innermost
 * Python frame outside the pycuda package; the functions of Python's C API are
 * looked up with dlsym. Otherwise it is the first native caller outside this
 * library.
 *
 * SPDX-License-Identifier: MIT */
#include <dlfcn.h>
#include <execinfo.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "cpu/check/check.h"

/* Pointers to functions of Python's stable C API, in the order of the names in
 * python_find. */
struct python {
    int (*has_gil)(void);
    void *(*frame)(void);
    void *(*back)(void *);
    void *(*code)(void *);
    int (*line)(void *);
    void *(*attribute)(void *, const char *);
    const char *(*text)(void *, ssize_t *);
    void (*release)(void *);
    void (*fetch)(void **, void **, void **);
    void (*restore)(void *, void *, void *);
    void *(*thread)(void);
    int (*ensure)(void);
    void (*give_back)(int);
};

static bool
python_find(struct python *python)
{
    static const char *const names[] = {"PyGILState_Check",
                                        "PyEval_GetFrame",
                                        "PyFrame_GetBack",
                                        "PyFrame_GetCode",
                                        "PyFrame_GetLineNumber",
                                        "PyObject_GetAttrString",
                                        "PyUnicode_AsUTF8AndSize",
                                        "Py_DecRef",
                                        "PyErr_Fetch",
                                        "PyErr_Restore",
                                        "PyGILState_GetThisThreadState",
                                        "PyGILState_Ensure",
                                        "PyGILState_Release"};
    void *found[sizeof names / sizeof *names];

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        found[i] = dlsym(RTLD_DEFAULT, names[i]);
        if (!found[i]) {
            return false;
        }
    }
    _Static_assert(sizeof *python == sizeof found, "one a name");
    memcpy(python, found, sizeof found);
    return true;
}

/* Finds the folder of the Python package that contains this library. Sets
 * `path` to a text that begins with the folder's path, and returns the length
 * of that path including the final slash. Returns 0 if the library is not
 * inside a package. */
static size_t
package_length(const char **path)
{
    Dl_info self;

    if (!dladdr((void *)(uintptr_t)cpu_check_call_site, &self) ||
        !self.dli_fname) {
        return 0;
    }
    const char *end = strstr(self.dli_fname, "/lib/libpycuda_cpu");
    *path = self.dli_fname;
    return end ? (size_t)(end - self.dli_fname) + 1 : 0;
}

/* Writes the file and line of the Python frame to `text`. Returns false if the
 * file belongs to the Python package that contains this library. */
static bool
frame_call_site(const struct python *python, void *frame,
                char text[CPU_CHECK_CALL_SITE_SIZE])
{
    const char *package = NULL;
    size_t length = package_length(&package);
    ssize_t size;
    void *code = python->code(frame);
    void *file = code ? python->attribute(code, "co_filename") : NULL;
    const char *name = file ? python->text(file, &size) : NULL;
    bool found = name && !(length && !strncmp(name, package, length));

    if (found) {
        size_t over = strlen(name) > 120 ? strlen(name) - 120 : 0;
        snprintf(text, CPU_CHECK_CALL_SITE_SIZE, "%s:%d", name + over,
                 python->line(frame));
    }
    if (file) {
        python->release(file);
    }
    if (code) {
        python->release(code);
    }
    return found;
}

/* Finds the call site in Python frames. The caller holds the GIL. */
static bool
frames_call_site(const struct python *python,
                 char text[CPU_CHECK_CALL_SITE_SIZE])
{
    /* The caller's pending Python exception is saved here and restored at the
     * end. An exception raised in between is dropped. */
    void *error[3];
    bool found = false;

    python->fetch(&error[0], &error[1], &error[2]);
    void *frame = python->frame(); /* the innermost frame is a borrowed
                                    * reference, which is not released */
    for (bool borrowed = true; frame && !found; borrowed = false) {
        found = frame_call_site(python, frame, text);
        void *back = found ? NULL : python->back(frame);
        if (!borrowed) {
            python->release(frame);
        }
        frame = back;
    }
    python->restore(error[0], error[1], error[2]);
    return found;
}

static void
native_call_site(char text[CPU_CHECK_CALL_SITE_SIZE])
{
    void *callers[16];
    int count = backtrace(callers, 16);
    Dl_info self, caller;

    if (!dladdr((void *)(uintptr_t)cpu_check_call_site, &self)) {
        return;
    }
    for (int i = 0; i < count; i++) {
        if (!dladdr(callers[i], &caller) ||
            caller.dli_fbase == self.dli_fbase || !caller.dli_fname) {
            continue;
        }
        const char *file = strrchr(caller.dli_fname, '/');
        snprintf(text, CPU_CHECK_CALL_SITE_SIZE, "%s%s%.60s+0x%zx",
                 caller.dli_sname ? caller.dli_sname : "",
                 caller.dli_sname ? " in " : "",
                 file ? file + 1 : caller.dli_fname,
                 (size_t)((char *)callers[i] - (char *)caller.dli_fbase));
        return;
    }
}

/* Finds the call site in Python frames. If the thread does not hold the GIL
 * and `may_wait` is true, acquires the GIL temporarily. Returns false if the
 * thread does not hold the GIL and `may_wait` is false, or if no frame is
 * found. */
static bool
python_call_site(char text[CPU_CHECK_CALL_SITE_SIZE], bool may_wait)
{
    struct python python;

    if (!python_find(&python)) {
        return false;
    }
    if (python.has_gil()) {
        return frames_call_site(&python, text);
    }
    if (!may_wait || !python.thread()) {
        return false;
    }
    int state = python.ensure();
    bool found = frames_call_site(&python, text);
    python.give_back(state);
    return found;
}

void
cpu_check_call_site_in(char text[CPU_CHECK_CALL_SITE_SIZE], bool may_wait)
{
    text[0] = 0;
    if (!python_call_site(text, may_wait)) {
        native_call_site(text);
    }
}

void
cpu_check_call_site(char text[CPU_CHECK_CALL_SITE_SIZE])
{
    cpu_check_call_site_in(text, false);
}
