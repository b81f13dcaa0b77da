/* texture_reference.h - texture and surface references of modules.
 *
 * Unless a comment says otherwise, the functions need the GIL and keep it. An
 * int result is 0, or -1 with an exception; a PyObject * result is a new
 * reference, or NULL with an exception.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_TEXTURE_TEXTURE_REFERENCE_H
#define PYCUDA_CORE_TEXTURE_TEXTURE_REFERENCE_H

#include "core/core.h"

struct core_module;

/* Result type of texture fetches, from the declaration of a texture
 * reference. */
enum core_fetched {
    FETCHED_UNKNOWN,
    FETCHED_FLOATS,
    FETCHED_INTEGERS,
};

/* State of one texture or surface reference. */
struct core_texture {
    /* next in the list of the module's references */
    struct core_texture *next;
    /* strong str: name of the variable; NULL without a module */
    PyObject *name;
    /* address of the reference's variable of 8 bytes in the module, or 0 */
    CUdeviceptr variable;
    /* native texture or surface object in use, or 0 */
    unsigned long long object;
    PyObject *resource; /* strong: the bound Array or allocation, or NULL */
    CUDA_RESOURCE_DESC where;
    CUDA_TEXTURE_DESC how;
    CUarray_format format;
    unsigned channels;
    bool surface, bound, dirty, has_flags;
    enum core_fetched gives;
};

/* core_texref_for returns the texture reference of a module's variable,
 * core_surfref_for the surface reference. */
PyObject *core_texref_for(struct core_module *module, PyObject *name,
                          CUdeviceptr variable);
PyObject *core_surfref_for(struct core_module *module, PyObject *name,
                           CUdeviceptr variable);
/* Returns the texture references as a new list. Raises TypeError if an item is
 * not a TextureReference. */
PyObject *core_texrefs_list(PyObject *texrefs);
/* Checks the argument `texrefs` of a launch. Raises LogicError if memory bound
 * to one of the references was freed. */
int core_texrefs_check(PyObject *texrefs);
/* Writes the handles of changed texture bindings into the module's variables,
 * on the stream. Raises LogicError if the stream captures. */
int core_textures_update(struct core_module *module, CUstream stream);
/* Frees the module's bindings of texture and surface references, with the
 * driver's texture and surface objects that they created. */
void core_textures_free(struct core_module *module);

/* Docstrings of TextureReference and SurfaceReference. */
#define DOC_SET_FORMAT                                                        \
    "Set the array_format and the number of channels of linear memory."
#define DOC_SET_MODE        "Set the address_mode of one axis."
#define DOC_SET_FILTER_MODE "Set the filter_mode: POINT or LINEAR."
#define DOC_SET_FLAGS       "Set the flags, a sum of TRSF constants."
#define DOC_BORDER          "Return the border color: four floats."
#define DOC_GET_ADDRESS     "Return the address of the bound linear memory."
#define DOC_GET_ARRAY       "Return the bound Array."
#define DOC_GET_MODE        "Return the address_mode of an axis."
#define DOC_FILTER          "Return the filter_mode."
#define DOC_GET_FORMAT      "Return (array_format, channels)."
#define DOC_GET_FLAGS       "Return the flags."

#endif
