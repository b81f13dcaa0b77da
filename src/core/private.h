/* private.h - object layouts and helpers that the files of core share.
 *
 * All functions need the GIL and keep it, unless a comment says otherwise. An
 * int result is 0, or -1 with an exception; an object result is a new
 * reference, or NULL with an exception. "Borrowed" means without a reference.
 * Details of a contract are at the function's definition.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_PRIVATE_H
#define PYCUDA_CORE_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/core.h"
#include "core/state.h"

#include <structmember.h>

/* For thread-local variables: in the initial block, accessed without a
 * call. */
#define CORE_AT_ONCE __attribute__((tls_model("initial-exec")))

/* First fields of a context's objects; `context` is strong, also in
 * tp_clear. */
#define CORE_HEAD                                                             \
    PyObject_HEAD                                                             \
    PyObject *dict;                                                           \
    PyObject *weakrefs;                                                       \
    struct core_context *context;
struct core_object {
    CORE_HEAD
};

enum core_context_kind {
    CONTEXT_CREATED, /* created here: cuCtxDestroy */
    CONTEXT_PRIMARY, /* retained: cuDevicePrimaryCtxRelease */
    CONTEXT_FOREIGN, /* attached: never destroyed */
};

/* A live stream of a context; the memory pool reads the list. */
struct core_stream_row {
    CUstream handle;
    bool blocking; /* synchronizes with the legacy default stream */
};

/* A recent launch, for the message if its kernel fails later. */
struct core_launched {
    PyObject *name; /* strong; NULL: look `function` up */
    CUfunction function;
    unsigned grid[3], block[3];
    bool is_row; /* grid[1], grid[2] and block[2] are 1 */
};
enum { CORE_LAUNCHES_KEPT = 3 };
/* A pending copy: host memory of an asynchronous copy (memory/flight.c). */
struct core_flight {
    PyObject *host; /* strong */
    CUstream stream;
    CUevent event;
};
enum { CORE_QUEUES = 8 };
/* Launches on a stream that the driver's queue may hold (launch/queue.c). */
struct core_queue {
    CUstream stream;
    unsigned count;  /* launches not known to be complete */
    unsigned look;   /* value of `count` at which to check for completion */
    unsigned marked; /* of `count`, before `event`; 0: no event */
    unsigned done;   /* known complete; the sum only grows */
    CUevent event;
};
struct core_context {
    CORE_HEAD /* `context` is NULL in a context */
        /* Fields that each operation reads, on adjacent cache lines. */
        uint64_t serial;      /* key; changes with its kernels */
    struct core_queue *queue; /* the row of the last launch */
    struct core_pool *pool;
    bool valid;              /* not detached */
    bool guarded;            /* uses of its memory take the slow path */
    unsigned captures;       /* captures that Stream.capture has open */
    uint64_t noted;          /* number of changes of `launched`, plus 1 */
    unsigned launched_at;    /* index of the newest */
    unsigned launched_count; /* at most CORE_LAUNCHES_KEPT */
    struct core_launched launched[CORE_LAUNCHES_KEPT]; /* a ring buffer */
    struct core_queue queues[CORE_QUEUES + 1]; /* last: other streams */
    CUcontext handle;
    CUdevice device;
    bool ending; /* a thread is detaching it */
    enum core_context_kind kind;
    struct core_stream_row *streams;
    size_t stream_count;
    PyObject *held;    /* list: objects used by open captures, or NULL */
    CUdeviceptr *late; /* to be freed when the captures end */
    size_t late_count;
    struct core_scratch *scratch; /* one row per stream */
    size_t scratch_count;
    struct core_staging *staging; /* NULL before the first staged copy */
    cublasHandle_t cublas;        /* NULL before the first product */
    struct core_flight *flights;
    size_t flight_count, flight_room;
    size_t flight_next; /* the pending copy to check next */
    PyObject *kept[CORE_KEPT_COUNT];
    struct core_function *functions; /* all live Functions of the context */
    struct core_graph_link *graphs;  /* destroyed with the context */
    struct core_context *next;       /* in the list of all contexts */
};
struct core_allocation {
    CORE_HEAD
    /* Fields that each operation reads, on the cache line of `context`. */
    CUstream stream; /* of the last use */
    bool cached : 1; /* from the default pool */
    bool freed : 1;
    bool escaped : 1;       /* its address left as an integer */
    bool scattered : 1;     /* used on streams without an order between them */
    bool touched : 1;       /* used since it was allocated */
    bool settled : 1;       /* previous owner's work is complete */
    bool crossed : 1;       /* last used by `user` on `user_stream`;
                               `stream` is none, `scattered` is set */
    bool was_scattered : 1; /* value of `scattered` before `crossed` was set */
    uint32_t bin;           /* size class in its pool */
    size_t bytes;           /* requested size */
    size_t room; /* size in bytes of its block in the default pool */
    CUdeviceptr pointer;
    PyObject *pool; /* strong; DeviceMemoryPool of a PooledDeviceAllocation */
    struct core_context *user; /* borrowed, with `crossed`; may be gone */
    CUstream user_stream;
};
struct core_stream_object {
    CORE_HEAD
    CUstream handle;
    bool foreign; /* from Stream.from_handle: never destroyed */
};

