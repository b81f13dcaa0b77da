/* private.h - object layouts and helpers that the files of core share.
 *
 * All functions need the GIL and keep it, unless a comment says otherwise. An
 * int result is 0, or -1 with an exception. An object result is a new
 * reference, or NULL with an exception. "Borrowed" means without a reference,
 * "strong" with one. The comment at a function's definition has the details.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_PRIVATE_H
#define PYCUDA_CORE_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/core.h"
#include "core/state.h"

#include <structmember.h>

/* Puts a thread-local variable where an access needs no function call. */
#define CORE_AT_ONCE __attribute__((tls_model("initial-exec")))

/* First fields of each object that belongs to a context. `context` is a strong
 * reference, which tp_clear does not drop. */
#define CORE_HEAD                                                             \
    PyObject_HEAD                                                             \
    PyObject *dict;                                                           \
    PyObject *weakrefs;                                                       \
    struct core_context *context;
struct core_object {
    CORE_HEAD
};

enum core_context_kind {
    CONTEXT_CREATED, /* created by this module; ended by cuCtxDestroy */
    CONTEXT_PRIMARY, /* retained; ended by cuDevicePrimaryCtxRelease */
    CONTEXT_FOREIGN, /* created by another library; never destroyed */
};
/* A live stream of a context; the memory pool reads the list of them. */
struct core_stream_row {
    CUstream handle;
    bool blocking; /* synchronizes with the legacy default stream */
};
/* A recent launch, for an error message if its kernel fails later. */
struct core_launched {
    PyObject *name; /* strong; NULL: find it by `function` */
    CUfunction function;
    unsigned grid[3], block[3];
    bool is_row; /* grid[1], grid[2] and block[2] are 1 */
};
enum { CORE_LAUNCHES_KEPT = 3 };
/* A pending copy: host memory of an asynchronous copy (memory/flight.c). */
struct core_flight {
    PyObject *host; /* strong reference */
    CUstream stream;
    CUevent event;
};
enum { CORE_QUEUES = 8 };
/* Pending launches of one stream, as counted by launch/queue.c. */
struct core_queue {
    CUstream stream;
    unsigned count;  /* launches not known to be complete */
    unsigned look;   /* value of `count` at which to check for completion */
    unsigned marked; /* launches before `event`; 0: no event */
    unsigned done;   /* completed launches; done + count never decreases */
    CUevent event;
};
struct core_context {
    CORE_HEAD /* `context` is NULL in a context */
        /* Read by each operation, so on adjacent cache lines. */
        uint64_t serial;      /* context key (core_context) */
    struct core_queue *queue; /* entry of the last launch's stream */
    struct core_pool *pool;
    bool valid;              /* not detached */
    bool guarded;            /* uses of its memory take the slow path */
    unsigned captures;       /* number of open captures by Stream.capture */
    uint64_t noted;          /* 1 + number of changes of `launched` */
    unsigned launched_at;    /* index in `launched` of the newest launch */
    unsigned launched_count; /* entries in use */
    struct core_launched launched[CORE_LAUNCHES_KEPT]; /* a ring buffer */
    struct core_queue queues[CORE_QUEUES + 1]; /* last: all other streams */
    CUcontext handle;
    CUdevice device;
    bool ending; /* a thread is executing detach() */
    enum core_context_kind kind;
    struct core_stream_row *streams;
    size_t stream_count;
    PyObject *held;    /* list: objects used by open captures, or NULL */
    CUdeviceptr *late; /* device memory to free when the captures end */
    size_t late_count;
    struct core_scratch *scratch; /* one entry per stream */
    size_t scratch_count;
    struct core_staging *staging; /* NULL before the first staged copy */
    cublasHandle_t cublas;        /* NULL before the first cuBLAS product */
    struct core_flight *flights;
    size_t flight_count, flight_room;
    size_t flight_next; /* index of the pending copy to check next */
    PyObject *kept[CORE_KEPT_COUNT];
    struct core_function *functions; /* all live Functions of the context */
    struct core_graph_link *graphs;  /* all native graphs of the context */
    struct core_context *next;       /* next in the list of all contexts */
};
struct core_allocation {
    CORE_HEAD
    /* Read by each operation, so on the cache line of `context`. */
    CUstream stream; /* stream of the last use */
    bool cached : 1; /* allocated from the default pool */
    bool freed : 1;
    bool escaped : 1;   /* its address was given out as an integer */
    bool scattered : 1; /* used on streams that do not wait for each other */
    bool touched : 1;   /* used since it was allocated */
    bool settled : 1;   /* work of the memory's previous owner is complete */
    bool crossed : 1;   /* last used by another context, on `user_stream`;
                           `stream` is unused, `scattered` set */
    bool was_scattered : 1; /* value of `scattered` before `crossed` was set */
    uint32_t bin;           /* size class in its pool */
    size_t bytes;           /* requested size */
    size_t room; /* size in bytes of its block in the default pool */
    CUdeviceptr pointer;
    PyObject *pool;            /* strong; DeviceMemoryPool, if pooled_type */
    struct core_context *user; /* borrowed, may be freed: other context */
    CUstream user_stream;
};
struct core_stream_object {
    CORE_HEAD
    CUstream handle;
    bool foreign; /* from Stream.from_handle: never destroyed */
};
/* Streams that a thread has entered by a with statement, the newest last. */
struct core_entry {
    struct core_stream_object *stream; /* strong reference */
    uint64_t turn; /* number of the entry, unique in the process */
};
struct core_entered {
    struct core_entry *entries;
    size_t count, capacity;
};
struct core_event {
    CORE_HEAD
    CUevent handle;
};
/* Offset and size in bytes of one kernel parameter. */
struct core_parameter {
    uint32_t offset, bytes;
};
/* Parameters of one kernel; not `known` if the image has no description. */
struct core_layout {
    char *name;
    struct core_parameter *parameters;
    uint32_t count;
    uint32_t bytes; /* offset of the end of the last parameter */
    bool known;
};
struct core_layouts {
    struct core_layout *rows;
    size_t count;
    bool complete; /* `rows` has all kernels of the image */
};
struct core_module {
    CORE_HEAD
    CUmodule handle;
    struct core_layouts layouts;
    struct core_texture *textures; /* owned list */
};

