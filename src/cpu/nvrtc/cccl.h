/* cccl.h - NVIDIA's C++ libraries for kernels (CCCL: CUB, libcu++, Thrust).
 *
 * CCCL is not part of the package. It comes from a wheel or a CUDA toolkit,
 * as a folder that has the subfolders cub, cuda, nv and thrust.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_NVRTC_CCCL_H
#define PYCUDA_CPU_NVRTC_CCCL_H

#include <limits.h>
#include <stdbool.h>

struct nvrtc_digest;
struct nvrtc_options;
struct nvrtc_strings;

/* Stores the path of the folder with CCCL's headers: the folder that an -I
 * option in `preprocess` names, or else an installed one. Returns false if
 * neither exists. */
bool nvrtc_cccl_find(char path[PATH_MAX],
                     const struct nvrtc_strings *preprocess);
/* Returns true if the source is to be compiled with CCCL's headers instead of
 * the package's own ones of the same names. This is true in two cases: the
 * source, or a header of --pre-include, includes a header of CCCL that the
 * package (folder `headers`) lacks; or an -I option names a folder of CCCL,
 * and the source includes any header of that folder. */
bool nvrtc_cccl_is_wanted(const char *source, const char *headers,
                          const struct nvrtc_options *options);
/* Returns true if the messages of a failed compilation mention a header or a
 * namespace of CCCL, so that a compilation with CCCL may succeed. */
bool nvrtc_cccl_is_mentioned(const char *log);
/* Text that says how to install CCCL, with a newline at its end. */
extern const char nvrtc_cccl_advice[];
/* Returns true if `word` is an -I option with a folder of CCCL. */
bool nvrtc_cccl_is_include(const char *word);
/* Returns true if CCCL's folder `cccl` has the header `name`. */
bool nvrtc_cccl_contains(const char *cccl, const char *name);
/* Returns true if no -D or -U option defines or undefines a macro that CCCL's
 * headers test. */
bool nvrtc_cccl_undefined(const struct nvrtc_strings *preprocess);
/* Adds the version of the CCCL in the folder `cccl` to the hash. Returns false
 * if it cannot be read. */
bool nvrtc_cccl_digest(struct nvrtc_digest *digest, const char *cccl);

#endif