/* The streams that a thread has entered by `with`, the newest last. */
struct core_entry {
    struct core_stream_object *stream; /* strong */
    uint64_t turn; /* increases with each entry of the process */
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
/* Parameters of one kernel; not `known` if the image does not list them. */
struct core_layout {
    char *name;
    struct core_parameter *parameters;
    uint32_t count;
    uint32_t bytes; /* end of the last parameter */
    bool known;
};
struct core_layouts {
    struct core_layout *rows;
    size_t count;
    bool complete; /* the image names all its kernels */
};
struct core_module {
    CORE_HEAD
    CUmodule handle;
    struct core_layouts layouts;
    struct core_texture *textures; /* owned */
};

/* How the launch path reads an argument of one type. */
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
    ARGUMENT_OTHER,   /* __cuda_array_interface__ or gpudata, or an error */
};

/* Cached argument type of one parameter. */
struct core_slot {
    PyTypeObject *type; /* strong */
    enum core_argument kind;
    uint32_t bytes; /* size of a NumPy scalar; 0 for other kinds */
    uint32_t looks; /* number of types compared with the kernel's source */
};

/* A grid or block of an earlier call, recognized by its tuple's identity. */
struct core_shape {
    PyObject *tuple; /* strong, of exact ints; or NULL */
    unsigned lengths[3];
};
struct core_function {
    CORE_HEAD
    /* Fields that each launch reads, on adjacent cache lines. */
    vectorcallfunc vectorcall;
    CUfunction handle;
    struct core_module *module;
    PyObject *name;
    struct core_slot *slots;       /* layout.count rows, or NULL */
    struct core_format *format;    /* of prepare(), or NULL */
    struct core_shape grid, block; /* of the previous call */
    PyObject *names; /* last keywords, if block and grid; strong */
    int grid_at;     /* index of grid in `names`, or -1 */
    bool small;      /* few argument bytes: launch/again.c applies */
    uint64_t noted;  /* context's `noted` if the newest launch repeats
                        `grid` and `block`; or 0 */
    struct core_layout layout; /* borrowed, or of own_parameters */
    struct core_parameter *own_parameters;
    struct core_function *next, **link; /* list of the context's Functions */
    PyObject *arg_format;      /* format given to prepare(), or NULL */
    PyObject *texrefs;         /* list or NULL */
    struct core_oldstyle *old; /* owned; NULL before the first such call */
    size_t shared_allowed;     /* bytes of dynamic memory; 0: unknown */
    bool warned;               /* the packing warning was given */
};
struct core_array_object {
    CORE_HEAD
    CUarray handle;
    PyObject *owner; /* object that keeps a non-owning wrapper's array alive */
    bool owned;
};

/* Type of declared fetches: the values that texture_reference.h stores. */
enum core_fetched {
    FETCHED_UNKNOWN,
    FETCHED_FLOATS,
    FETCHED_INTEGERS,
};

/* State of one texture or surface reference. */
struct core_texture {
    struct core_texture *next; /* in its module's list */
    PyObject *name;            /* strong str; NULL without a module */
    CUdeviceptr variable;      /* the module's 8 bytes; 0 without one */
    unsigned long long object; /* CUtexObject or CUsurfObject in use, or 0 */
    PyObject *resource;        /* strong: the bound Array or allocation */
    CUDA_RESOURCE_DESC where;
    CUDA_TEXTURE_DESC how;
    CUarray_format format;
    unsigned channels;
    bool surface, bound, dirty, has_flags;
    enum core_fetched gives;
};