/* How a launch reads a kernel argument, by its Python type. */
enum core_argument {
    ARGUMENT_UNKNOWN,
    ARGUMENT_INTEGER,  /* NumPy signed integer scalar */
    ARGUMENT_UNSIGNED, /* NumPy unsigned integer scalar */
    ARGUMENT_BITS,     /* NumPy scalar whose bytes are copied unchanged */
    ARGUMENT_ALLOCATION,
    ARGUMENT_ARRAY,
    ARGUMENT_HANDLER,
    ARGUMENT_NDARRAY,
    ARGUMENT_VOID,
    ARGUMENT_TEXTURE, /* TextureObject, SurfaceObject */
    ARGUMENT_OTHER,   /* another object with an address, or an error */
};
/* Cached Python type of the last argument for one parameter. */
struct core_slot {
    PyTypeObject *type; /* strong reference */
    enum core_argument kind;
    uint32_t bytes; /* size of a NumPy scalar; 0 for other kinds */
    uint32_t looks; /* types checked so far against the kernel's source */
};
/* Grid or block of an earlier call; a repeated tuple is recognized. */
struct core_shape {
    PyObject *tuple; /* strong; contains only exact ints; or NULL */
    unsigned lengths[3];
};
struct core_function {
    CORE_HEAD
    /* Read by each launch, so on adjacent cache lines. */
    vectorcallfunc vectorcall;
    CUfunction handle;
    struct core_module *module;
    PyObject *name;
    struct core_slot *slots;       /* layout.count entries, or NULL */
    struct core_format *format;    /* parsed format of prepare(), or NULL */
    struct core_shape grid, block; /* as in the previous call */
    PyObject *names; /* last keyword names, if only block and grid; strong */
    int grid_at;     /* index of grid in `names`, or -1 */
    bool small;      /* few arguments: launch/again.c (fast path) applies */
    uint64_t noted;  /* the context's `noted` if its newest launch has `grid`
                        and `block`; or 0 */
    struct core_layout layout; /* memory: borrowed or own_parameters */
    struct core_parameter *own_parameters;
    struct core_function *next, **link; /* list of the context's Functions */
    PyObject *arg_format; /* format given to prepare(), or NULL */
    PyObject *texrefs;    /* list: texture references of prepare(), or NULL */
    struct core_oldstyle *old; /* owned; NULL until used */
    size_t shared_allowed;     /* dynamic shared memory in bytes; 0: unknown */
    bool warned;               /* pack.c has warned of PyCUDA's packing */
};
struct core_array_object {
    CORE_HEAD
    CUarray handle;
    PyObject *owner; /* keeps the array alive if not `owned` */
    bool owned;
};
/* Result type of declared texture fetches, stored by texture_reference.h. */
enum core_fetched {
    FETCHED_UNKNOWN,
    FETCHED_FLOATS,
    FETCHED_INTEGERS,
};
/* State of one texture or surface reference. */
struct core_texture {
    struct core_texture *next; /* next in the module's list */
    PyObject *name;            /* strong str; NULL without a module */
    CUdeviceptr variable; /* address of the module's 8-byte variable, or 0 */
    unsigned long long object; /* CUtexObject or CUsurfObject in use, or 0 */
    PyObject *resource; /* strong: the bound Array or allocation, or NULL */
    CUDA_RESOURCE_DESC where;
    CUDA_TEXTURE_DESC how;
    CUarray_format format;
    unsigned channels;
    bool surface, bound, dirty, has_flags;
    enum core_fetched gives;
};

