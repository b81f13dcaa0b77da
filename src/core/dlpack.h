/* dlpack.h - the memory layout of DLPack 1.0.
 *
 * A DLPack capsule passes an array between libraries. src/array makes and
 * reads capsules (array/dlpack.c); core reads the address in a capsule
 * (memory/foreign.c).
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_DLPACK_H
#define PYCUDA_CORE_DLPACK_H

#include <stdint.h>

/* DLPack device types that this module supports. */
enum dl_device_type {
    DL_CPU = 1,
    DL_CUDA = 2,
    DL_CUDA_HOST = 3,
    DL_CUDA_MANAGED = 13
};

struct dl_device {
    int32_t type, id;
};

enum dl_code {
    DL_INT,
    DL_UINT,
    DL_FLOAT,
    DL_BFLOAT = 4,
    DL_COMPLEX,
    DL_BOOL,
};

struct dl_dtype {
    uint8_t code, bits;
    uint16_t lanes;
};

struct dl_tensor {
    void *data;
    struct dl_device device;
    int32_t ndim;
    struct dl_dtype dtype;
    int64_t *shape;
    int64_t *strides; /* strides in elements; NULL: C order */
    uint64_t byte_offset;
};

/* Managed tensor before DLPack 1.0, in capsules named "dltensor". */
struct dl_managed {
    struct dl_tensor tensor;
    void *context;
    void (*deleter)(struct dl_managed *);
};

struct dl_version {
    uint32_t major, minor;
};

enum { DL_READ_ONLY = 1 };

/* Managed tensor since DLPack 1.0, in capsules named "dltensor_versioned". */
struct dl_versioned {
    struct dl_version version;
    void *context;
    void (*deleter)(struct dl_versioned *);
    uint64_t flags;
    struct dl_tensor tensor;
};

#define DL_OLD_NAME "dltensor"
#define DL_NEW_NAME "dltensor_versioned"

#endif