/* -- python/args.c: arguments of methods; core.h declares core_args */
/* Convert an object with __index__; OverflowError if it does not fit. */
int core_size(PyObject *object, size_t *value);
int core_unsigned(PyObject *object, unsigned *value);
int core_int(PyObject *object, int *value);
/* Returns a str's UTF-8 text, borrowed; TypeError names it by `what`. */
const char *core_text(PyObject *object, const char *what);
/* Copies the 64 bytes of an IPC handle; LogicError `says` for another size. */
int core_ipc_handle(PyObject *bytes, void *handle, const char *routine,
                    const char *says);
/* Reads 1 to 3 ints: one, a tuple, list or array; missing ones are 1. */
int core_dimensions(PyObject *object, const char *what, unsigned out[3]);
/* core_dimensions with a cache of one tuple of ints, in `shape`. */
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
/* Reads the optional argument `flags`; `format`: "|O:" and the type's name. */
int core_flags_read(PyObject *args, PyObject *kwargs, const char *format,
                    unsigned *flags);
/* TypeError if the memory holds pointers to Python objects. */
int core_buffer_plain(PyObject *object);
/* Exports a buffer that is contiguous in C or Fortran order. */
int core_buffer(PyObject *object, bool writable, Py_buffer *view);
/* Reads a shape into at most 32 lengths; returns their number, or -1. */
int core_shape(PyObject *shape, Py_intptr_t *lengths);

/* -- python/object.c: slots that all objects of a context share */
/* Allocates a zeroed object with a reference to `context`, or NULL. */
PyObject *core_object_new(PyTypeObject *type, struct core_context *context);
/* tp_traverse and tp_clear of CORE_HEAD; `context` stays. */
int core_object_traverse(PyObject *self, visitproc visit, void *arg);
int core_object_clear(PyObject *self);
/* First and last step of tp_dealloc; the last one frees the object. */
void core_object_begin_dealloc(PyObject *self);
void core_object_end_dealloc(PyObject *self);
/* tp_new of classes that Python cannot instantiate: RuntimeError. */
PyObject *core_no_new(PyTypeObject *type, PyObject *args, PyObject *kwargs);
/* Returns whether tp_init, instead of tp_new (`make`), reads the arguments. */
static inline bool
core_init_reads(const PyTypeObject *type, newfunc make, initproc init)
{
    return type->tp_init != init && type->tp_new == make;
}
/* Creates the type, stores it in *field (strong) and adds it to the module. */
int core_add_type(PyObject *module, PyTypeObject **field, PyType_Spec *spec,
                  PyTypeObject *base);
/* Makes a type with vectorcall respect an assignment to its __call__. */
int core_let_replace_call(PyTypeObject *type);
/* __dictoffset__ and __weaklistoffset__ of CORE_HEAD. */
extern PyMemberDef core_object_members[];

/* -- python/check.c: CUresult to exception */
CUresult core_quiet(CUresult code); /* for destructors: ignores errors */
int core_open(void);                /* loads the driver library once */
/* core_open, and LogicError of `routine` before init(). */
int core_open_ready(const char *routine);

/* -- python/unlocked.c: the GIL around calls of the driver */
/* Marks a thread that uses the driver, at its first use of a context. */
void core_thread_uses_driver(void);
/* Release and acquire the GIL around a call of the driver or NVRTC. */
PyThreadState *core_unlock(void);
void core_lock(PyThreadState *thread);
/* Acquires the GIL after other waits; blocks if Python ends the thread. */
void core_take_gil(PyThreadState *thread);
/* Called in a forked child: resets the number of pending calls. */
void core_unlocked_forked(void);

/* -- context/context.c, context/stack.c */
struct core_context *core_current(void);   /* borrowed; NULL: LogicError */
struct core_context *core_stack_top(void); /* borrowed, or NULL, no error */
/* Pushes a context, with a reference, on this thread's stack only. */
int core_stack_push(struct core_context *context);
struct core_context *core_stack_pop(void); /* strong, or NULL, no error */
int core_stack_restore(void); /* makes the top CUDA's current context */
/* Returns this thread's entered streams; NULL is an error if `create`. */
struct core_entered *core_stack_entered(bool create);
/* Wraps a native context, which stays the caller's on failure. */
PyObject *core_context_wrap(CUcontext handle, CUdevice device,
                            enum core_context_kind kind);