/* -- python/args.c: arguments of methods; core.h declares core_args */
/* Convert an int or an object with __index__. OverflowError if it does not
 * fit. */
int core_size(PyObject *object, size_t *value);
int core_unsigned(PyObject *object, unsigned *value);
int core_int(PyObject *object, int *value);
/* Returns a str's UTF-8 text, borrowed. TypeError: "<what> must be a str". */
const char *core_text(PyObject *object, const char *what);
/* Copies a 64-byte IPC handle. LogicError (text `says`) for another size. */
int core_ipc_handle(PyObject *bytes, void *handle, const char *routine,
                    const char *says);
/* Reads 1 to 3 lengths: an int, tuple, list or array; missing ones are 1. */
int core_dimensions(PyObject *object, const char *what, unsigned out[3]);
/* core_dimensions; caches the last tuple and its lengths in `shape`. */
int core_shape_read(struct core_shape *shape, PyObject *object,
                    const char *what, unsigned out[3]);
static inline int
core_shape_known(struct core_shape *shape, PyObject *object, const char *what,
                 unsigned out[3])
{
    if (shape->tuple != object) {
        return core_shape_read(shape, object, what, out);
    }
    memcpy(out, shape->lengths, sizeof shape->lengths);
    return 0;
}
/* Reads the optional argument `flags`. `format`: "|O:" and the type's name. */
int core_flags_read(PyObject *args, PyObject *kwargs, const char *format,
                    unsigned *flags);
/* TypeError if the object's memory contains pointers to Python objects. */
int core_buffer_plain(PyObject *object);
/* Exports a buffer that is contiguous in C or Fortran order. */
int core_buffer(PyObject *object, bool writable, Py_buffer *view);
/* Reads an array shape of at most 32 lengths; returns their number, or -1. */
int core_shape(PyObject *shape, Py_intptr_t *lengths);

/* -- python/object.c: slots that all objects of a context share */
/* Allocates a zeroed object with a reference to `context`, or NULL. */
PyObject *core_object_new(PyTypeObject *type, struct core_context *context);
/* tp_traverse and tp_clear for the fields of CORE_HEAD but `context`. */
int core_object_traverse(PyObject *self, visitproc visit, void *arg);
int core_object_clear(PyObject *self);
/* First and last step of tp_dealloc; the last one frees the object. */
void core_object_begin_dealloc(PyObject *self);
void core_object_end_dealloc(PyObject *self);
/* tp_new of classes that Python cannot instantiate: RuntimeError. */
PyObject *core_no_new(PyTypeObject *type, PyObject *args, PyObject *kwargs);
/* Returns whether a subclass has its own __init__, so that tp_init instead of
 * tp_new (`make`) reads the arguments. */
static inline bool
core_init_reads(const PyTypeObject *type, newfunc make, initproc init)
{
    return type->tp_init != init && type->tp_new == make;
}
/* Creates the type, stores it in *field (strong) and adds it to the module. */
int core_add_type(PyObject *module, PyTypeObject **field, PyType_Spec *spec,
                  PyTypeObject *base);
/* Makes calls of a vectorcall type use a __call__ that is assigned to it. */
int core_let_replace_call(PyTypeObject *type);
/* __dictoffset__ and __weaklistoffset__ of CORE_HEAD. */
extern PyMemberDef core_object_members[];

/* -- python/check.c: CUresult to exception */
CUresult core_quiet(CUresult code); /* in destructors: ignores errors */
int core_open(void);                /* loads the driver library once */
/* core_open; LogicError, naming `routine`, before pycuda.driver.init(). */
int core_open_ready(const char *routine);

/* -- python/unlocked.c: the GIL around calls of the driver */
/* Marks a thread that uses the driver, at its first use of a context. */
void core_thread_uses_driver(void);
/* Release and acquire the GIL around a call of the driver or NVRTC. */
PyThreadState *core_unlock(void);
void core_lock(PyThreadState *thread);
/* Acquires the GIL after another wait. Blocks if Python ends the thread. */
void core_take_gil(PyThreadState *thread);
/* Called in a forked child: sets the count of active driver calls to 0. */
void core_unlocked_forked(void);

