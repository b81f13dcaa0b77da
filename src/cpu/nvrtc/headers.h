/* headers.h - the CUDA headers that the Python package contains.
 *
 * `headers` is the path of their folder, pycuda/cuda.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_NVRTC_HEADERS_H
#define PYCUDA_CPU_NVRTC_HEADERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct nvrtc_strings;

struct nvrtc_digest {
    uint64_t a, b;
};

/* Adds `n` bytes to the hash `digest`. */
void nvrtc_digest_add(struct nvrtc_digest *digest, const void *bytes,
                      size_t n);
/* Adds the contents of all headers in `folder` to the hash; if `deep` is true,
 * also those in its subfolders. Returns false if one cannot be read. */
bool nvrtc_headers_digest(struct nvrtc_digest *digest, const char *headers,
                          const char *folder, bool deep);
/* Returns true if no CUDA header of this package (folder `headers`) contains
 * the name of a macro that a -D or -U option defines or undefines. */
bool nvrtc_headers_undefined(const char *headers,
                             const struct nvrtc_strings *preprocess);
/* Returns true if `folder` contains a file with the name of a package
 * header. */
bool nvrtc_headers_shadowed(const char *headers, const char *folder);
/* Returns true if the package's `folder` contains the file `name`. */
bool nvrtc_headers_contain(const char *headers, const char *folder,
                           const char *name);
/* nvrtc_headers_are_only returns true if `word` is an -I option with the path
 * of the package headers' folder. nvrtc_headers_among returns true if the list
 * `preprocess` has such an option. */
bool nvrtc_headers_are_only(const char *headers, const char *word);
bool nvrtc_headers_among(const char *headers,
                         const struct nvrtc_strings *preprocess);

#endif