/* Make `context` current, in any thread. false: it is gone, do not leave. */
struct core_scope {
    bool pushed;
};
bool core_enter(struct core_context *context, struct core_scope *scope);
void core_leave(struct core_scope *scope);
/* Raises LogicError that the object's context was detached; returns -1. */
int core_context_gone(const char *routine);
/* Add a stream to the context's list, and remove it. */
int core_context_add_stream(struct core_context *context, CUstream handle,
                            bool blocking);
void core_context_drop_stream(struct core_context *context, CUstream handle);

/* -- context/kept.c */
/* Maintain the list of contexts, at a context's creation and end. */
void core_kept_begin(struct core_context *context);
void core_kept_end(struct core_context *context);
struct core_context *core_contexts_first(void); /* all contexts, by ->next */
/* Updates `guarded` of all contexts after contexts or captures change. */
void core_contexts_guard(void);
/* Visits and drops the local storage; a drop changes the context's key. */
int core_kept_traverse(struct core_context *context, visitproc visit,
                       void *arg);
void core_kept_drop(struct core_context *context);

/* -- context/device.c: Device and its ordinal; TypeError for other objects */
PyObject *core_device_object(CUdevice device);
int core_device_ordinal(PyObject *device, CUdevice *ordinal);

/* -- python/enums.c */
/* Returns the member of an enum class that has the value. */
PyObject *core_enum(const char *name, long value);
/* Returns the member of this name, a str in any case; or NULL, no error. */
PyObject *core_enum_member(const char *name, PyObject *member);

/* -- memory/allocation.c, memory/pool.c */
/* Wraps device memory, which stays the caller's on failure. */
PyObject *core_allocation_wrap(PyTypeObject *type,
                               struct core_context *context,
                               CUdeviceptr pointer, size_t bytes);
/* Makes room after OUT_OF_MEMORY, once per `tried`; true: retry the call. */
bool core_made_room(CUresult code, bool *tried);
/* Calls cuMemAlloc, with one retry after core_made_room. Raises nothing. */
CUresult core_allocate_raw(CUdeviceptr *pointer, size_t bytes);
/* core_check of an allocation: the error names the requested size. */
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
/* Returns whether it is the default stream or a Stream of the context. */
bool core_stream_known(const struct core_context *context, CUstream stream);
/* nb_int of allocations: the address, which counts as escaped. */
PyObject *core_allocation_int(PyObject *allocation);
/* Allocates from the pool, or from the driver. Raises nothing. */
CUresult core_pool_take(struct core_context *context, size_t bytes,
                        CUstream stream, struct core_allocation *allocation);
/* Returns the block to the pool. false: the caller frees the memory. */
bool core_pool_give(struct core_allocation *allocation);
/* core_pool_give in tp_dealloc; true: the pool keeps the object, too. */
bool core_pool_keep(struct core_allocation *dead);
/* Frees the context's idle memory. Releases the GIL. */
void core_pool_trim(struct core_context *context);
/* Rules against early reuse of memory; tests turn them off one by one. */
enum core_pool_rule {
    RULE_OTHER_STREAMS = 1, /* wait for an event of the last stream */
    RULE_ESCAPED = 2,       /* do not cache memory whose address left */
    RULE_SCATTERED = 4,     /* nor memory that several streams used */
    RULE_ENDING_STREAMS = 8 /* wait for streams that end */
};
bool core_pool_heeds(enum core_pool_rule rule);
/* Marks the blocks last used on the stream, which is idle, as reusable. */
void core_pool_stream_gone(struct core_context *context, CUstream stream);
/* Frees the pool and all its blocks. Releases the GIL. */
void core_pool_destroy(struct core_context *context);
unsigned core_bin_number(size_t bytes); /* PyCUDA's size classes */
size_t core_bin_bytes(unsigned bin);

/* -- memory/scratch.c; core.h declares core_scratch */
/* Drops the scratch memory of a stream that is not used any more. */
void core_scratch_stream_gone(struct core_context *context, CUstream stream);
/* Visits and drops all scratch memory of the context. */
int core_scratch_traverse(struct core_context *context, visitproc visit,
                          void *arg);
void core_scratch_drop(struct core_context *context);