/* -- context/context.c, context/stack.c */
struct core_context *core_current(void);   /* borrowed; NULL with LogicError */
struct core_context *core_stack_top(void); /* borrowed; NULL: none */
/* Pushes a context on this thread's stack, but not on CUDA's own one. */
int core_stack_push(struct core_context *context);
struct core_context *core_stack_pop(void); /* strong; NULL: none */
int core_stack_restore(void);              /* makes the top current in CUDA */
/* Returns this thread's entered streams. With `create` NULL means an
 * exception, otherwise that there are none. */
struct core_entered *core_stack_entered(bool create);
/* Returns a Context that owns `handle`; on failure the caller still does. */
PyObject *core_context_wrap(CUcontext handle, CUdevice device,
                            enum core_context_kind kind);
/* Make `context` CUDA's current context, and undo that. false: the context is
 * gone, and core_leave must not be called. */
struct core_scope {
    bool pushed;
};
bool core_enter(struct core_context *context, struct core_scope *scope);
void core_leave(struct core_scope *scope);
/* Raises LogicError: the object's context was detached. Returns -1. */
int core_context_gone(const char *routine);
/* Add a stream to the context's list, and remove it. */
int core_context_add_stream(struct core_context *context, CUstream handle,
                            bool blocking);
void core_context_drop_stream(struct core_context *context, CUstream handle);

/* -- context/kept.c */
/* Add a new context to the list of contexts, and remove one that is freed. */
void core_kept_begin(struct core_context *context);
void core_kept_end(struct core_context *context);
struct core_context *core_contexts_first(void); /* head of the list */
/* Updates `guarded` of all contexts, after contexts or captures change. */
void core_contexts_guard(void);
/* Visit and drop the context-local storage; a drop changes the key. */
int core_kept_traverse(struct core_context *context, visitproc visit,
                       void *arg);
void core_kept_drop(struct core_context *context);

/* -- context/device.c: Device and its ordinal; TypeError for other objects */
PyObject *core_device_object(CUdevice device);
int core_device_ordinal(PyObject *device, CUdevice *ordinal);

/* -- python/enums.c */
/* Returns the member of the enum class `name` that has the value. */
PyObject *core_enum(const char *name, long value);
/* Returns the member of the enum `name` that is named by the str `member`;
 * upper and lower case are equal. NULL without an exception if there is
 * none. */
PyObject *core_enum_member(const char *name, PyObject *member);

/* -- memory/allocation.c, memory/pool.c */
/* Returns an object that owns `pointer`; on failure the caller still does. */
PyObject *core_allocation_wrap(PyTypeObject *type,
                               struct core_context *context,
                               CUdeviceptr pointer, size_t bytes);
/* If `code` is OUT_OF_MEMORY and *tried is false: frees idle memory, sets
 * *tried and returns true, and the caller retries. */
bool core_made_room(CUresult code, bool *tried);
/* Calls cuMemAlloc, with one retry after core_made_room. Raises nothing. */
CUresult core_allocate_raw(CUdeviceptr *pointer, size_t bytes);
/* core_check of an allocation's `code`. The error names the requested size. */
int core_allocate_check(CUresult code, size_t bytes, const char *routine);
/* LogicError if the memory was freed or its context was detached. */
int core_allocation_alive(struct core_allocation *allocation);
static inline bool
core_is_allocation(PyObject *object)
{
    return PyObject_TypeCheck(object, core.allocation_type) ||
           PyObject_TypeCheck(object, core.pooled_type);
}
static inline bool
core_is_array(PyObject *object)
{
    return core.array_type != NULL &&
           PyObject_TypeCheck(object, core.array_type);
}

/* -- python/holder.c: returns a writable memoryview, which keeps `owner` */
PyObject *core_host_view(PyObject *owner, CUdeviceptr pointer, size_t bytes);

/* -- memory/order.c, memory/allocation.c, memory/pool.c */
/* Returns whether `stream` is the default one or a Stream of the context. */
bool core_stream_known(const struct core_context *context, CUstream stream);
/* Returns the address as an int, and marks the allocation as escaped. */
PyObject *core_allocation_int(PyObject *allocation);
/* Allocates from the default pool, or from the driver. Raises nothing. */
CUresult core_pool_take(struct core_context *context, size_t bytes,
                        CUstream stream, struct core_allocation *allocation);
