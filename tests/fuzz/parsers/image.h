/* image.h - corrects the checksums of images, for targets that load them.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_TESTS_FUZZ_IMAGE_H
#define PYCUDA_TESTS_FUZZ_IMAGE_H

#include "fuzz.h"

#include "image/image.h"

/* Writes the checksum of the image in `bytes`, unless it is 0: such inputs
 * keep a wrong checksum. */
static inline void
image_seal(char *bytes, size_t size)
{
    const size_t start = offsetof(struct image_header, checksum);
    struct image_header header;
    uint64_t hash = 0xcbf29ce484222325u;

    if (size < sizeof header) {
        return;
    }
    memcpy(&header, bytes, sizeof header);
    if (header.checksum == 0 || header.bytes > size) {
        return;
    }
    for (size_t i = 0; i < header.bytes; i++) {
        unsigned char byte = i - start < 8 ? 0 : (unsigned char)bytes[i];
        hash = (hash ^ byte) * 0x100000001b3u;
    }
    memcpy(bytes + start, &hash, sizeof hash);
}

#endif
