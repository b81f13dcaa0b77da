/* file.c - reads files that contain compiled code (images), and refuses files
 * that are not regular.
 *
 * Called by module_type.c and linker.c. Refuses pipes and device files, which
 * could block the reader forever. Also refuses ints, which Python's open()
 * would use as file descriptors. All functions need the GIL and release it
 * around system calls.
 *
 * SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/code/file.h"
#include "core/core.h"
#include "core/python/gil.h"

/* Opens a regular file. Returns its descriptor and stores its size in bytes,
 * or returns -1 and sets errno. */
static int
file_open(const char *path, size_t *size)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    if (fd < 0) {
        return -1;
    }
    if (fstat(fd, &status)) {
        close(fd);
        return -1;
    }
    if (!S_ISREG(status.st_mode)) {
        close(fd);
        errno = S_ISDIR(status.st_mode) ? EISDIR : ENODEV;
        return -1;
    }
    *size = (size_t)status.st_size;
    return fd;
}

static int
file_open_unlocked(const char *path, size_t *size)
{
    PyThreadState *thread = core_gil_release();
    int fd = file_open(path, size);
    int error = errno;

    core_gil_acquire(thread);
    errno = error;
    return fd;
}

/* Raises the exception of CUDA_ERROR_FILE_NOT_FOUND, with the path and the
 * text of the errno `error`. */
static void
file_fail(int error, const char *routine, const char *path)
{
    PyObject *detail = PyUnicode_FromFormat(
        "%s: %s", path,
        error == ENODEV ? "not a regular file" : strerror(error));
    const char *text = detail ? PyUnicode_AsUTF8(detail) : NULL;

    if (text == NULL) {
        PyErr_Clear();
    }
    core_fail(CUDA_ERROR_FILE_NOT_FOUND, routine, text ? text : path);
    Py_XDECREF(detail);
}

int
code_file_check(const char *path, const char *routine)
{
    size_t size;
    int fd = file_open_unlocked(path, &size);

    if (fd < 0) {
        file_fail(errno, routine, path);
        return -1;
    }
    close(fd);
    return 0;
}

/* Reads `size` bytes. Returns 0 or an errno. If the file was truncated after
 * it was opened, fills the rest of the bytes with zeros; later checks of the
 * image detect the damage. */
static int
file_read(int fd, char *bytes, size_t size)
{
    while (size) {
        ssize_t n = read(fd, bytes, size);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            return errno;
        }
        if (n == 0) {
            memset(bytes, 0, size);
            break;
        }
        bytes += n;
        size -= (size_t)n;
    }
    return 0;
}

PyObject *
code_file_read(PyObject *name, const char *routine)
{
    PyObject *encoded;
    size_t size = 0;

    if (!PyUnicode_FSConverter(name, &encoded)) {
        return NULL; /* TypeError was raised, for example for an int */
    }
    const char *path = PyBytes_AS_STRING(encoded);
    int fd = file_open_unlocked(path, &size);
    if (fd < 0) {
        file_fail(errno, routine, path);
        Py_DECREF(encoded);
        return NULL;
    }
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size);
    if (bytes != NULL) {
        char *target = PyBytes_AS_STRING(bytes);
        PyThreadState *thread = core_gil_release();
        int error = file_read(fd, target, size);
        core_gil_acquire(thread);
        if (error) {
            file_fail(error, routine, path);
            Py_CLEAR(bytes);
        }
    }
    close(fd);
    Py_DECREF(encoded);
    return bytes;
}
