/* image.h - corrects the version and checksum of images, for targets that
 * read them. The corpus stays useful when the version changes.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_TESTS_FUZZ_IMAGE_H
#define PYCUDA_TESTS_FUZZ_IMAGE_H

#include "fuzz.h"

#include "image/image.h"

/* Writes the current version to each of the images in `bytes`, unless theirs
 * is 0: such inputs keep a wrong version. */
static inline void
image_renew(char *bytes, size_t size)
{
    const uint32_t version = IMAGE_VERSION;
    struct image_header header;

    while (size >= sizeof header) {
        memcpy(&header, bytes, sizeof header);
        if (header.magic != IMAGE_MAGIC || header.bytes < sizeof header) {
            return;
        }
        if (header.version != 0) {
            memcpy(bytes + offsetof(struct image_header, version), &version,
                   sizeof version);
        }
        if (header.bytes > size) {
            return;
        }
        bytes += header.bytes;
        size -= header.bytes;
    }
}

/* Renews the image, and writes the checksum of the image in `bytes`, unless it
 * is 0: such inputs keep a wrong checksum. */
static inline void
image_seal(char *bytes, size_t size)
{
    const size_t start = offsetof(struct image_header, checksum);
    struct image_header header;
    uint64_t hash = 0xcbf29ce484222325u;

    image_renew(bytes, size);
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
