/* occupancy.c - methods of Function that compute how many blocks of a kernel
 * the device can run at a time.
 *
 * SPDX-License-Identifier: MIT */
#include "core/code/function.h"
#include "core/code/occupancy.h"
#include "core/core.h"
#include "core/python/args.h"

/* Reads a block shape (an int or a tuple) and stores its number of threads. */
static int
threads_read(PyObject *object, int *threads)
{
    unsigned block[3];
    if (core_dimensions(object, "block", block) < 0) {
        return -1;
    }
    uint64_t all = (uint64_t)block[0] * block[1];
    all = all > INT32_MAX ? UINT64_MAX : all * block[2];
    if (all > INT32_MAX) {
        PyErr_SetString(PyExc_OverflowError, "block has too many threads");
        return -1;
    }
    *threads = (int)all;
    return 0;
}

/* Method max_active_blocks_per_multiprocessor(block, shared=0). `shared` is
 * the dynamic shared memory in bytes. */
PyObject *
core_occupancy_blocks(PyObject *op, CORE_ARGS)
{
    static const struct core_signature signature = {
        "max_active_blocks_per_multiprocessor", 1, {"block", "shared"}};
    struct core_function *self = (struct core_function *)op;
    PyObject *values[2];
    size_t shared = 0;
    int threads, blocks;
    if (core_args(&signature, args, nargs, names, values) < 0 ||
        threads_read(values[0], &threads) < 0 ||
        (values[1] != NULL && core_size(values[1], &shared) < 0) ||
        core_function_ready(self, "cuOccupancyMaxActiveBlocks"
                                  "PerMultiprocessor") < 0 ||
        core_shared_allow(self, shared) < 0 ||
        core_check(driver.cuOccupancyMaxActiveBlocksPerMultiprocessor(
                       &blocks, self->handle, threads, shared),
                   "cuOccupancyMaxActiveBlocksPerMultiprocessor") < 0) {
        return NULL;
    }
    return PyLong_FromLong(blocks);
}

/* Method max_potential_block_size(shared=0, limit=0). Returns (number of
 * blocks that fill the device, threads per block with the best occupancy). */
PyObject *
core_occupancy_best(PyObject *op, CORE_ARGS)
{
    static const struct core_signature signature = {
        "max_potential_block_size", 0, {"shared", "limit"}};
    struct core_function *self = (struct core_function *)op;
    PyObject *values[2];
    size_t shared = 0;
    int limit = 0, grid, threads;
    if (core_args(&signature, args, nargs, names, values) < 0 ||
        (values[0] != NULL && core_size(values[0], &shared) < 0) ||
        (values[1] != NULL && core_int(values[1], &limit) < 0) ||
        core_function_ready(self, "cuOccupancyMaxPotentialBlockSize") < 0 ||
        core_shared_allow(self, shared) < 0 ||
        core_check(driver.cuOccupancyMaxPotentialBlockSize(
                       &grid, &threads, self->handle, NULL, shared, limit),
                   "cuOccupancyMaxPotentialBlockSize") < 0) {
        return NULL;
    }
    return Py_BuildValue("(ii)", grid, threads);
}