/* Returns the memory to the pool. false: the caller must free it. */
bool core_pool_give(struct core_allocation *allocation);
/* core_pool_give in tp_dealloc. true: the pool keeps the object, too. */
bool core_pool_keep(struct core_allocation *dead);
/* Frees the idle memory of the context's pool. Releases the GIL. */
void core_pool_trim(struct core_context *context);
/* Rules against reuse of memory in use; tests turn them off one by one. */
enum core_pool_rule {
    RULE_OTHER_STREAMS = 1, /* before reuse, wait for the last stream */
    RULE_ESCAPED = 2,   /* do not cache memory whose address was given out */
    RULE_SCATTERED = 4, /* do not cache memory that several streams used */
    RULE_ENDING_STREAMS = 8 /* wait for a stream before it is destroyed */
};
bool core_pool_heeds(enum core_pool_rule rule);
/* Marks the blocks last used on `stream`, which is idle, as reusable. */
void core_pool_stream_gone(struct core_context *context, CUstream stream);
/* Frees the context's memory pool and all its blocks. Releases the GIL. */
void core_pool_destroy(struct core_context *context);
unsigned core_bin_number(size_t bytes); /* index of PyCUDA's size class */
size_t core_bin_bytes(unsigned bin);

/* -- memory/scratch.c; core.h declares core_scratch */
/* Drops the scratch memory of a stream that is about to be destroyed. */
void core_scratch_stream_gone(struct core_context *context, CUstream stream);
/* Visit and drop all scratch memory of the context. */
int core_scratch_traverse(struct core_context *context, visitproc visit,
                          void *arg);
void core_scratch_drop(struct core_context *context);

/* -- memory/staging.c */
/* Takes the context's staging buffers for a copy; core_staging_give returns
 * them. NULL: the driver copies directly. */
struct core_staging *core_staging_take(const void *host, size_t bytes);
void core_staging_give(struct core_staging *ring);
/* Frees the staging buffers. If a copy uses them, it frees them at its end. */
void core_staging_drop(struct core_context *context);
/* Copy through the staging buffers, without the GIL; complete on return. */
CUresult core_staging_htod(struct core_staging *ring, CUdeviceptr target,
                           const void *source, size_t bytes, CUstream stream);
CUresult core_staging_dtoh(struct core_staging *ring, void *target,
                           CUdeviceptr source, size_t bytes, CUstream stream);

/* -- memory/flight.c */
/* Keeps a reference to `host`, the owner of the host memory at `address`,
 * until the copy just issued on `stream` is complete. */
void core_flight_keep(PyObject *host, const void *address, CUstream stream);
/* Drops the references of pending copies that are now complete. */
void core_flights_land(struct core_context *context);
/* Drops the references of all copies on `stream`, which is idle. */
void core_flights_of_stream(struct core_context *context, CUstream stream);
/* At the context's end: waits for all copies, and drops their references. */
void core_flights_drop(struct core_context *context);

/* -- memory/asyncpool.c: frees the memory that was dropped during captures */
void core_late_free(struct core_context *context);

/* -- code/layout.c, code/layout_cubin.c */
/* Returns whether the image (compiled code) is for the CPU device. */
bool core_image_of_cpu(const void *image, size_t bytes);
/* Returns false if the image is shorter than its headers declare. */
bool core_image_whole(const void *image, size_t bytes);
/* Reads the kernels' parameters; leaves out those that it cannot read. */
void core_layouts_read(const void *image, size_t bytes,
                       struct core_layouts *layouts);
void core_layouts_free(struct core_layouts *layouts);
/* Returns the layout of a kernel, borrowed from the table, or NULL. */
const struct core_layout *core_layouts_find(const struct core_layouts *table,
                                            const char *name);
/* Writes the names of the module's kernels. The table must be complete. */
void core_layouts_describe(const struct core_layouts *table, char *text,
                           size_t room);
/* core_layouts_read for a cubin, which is an ELF file. */
void core_layouts_read_cubin(const unsigned char *image, size_t bytes,
                             struct core_layouts *layouts);
/* Adds a kernel. NULL without an exception if there is no memory. */
struct core_layout *core_layouts_add(struct core_layouts *layouts,
                                     const char *name, size_t length,
                                     uint32_t count);
/* -- code/cublas.c: frees the context's handle */
void core_cublas_drop(struct core_context *context);
/* -- code/nvrtc.c: passes sys.path to the loader of libraries */
int core_library_dirs_tell(void);

/* -- code/program.c (Module), texture/texref.c */
/* Loads an image into the current context as a Module. */
PyObject *core_module_load(const void *image, size_t bytes);
/* Return the texture or surface reference of a module's variable. */
PyObject *core_texref_for(struct core_module *module, PyObject *name,
                          CUdeviceptr variable);
PyObject *core_surfref_for(struct core_module *module, PyObject *name,
                           CUdeviceptr variable);
/* Returns a new list of texture references; TypeError for other items. */
PyObject *core_texrefs_list(PyObject *texrefs);
/* Checks the references of a launch. LogicError if bound memory was freed. */
int core_texrefs_check(PyObject *texrefs);
/* Writes changed texture bindings in stream order. LogicError in captures. */
int core_textures_update(struct core_module *module, CUstream stream);
/* Frees the module's bindings of texture and surface references, with the
 * driver's texture and surface objects that they created. */