/* -- memory/staging.c */
/* Returns the ring for a copy, to be returned; NULL: the driver copies. */
struct core_staging *core_staging_take(const void *host, size_t bytes);
void core_staging_give(struct core_staging *ring);
/* Frees the ring, or lets the copy that uses it free it. */
void core_staging_drop(struct core_context *context);
/* Copy through the ring, without the GIL. The copy is complete on return. */
CUresult core_staging_htod(struct core_staging *ring, CUdeviceptr target,
                           const void *source, size_t bytes, CUstream stream);
CUresult core_staging_dtoh(struct core_staging *ring, void *target,
                           CUdeviceptr source, size_t bytes, CUstream stream);

/* -- memory/flight.c */
/* Keeps `host` until the copy that was issued on `stream` is complete. */
void core_flight_keep(PyObject *host, const void *address, CUstream stream);
/* Drops the references of copies that are complete. */
void core_flights_land(struct core_context *context);
/* Drops those of a stream, which is idle. */
void core_flights_of_stream(struct core_context *context, CUstream stream);
/* Drops all, at the end of the context, after waiting for it. */
void core_flights_drop(struct core_context *context);

/* -- memory/asyncpool.c: frees the memory that was dropped during captures */
void core_late_free(struct core_context *context);

/* -- code/layout.c, code/layout_cubin.c */
/* Returns whether it is an image for the CPU device. */
bool core_image_of_cpu(const void *image, size_t bytes);
/* Returns false if the image's headers declare more bytes than it has. */
bool core_image_whole(const void *image, size_t bytes);
/* Reads the kernels' parameters; unknown ones stay out of the table. */
void core_layouts_read(const void *image, size_t bytes,
                       struct core_layouts *layouts);
void core_layouts_free(struct core_layouts *layouts);
/* Returns the row of a kernel, borrowed from the table, or NULL. */
const struct core_layout *core_layouts_find(const struct core_layouts *table,
                                            const char *name);
/* Lists the module's kernels for an error; the table must be complete. */
void core_layouts_describe(const struct core_layouts *table, char *text,
                           size_t room);
/* Reads a cubin, an ELF file, for core_layouts_read. */
void core_layouts_read_cubin(const unsigned char *image, size_t bytes,
                             struct core_layouts *layouts);
/* Adds a row for `count` parameters; NULL without an exception: no memory. */
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
/* Return the reference of a module's variable. */
PyObject *core_texref_for(struct core_module *module, PyObject *name,
                          CUdeviceptr variable);
PyObject *core_surfref_for(struct core_module *module, PyObject *name,
                           CUdeviceptr variable);
/* Returns the texrefs as a new list; TypeError unless all are references. */
PyObject *core_texrefs_list(PyObject *texrefs);
/* Checks texrefs for a launch; LogicError if the bound memory was freed. */
int core_texrefs_check(PyObject *texrefs);
/* Writes changed bindings in stream order; LogicError in a capture. */
int core_textures_update(struct core_module *module, CUstream stream);
/* Frees the states of the module's references and their native objects. */
void core_textures_free(struct core_module *module);

/* -- texture/texobj.c */
/* Returns an object's handle and notes its use; LogicError if it was freed. */
int core_texture_object(PyObject *object, CUstream stream,
                        unsigned long long *handle);
int core_border_color(PyObject *object, float color[4]);

/* -- texture/cuarray.c */
/* Returns an Array's handle; LogicError if it was freed. */
int core_array_handle(PyObject *object, CUarray *handle);
/* Wraps an array that `owner` keeps alive; NULL: the Array owns it. */
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
/* Calls of a Function: fast path and slow path. */
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
    CORE_SMALL_BYTES = 256, /* of the arguments of a `small` function */
    CORE_SMALL_COUNT = 16,
};