void core_textures_free(struct core_module *module);

/* -- texture/texobj.c */
/* Returns a texture or surface object's handle, and records its use on the
 * stream. LogicError if it was freed. */
int core_texture_object(PyObject *object, CUstream stream,
                        unsigned long long *handle);
int core_border_color(PyObject *object, float color[4]);

/* -- texture/cuarray.c */
/* Returns an Array's handle; LogicError if it was freed. */
int core_array_handle(PyObject *object, CUarray *handle);
/* Returns an Array; `owner` keeps `handle` alive, or NULL: the Array owns
 * it. */
PyObject *core_array_wrap(CUarray handle, struct core_context *context,
                          PyObject *owner);
/* Reads an ArrayDescriptor; TypeError for another object. */
int core_descriptor_read(PyObject *object, CUDA_ARRAY_DESCRIPTOR *descriptor);
/* Reads an ArrayDescriptor3D or an ArrayDescriptor. */
int core_descriptor3d_read(PyObject *object,
                           CUDA_ARRAY3D_DESCRIPTOR *descriptor);
/* -- texture/mipmap.c: a MipmappedArray's handle; LogicError if freed */
int core_mipmap_handle(PyObject *object, CUmipmappedArray *handle);

/* -- code/function.c; launch/ pack.c, format.c, launch.c, again.c */
/* Returns a new Function for a kernel; LogicError if the module lacks it. */
PyObject *core_function_new(struct core_module *module, const char *name);
/* Call a Function: the fast path (vectorcall), and the slow path. */
PyObject *core_function_vectorcall(PyObject *self, PyObject *const *args,
                                   size_t nargsf, PyObject *names);
PyObject *core_function_call(struct core_function *function,
                             PyObject *const *args, Py_ssize_t count,
                             PyObject *names);
/* Methods of Function; core_prepared_first: slow path of prepared_call. */
PyObject *core_prepared_call(PyObject *self, CORE_ARGS);
PyObject *core_prepared_first(struct core_function *function, CORE_ARGS);
PyObject *core_prepared_async_call(PyObject *self, CORE_ARGS);
PyObject *core_prepared_timed_call(PyObject *self, CORE_ARGS);
extern PyType_Spec core_timer_spec;
enum {
    CORE_LOCAL_BYTES = 1024,
    CORE_LOCAL_POINTERS = 64,
    CORE_SMALL_BYTES = 256, /* most argument bytes of a `small` function */
    CORE_SMALL_COUNT = 16,
};

/* Packed arguments of a launch; hot.h has pack_begin and pack_end. */
struct core_pack {
    PyObject *stream_object; /* borrowed; NULL or None for the default */
    CUstream stream;
    void **pointers; /* one address in `buffer` per parameter */
    char *buffer;    /* `local`, or heap memory if larger */
    void *heap;      /* NULL, or memory for `pointers` and `buffer` */
    size_t bytes;    /* size of the packed arguments, if as_buffer */
    size_t capacity, pointer_room;
    bool as_buffer; /* layout unknown: passed to the driver as one buffer */
    bool handlers;  /* some arguments are ArgumentHandlers */
    bool outputs;   /* an ArgumentHandler copies back to the host */
    bool cooperative;
    unsigned cluster[3];   /* cluster size in blocks; {0}: no clusters */
    PyObject *const *args; /* borrowed, for error messages */
    Py_ssize_t count;
    void *local_pointers[CORE_LOCAL_POINTERS];
    _Alignas(16) char local[CORE_LOCAL_BYTES];
};
/* Ensures capacity in bytes and pointers; may move the buffer to the heap. */
int core_pack_reserve(struct core_pack *pack, size_t bytes, size_t pointers);
/* Converts the arguments, and records the use of their memory on the stream.
 * May run Python code. */
int core_pack_arguments(struct core_function *function, PyObject *const *args,
                        Py_ssize_t count, struct core_pack *pack);
/* Stores an integer in `bytes` bytes; OverflowError if it does not fit. */
int core_pack_integer(struct core_function *function, Py_ssize_t index,
                      uint64_t bits, bool negative, char *target,
                      uint32_t bytes);
/* Reads an object's device address, and records its use on the stream. */
int core_pack_pointer(PyObject *object, struct core_pack *pack,
                      CUdeviceptr *pointer);
/* One argument in a format of prepare(). */
struct core_field {
    char code;
    char usual; /* `code` if parameter and field have the same size, else 0 */
    uint32_t bytes, offset; /* offset in PyCUDA's packing */
    uint32_t target;        /* offset of the parameter, if by_layout */
};
/* A parsed format. It is reference-counted, since Python code that runs during
 * a launch may call prepare() and replace it. */
struct core_format {
    unsigned users; /* references: the function, and calls in progress */
    size_t count;
    uint32_t bytes;
    bool by_layout; /* each field's `target` is valid */
    struct core_field fields[];
};
/* Parses a format; core_format_release frees it. struct.error if malformed. */
struct core_format *core_format_parse(PyObject *text);
void core_format_release(struct core_format *format);
/* Returns the format string of a NumPy type or dtype; "P" for others. */
PyObject *core_format_of_type(PyObject *type);
/* Method of Function: launches with a buffer of packed arguments. */
PyObject *core_launch_buffer(PyObject *self, CORE_ARGS);
/* Sets by_layout and each field's `target` if all fit their parameters. */
void core_format_place(struct core_format *format,
                       const struct core_layout *layout);
/* Caches `type` as the type of this parameter's argument. */
void core_slot_learn(struct core_slot *slot, PyTypeObject *type);
/* Like core_pack_arguments, but converts by the function's prepared format. */
int core_format_pack(struct core_function *function, PyObject *const *args,
                     Py_ssize_t count, struct core_pack *pack);
PyObject *core_struct_error(void); /* borrowed; never NULL */
/* Launches packed arguments. LaunchError or LogicError. May release the
 * GIL. */
int core_launch_packed(struct core_function *function, const unsigned grid[3],
                       const unsigned block[3], unsigned shared,
                       struct core_pack *pack);
/* Launches a kernel and counts it as pending. If device memory is exhausted,
 * frees idle memory and retries once. Raises nothing. */
CUresult core_launch_counted(struct core_context *context, CUfunction function,
                             const unsigned grid[3], const unsigned block[3],
                             unsigned shared, CUstream stream,
                             void **arguments, void **extra);
/* Allows launches with `bytes` of dynamic shared memory, which the driver
 * limits to about 48 KiB by default. */
int core_shared_allow(struct core_function *function, size_t bytes);
/* LogicError if the function's context is detached or none is current. */
int core_function_ready(struct core_function *function, const char *routine);

/* -- launch/queue.c */
/* Slow path of core_queue_add: asks the driver which launches are complete. */
bool core_queue_attend(struct core_context *context, CUstream stream);
/* Waits for all work of the context without the GIL. Raises nothing. */
CUresult core_queues_wait(struct core_context *context);
/* Called when a stream ends: still counts its launches until they complete. */
void core_queues_stream_gone(struct core_context *context, CUstream stream);
/* Returns whether all work of the native context is known to be complete. */
bool core_queues_empty(const struct core_context *context);
/* Destroys the context's queue events and sets the counts to 0. */
void core_queues_drop(struct core_context *context);
/* Returns whether the driver certainly accepts one more launch at once. */
static inline bool
core_queue_has_room(const struct core_queue *queue, CUstream stream)
{
    return queue->stream == stream && queue->count + 1 < queue->look;
}

/* Counts a launch or copy as pending. true: issuing it may block. */
static inline bool
core_queue_add(struct core_context *context, CUstream stream)
{
    struct core_queue *queue = context->queue;
    if (USUAL(core_queue_has_room(queue, stream))) {
        queue->count++;
        return false;
    }
    return core_queue_attend(context, stream);
}
/* core_queue_add in the current context; true without a context. */
static inline bool
core_queue_add_here(CUstream stream)
{
    struct core_context *context = core_stack_top();
    return context == NULL || core_queue_add(context, stream);
}

/* -- launch/failure.c */
/* Adds a launch to the context's recent launches. `name` may be NULL. */
void core_launch_note(struct core_context *context, PyObject *name,
                      CUfunction function, const unsigned grid[3],
                      const unsigned block[3]);
/* Clears the context's recent launches. */
void core_launches_forget(struct core_context *context);
/* Stores a Function's name in its recent launches, before it is freed. */
void core_launches_name(struct core_context *context, CUfunction function,
                        PyObject *name);
/* If `code` makes the context unusable, writes the recent launches to `text`
 * and returns true. */
bool core_sticky_detail(CUresult code, char *text, size_t room);
/* Raises the exception of a launch that the driver refused; returns -1. */
int core_launch_fail(CUresult code, struct core_function *function,
                     const unsigned grid[3], const unsigned block[3],
                     unsigned shared, const struct core_pack *pack);
/* End of error messages for threads without a current context. */
#define CORE_NO_CONTEXT                                                       \
    "Import pycuda.autoinit, or make or push a context: each thread has its " \
    "own"
/* -- launch/limits.c */
/* Writes "; <text>" to `at` for each device limit that is exceeded. */
void core_launch_limits(const struct core_function *function,
                        const unsigned grid[3], const unsigned block[3],
                        unsigned shared, char *at, size_t room);