/* Packed arguments of a launch, on the stack: pack_begin, pack_end (hot.h). */
struct core_pack {
    PyObject *stream_object; /* borrowed; NULL or None for the default */
    CUstream stream;
    void **pointers; /* one per parameter, into `buffer` */
    char *buffer;    /* `local`, or heap memory if larger */
    void *heap;      /* NULL, or the pointers, then the buffer */
    size_t bytes;    /* packed size if as_buffer */
    size_t capacity, pointer_room;
    bool as_buffer; /* layout unknown: passed as one buffer */
    bool handlers;  /* some arguments are ArgumentHandlers */
    bool outputs;   /* one of them copies back */
    bool cooperative;
    unsigned cluster[3];   /* in blocks; {0} for none */
    PyObject *const *args; /* borrowed, for messages */
    Py_ssize_t count;
    void *local_pointers[CORE_LOCAL_POINTERS];
    _Alignas(16) char local[CORE_LOCAL_BYTES];
};
/* Ensures the capacity; may move the buffer to the heap. */
int core_pack_reserve(struct core_pack *pack, size_t bytes, size_t pointers);
/* Converts the arguments and notes their memory's use. May run Python code. */
int core_pack_arguments(struct core_function *function, PyObject *const *args,
                        Py_ssize_t count, struct core_pack *pack);
/* Stores an integer in `bytes` bytes; OverflowError if it does not fit. */
int core_pack_integer(struct core_function *function, Py_ssize_t index,
                      uint64_t bits, bool negative, char *target,
                      uint32_t bytes);
/* Returns an object's device address, and notes the use of the memory. */
int core_pack_pointer(PyObject *object, struct core_pack *pack,
                      CUdeviceptr *pointer);

/* One value of a prepare() format. */
struct core_field {
    char code;
    char usual; /* `code` if the parameter has the field's size, else 0 */
    uint32_t bytes, offset; /* offset: in PyCUDA's packing */
    uint32_t target;        /* parameter's offset, if by_layout */
};
/* A parsed format, counted since Python code in a call may replace it. */
struct core_format {
    unsigned users; /* the function, and active calls */
    size_t count;
    uint32_t bytes;
    bool by_layout; /* each field has its parameter's offset */
    struct core_field fields[];
};
/* Parses a format, for one core_format_release; struct.error if malformed. */
struct core_format *core_format_parse(PyObject *text);
void core_format_release(struct core_format *format);
/* Returns the format of a NumPy type, a dtype, or a pointer. */
PyObject *core_format_of_type(PyObject *type);
/* Method of Function: launches with a buffer of packed arguments. */
PyObject *core_launch_buffer(PyObject *self, CORE_ARGS);
/* Stores the parameters' offsets in the fields if all of them fit. */
void core_format_place(struct core_format *format,
                       const struct core_layout *layout);
/* Caches the type of an argument of this parameter. */
void core_slot_learn(struct core_slot *slot, PyTypeObject *type);
/* core_pack_arguments by the function's prepared format. */
int core_format_pack(struct core_function *function, PyObject *const *args,
                     Py_ssize_t count, struct core_pack *pack);
PyObject *core_struct_error(void); /* borrowed; never NULL */
/* Launches; raises LaunchError or LogicError. May release the GIL. */
int core_launch_packed(struct core_function *function, const unsigned grid[3],
                       const unsigned block[3], unsigned shared,
                       struct core_pack *pack);
/* Launches and counts; retries once without memory. Raises nothing. */
CUresult core_launch_counted(struct core_context *context, CUfunction function,
                             const unsigned grid[3], const unsigned block[3],
                             unsigned shared, CUstream stream,
                             void **arguments, void **extra);

/* Allows dynamic shared memory beyond 48 KiB less the static part. */
int core_shared_allow(struct core_function *function, size_t bytes);
/* LogicError if the function's context is detached, or none is current. */
int core_function_ready(struct core_function *function, const char *routine);

/* -- launch/queue.c */
/* Slow path of core_queue_add: asks the driver which launches are complete. */
bool core_queue_attend(struct core_context *context, CUstream stream);
/* Waits for all work of the context without the GIL. Raises nothing. */
CUresult core_queues_wait(struct core_context *context);
/* Keeps the count of a stream's pending launches when the stream ends. */
void core_queues_stream_gone(struct core_context *context, CUstream stream);
/* Returns whether no operation of the native context may be pending. */
bool core_queues_empty(const struct core_context *context);
/* Destroys the events and clears the counts. */
void core_queues_drop(struct core_context *context);

/* Returns whether the driver accepts one more launch immediately. */
static inline bool
core_queue_has_room(const struct core_queue *queue, CUstream stream)
{
    return queue->stream == stream && queue->count + 1 < queue->look;
}

/* Counts a launch or another operation; true: it may wait for the device. */
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
/* core_queue_add in the current context; true if there is none. */
static inline bool
core_queue_add_here(CUstream stream)
{
    struct core_context *context = core_stack_top();
    return context == NULL || core_queue_add(context, stream);
}