/* Returns how many blocks the device runs at a time; -1: unknown. */
int core_launch_blocks_at_once(const struct core_function *function,
                               const unsigned block[3], unsigned shared);
/* -- code/occupancy.c: methods of Function */
PyObject *core_occupancy_blocks(PyObject *function, CORE_ARGS);
PyObject *core_occupancy_best(PyObject *function, CORE_ARGS);

/* -- stream/capture.c, stream/callback.c: methods of Stream; captures */
PyObject *core_stream_capture(PyObject *self, CORE_ARGS);
PyObject *core_stream_is_capturing(PyObject *self, void *unused);
PyObject *core_stream_add_callback(PyObject *self, CORE_ARGS);
/* Keeps `object` alive with the graphs of the context's open captures. */
int core_capture_hold(struct core_context *context, PyObject *object);
/* core_capture_hold for a launch's Function and arguments. */
int core_capture_hold_call(struct core_function *function,
                           PyObject *const *args, Py_ssize_t count);
/* Called after `stream` of context `to` has waited for an event of `from`: if
 * that wait added it to a capture, `to` counts as capturing. */
int core_capture_join(struct core_context *from, struct core_context *to,
                      CUstream stream);
/* Returns the stream that this thread captures, borrowed, and the capture's
 * `turn`, which is comparable with core_entry.turn. NULL: none. */
struct core_stream_object *
core_capture_newest(const struct core_context *context, uint64_t *turn);

/* -- stream/current.c */
/* Returns the Stream of a stream= argument, borrowed; NULL: the default. */
PyObject *core_stream_behind(PyObject *stream_or_none);
/* Slow path of core_stream_default: finds this thread's current stream. */
CUstream core_stream_default_find(void);
/* Returns this thread's current stream; NULL: the default stream. */
static inline CUstream
core_stream_default(void)
{
    return USUAL(core.stream_defaults == 0) ? NULL
                                            : core_stream_default_find();
}
uint64_t core_stream_turn(void); /* next number for core_entry.turn */
/* Make a stream current, and undo that. RuntimeError if it was not entered. */
int core_stream_push(struct core_stream_object *stream);
int core_stream_pop(struct core_stream_object *stream);
/* Drops all entered streams of a thread, at its end. */
void core_entered_clear(struct core_entered *entered);
PyObject *core_stream_use(PyObject *self, PyObject *unused);
/* Returns whether the stream captures or is blocked by another's capture. */
bool core_stream_captures(CUstream stream);
/* Replaces NULL by the current stream. LogicError if the stream captures. */
int core_stream_plain(CUstream *stream, const char *routine);
/* Returns whether a call with this stream= argument is synchronous. */
bool core_stream_waits(PyObject *stream_or_none);

/* -- launch/handler.c: ArgumentHandler as a kernel argument */
/* Returns the device address, allocated at the first use; records its use. */
int core_handler_pointer(PyObject *handler, CUstream stream,
                         CUdeviceptr *pointer);
/* Run before and after a launch: copy, or call a Python class's methods. */
int core_handler_pre(PyObject *handler, PyObject *stream);
int core_handler_post(PyObject *handler, PyObject *stream);
/* Returns whether the handler may copy to the host after the launch. */
bool core_handler_has_output(PyObject *handler);

/* -- one per file: registers its types or functions */
#define CORE_SETUPS(SETUP)                                                    \
    SETUP(check)                                                              \
    SETUP(enums)                                                              \
    SETUP(device)                                                             \
    SETUP(context)                                                            \
    SETUP(kept)                                                               \
    SETUP(holder)                                                             \
    SETUP(allocation)                                                         \
    SETUP(pool)                                                               \
    SETUP(hostmem)                                                            \
    SETUP(stream)                                                             \
    SETUP(current)                                                            \
    SETUP(event)                                                              \
    SETUP(memory)                                                             \
    SETUP(foreign)                                                            \
    SETUP(program)                                                            \
    SETUP(function)                                                           \
    SETUP(handler)                                                            \
    SETUP(cuarray)                                                            \
    SETUP(mipmap)                                                             \
    SETUP(staging)                                                            \
    SETUP(texref)                                                             \
    SETUP(texobj)                                                             \
    SETUP(memcpynd)                                                           \
    SETUP(mempool)                                                            \
    SETUP(ipc)                                                                \
    SETUP(linker)                                                             \
    SETUP(nvrtc)                                                              \
    SETUP(cublas)                                                             \
    SETUP(capture)                                                            \
    SETUP(asyncpool)                                                          \
    SETUP(graph)                                                              \
    SETUP(callback)                                                           \
    SETUP(unlocked)
#define SETUP(name) int core_##name##_setup(PyObject *module);
CORE_SETUPS(SETUP)
#undef SETUP

#endif