/* -- launch/failure.c */
/* Records a launch in the context's ring buffer. `name` may be NULL. */
void core_launch_note(struct core_context *context, PyObject *name,
                      CUfunction function, const unsigned grid[3],
                      const unsigned block[3]);
/* Clears the ring buffer and drops its references. */
void core_launches_forget(struct core_context *context);
/* Stores the name of a Function that is about to be freed. */
void core_launches_name(struct core_context *context, CUfunction function,
                        PyObject *name);
/* Writes the latest launches if the error makes the context unusable. */
bool core_sticky_detail(CUresult code, char *text, size_t room);
/* Raises the error of a refused launch; returns -1. */
int core_launch_fail(CUresult code, struct core_function *function,
                     const unsigned grid[3], const unsigned block[3],
                     unsigned shared, const struct core_pack *pack);

/* Advice for threads without a context. */
#define CORE_NO_CONTEXT                                                       \
    "Import pycuda.autoinit, or make or push a context: each thread has its " \
    "own"

/* -- launch/limits.c */
/* Writes "; <value beyond its limit>" for each exceeded limit. */
void core_launch_limits(const struct core_function *function,
                        const unsigned grid[3], const unsigned block[3],
                        unsigned shared, char *at, size_t room);
/* Returns the blocks that the device runs concurrently; -1: unknown. */
int core_launch_blocks_at_once(const struct core_function *function,
                               const unsigned block[3], unsigned shared);

/* -- code/occupancy.c: methods of Function */
PyObject *core_occupancy_blocks(PyObject *function, CORE_ARGS);
PyObject *core_occupancy_best(PyObject *function, CORE_ARGS);

/* -- stream/capture.c, stream/callback.c: methods of Stream; captures */
PyObject *core_stream_capture(PyObject *self, CORE_ARGS);
PyObject *core_stream_is_capturing(PyObject *self, void *unused);
PyObject *core_stream_add_callback(PyObject *self, CORE_ARGS);
/* Keeps the object for the lifetime of the open captures' graphs. */
int core_capture_hold(struct core_context *context, PyObject *object);
/* core_capture_hold of the Function and the arguments of a launch. */
int core_capture_hold_call(struct core_function *function,
                           PyObject *const *args, Py_ssize_t count);
/* Lets `to` join a capture of `from` after a wait on `stream`. */
int core_capture_join(struct core_context *from, struct core_context *to,
                      CUstream stream);
/* Returns the stream that this thread captures, borrowed, and its turn. */
struct core_stream_object *
core_capture_newest(const struct core_context *context, uint64_t *turn);

/* -- stream/current.c */
/* Returns the Stream of a stream= argument, borrowed; NULL: the default. */
PyObject *core_stream_behind(PyObject *stream_or_none);
/* Slow path of core_stream_default. */
CUstream core_stream_default_find(void);
/* Returns the stream that replaces the default stream, or NULL. */
static inline CUstream
core_stream_default(void)
{
    return USUAL(core.stream_defaults == 0) ? NULL
                                            : core_stream_default_find();
}
uint64_t core_stream_turn(void); /* next number for core_entry.turn */
/* Enter and leave a stream; RuntimeError if it was not entered. */
int core_stream_push(struct core_stream_object *stream);
int core_stream_pop(struct core_stream_object *stream);
/* Drops all entries, at the end of a thread. */
void core_entered_clear(struct core_entered *entered);
PyObject *core_stream_use(PyObject *self, PyObject *unused);
/* Returns whether the stream captures, or another's capture blocks it. */
bool core_stream_captures(CUstream stream);
/* Replaces NULL by the current stream, for a synchronous call. */
int core_stream_plain(CUstream *stream, const char *routine);
/* Returns whether a call with this stream= argument is synchronous. */
bool core_stream_waits(PyObject *stream_or_none);

/* -- launch/handler.c: ArgumentHandler as a kernel argument */
/* Returns the address, allocated at the first use, and notes its use. */
int core_handler_pointer(PyObject *handler, CUstream stream,
                         CUdeviceptr *pointer);
/* Steps before and after the launch: copies, or a subclass's methods. */
int core_handler_pre(PyObject *handler, PyObject *stream);
int core_handler_post(PyObject *handler, PyObject *stream);
/* Returns whether a copy back may follow the launch. */
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
