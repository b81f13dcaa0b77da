/* private.h - what the files of core share: object layouts and helpers.
 *
 * All functions here need the GIL.  0 or -1 with an exception; new references
 * or NULL with an exception, unless a comment says otherwise.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_PRIVATE_H
#define PYCUDA_CORE_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/core.h"
#include "core/state.h"

#include <structmember.h>

/* For what threads have of their own: in the block that is there from the
 * start, read without a call. */
#define CORE_AT_ONCE __attribute__((tls_model("initial-exec")))

/* How objects that belong to a context begin.  `context` is strong and stays
 * until the object is freed, also through tp_clear. */
#define CORE_HEAD                                                             \
    PyObject_HEAD                                                             \
    PyObject *dict;                                                           \
    PyObject *weakrefs;                                                       \
    struct core_context *context;

struct core_object {
    CORE_HEAD
};

enum core_context_kind {
    CONTEXT_CREATED, /* ours: cuCtxDestroy */
    CONTEXT_PRIMARY, /* retained: cuDevicePrimaryCtxRelease */
    CONTEXT_FOREIGN, /* attached: never destroyed */
};

/* A live stream of a context, for the pool. */
struct core_stream_row {
    CUstream handle;
    bool blocking; /* ordered against the legacy default stream */
};

/* A launch that may turn out to have failed. */
struct core_launched {
    PyObject *name; /* strong; NULL: the driver knows it */
    CUfunction function;
    unsigned grid[3], block[3];
    bool is_row; /* grid[1], grid[2] and block[2] are 1 */
};

enum { CORE_LAUNCHES_KEPT = 3 };

/* Host memory of a copy on its way: memory/flight.c. */
struct core_flight {
    PyObject *host; /* strong */
    CUstream stream;
    CUevent event;
};

enum { CORE_QUEUES = 8 };

/* Launches on a stream that may be waiting for the device: launch/queue.c. */
struct core_queue {
    CUstream stream;
    unsigned count; /* since the last known completion */
    unsigned look;  /* the count at which there is something to be done */
    unsigned
        marked;    /* of them, issued before the event; 0: it tells nothing */
    unsigned done; /* no longer in the count: both together only grow */
    CUevent event;
};

struct core_context {
    CORE_HEAD /* `context` is NULL here */
        /* What each operation reads, side by side. */
        uint64_t serial;      /* unique in the process: its key */
    struct core_queue *queue; /* of the last launch */
    struct core_pool *pool;
    bool valid;              /* not detached */
    bool guarded;            /* captures, or is detached, or is not the only
                                one: each use of its memory is examined */
    unsigned captures;       /* streams that capture, by Stream.capture */
    uint64_t noted;          /* how often `launched` changed, and 1 */
    unsigned launched_at;    /* the newest */
    unsigned launched_count; /* at most CORE_LAUNCHES_KEPT */
    struct core_launched launched[CORE_LAUNCHES_KEPT]; /* a ring */
    struct core_queue queues[CORE_QUEUES + 1]; /* the last: all others' */
    CUcontext handle;
    CUdevice device;
    bool ending; /* a thread detaches it */
    enum core_context_kind kind;
    struct core_stream_row *streams;
    size_t stream_count;
    PyObject *held;    /* list: what captures have used; NULL without any */
    CUdeviceptr *late; /* freed in stream order meanwhile: goes back later */
    size_t late_count;
    struct core_scratch *scratch; /* a row a stream */
    size_t scratch_count;
    struct core_staging *staging; /* NULL before the first such copy */
    cublasHandle_t cublas;        /* NULL while there is none */
    struct core_flight *flights;
    size_t flight_count, flight_room;
    size_t flight_next; /* the one to look at */
    PyObject *kept[CORE_KEPT_COUNT];
    struct core_function *functions; /* all that live */
    struct core_graph_link *graphs;  /* whose native graphs go with it */
    struct core_context *next;       /* of all contexts */
};

struct core_allocation {
    CORE_HEAD
    /* What each operation reads, behind the context; the bits are tested
     * and set together. */
    CUstream stream; /* of the last use */
    bool cached : 1; /* of the default pool */
    bool freed : 1;
    bool escaped : 1;   /* its address left as an integer */
    bool scattered : 1; /* used on streams that nothing orders */
    bool touched : 1;   /* used at all since it was taken */
    bool settled : 1;   /* nothing of before it was taken still uses the
                           memory */
    bool crossed : 1;   /* used last by another context: `user`, `user_stream`;
                           `stream` is none then, and `scattered` is set */
    bool was_scattered : 1; /* before it was crossed */
    uint32_t bin;           /* size class in its pool */
    size_t bytes;           /* as asked for */
    size_t room;            /* bytes of its block in the default pool */
    CUdeviceptr pointer;
    PyObject *pool; /* DeviceMemoryPool of a PooledDeviceAllocation */
    struct core_context *user; /* of `crossed`; may have gone since */
    CUstream user_stream;
};

struct core_stream_object {
    CORE_HEAD
    CUstream handle;
    bool foreign; /* Stream.from_handle: never destroyed */
};

/* The streams that a thread has entered, the newest last. */
struct core_entry {
    struct core_stream_object *stream; /* strong */
    uint64_t turn;                     /* later ones are greater */
};

struct core_entered {
    struct core_entry *entries;
    size_t count, capacity;
};

struct core_event {
    CORE_HEAD
    CUevent handle;
};

/* Offset and size of one kernel parameter. */
struct core_parameter {
    uint32_t offset, bytes;
};

/* One kernel's parameters; `known` is false where the image does not tell. */
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
    bool complete; /* read from an image that names all its kernels */
};

struct core_module {
    CORE_HEAD
    CUmodule handle;
    struct core_layouts layouts;
    struct core_texture *textures; /* owned */
};

/* What the launch path does with one argument type. */
enum core_argument {
    ARGUMENT_UNKNOWN,
    ARGUMENT_INTEGER,  /* NumPy signed integer scalar */
    ARGUMENT_UNSIGNED, /* NumPy unsigned integer scalar */
    ARGUMENT_BITS,     /* NumPy scalar whose bytes are copied as they are */
    ARGUMENT_ALLOCATION,
    ARGUMENT_ARRAY,
    ARGUMENT_HANDLER,
    ARGUMENT_NDARRAY,
    ARGUMENT_VOID,
    ARGUMENT_TEXTURE, /* TextureObject, SurfaceObject */
    ARGUMENT_OTHER,   /* __cuda_array_interface__ or gpudata, or an error */
};

/* Remembered argument type of one parameter. */
struct core_slot {
    PyTypeObject *type; /* strong */
    enum core_argument kind;
    uint32_t bytes; /* of a NumPy scalar */
    uint32_t looks; /* how many types were compared with the source */
};

/* A grid or block that was read, to know it again by its identity. */
struct core_shape {
    PyObject *tuple; /* strong, of exact ints; or NULL */
    unsigned lengths[3];
};

struct core_function {
    CORE_HEAD
    /* What each launch reads, side by side. */
    vectorcallfunc vectorcall;
    CUfunction handle;
    struct core_module *module;
    PyObject *name;
    struct core_slot *slots;       /* layout.count, or NULL */
    struct core_format *format;    /* of prepare, or NULL */
    struct core_shape grid, block; /* of the last call */
    PyObject *names; /* a call's keywords, where they are just block and grid:
                        strong, or NULL */
    int grid_at;     /* its place among them, or -1; the other is block */
    bool small;      /* its arguments are few: launch/again.c */
    uint64_t noted;  /* the context's, where that has this function's launch
                        in `grid` and `block` as its last; or 0 */
    struct core_layout layout; /* points into the module's table or is owned
                                  by `own_parameters` */
    struct core_parameter *own_parameters;
    struct core_function *next, **link; /* among its context's */
    PyObject *arg_format;               /* prepare's, or NULL */
    PyObject *texrefs;                  /* list or NULL */
    struct core_oldstyle *old;          /* owned; NULL before its first call */
    size_t shared_allowed; /* dynamic shared memory; 0: not asked yet */
    bool warned;           /* about PyCUDA's packing */
};

struct core_array_object {
    CORE_HEAD
    CUarray handle;
    PyObject *owner; /* of a non-owning wrapper: what keeps it alive */
    bool owned;
};

/* What fetches through a declared reference give: the numbers that
 * texture_reference.h writes into the variable. */
enum core_fetched {
    FETCHED_UNKNOWN,
    FETCHED_FLOATS,
    FETCHED_INTEGERS,
};

/* State of one texture or surface reference. */
struct core_texture {
    struct core_texture *next; /* in its module's list */
    PyObject *name;            /* strong str; NULL for a free one */
    CUdeviceptr variable;      /* the module's 8 bytes; 0 for a free one */
    unsigned long long object; /* CUtexObject or CUsurfObject in use, or 0 */
    PyObject *resource;        /* strong: Array or allocation bound */
    CUDA_RESOURCE_DESC where;
    CUDA_TEXTURE_DESC how;
    CUarray_format format;
    unsigned channels;
    bool surface, bound, dirty, has_flags;
    enum core_fetched gives;
};

/* -- python/args.c: arguments of methods; core.h has core_args */

int core_size(PyObject *object, size_t *value);
int core_unsigned(PyObject *object, unsigned *value);
int core_int(PyObject *object, int *value);
/* Fills `spec`-less small things: a path of str into a char pointer. */
const char *core_text(PyObject *object, const char *what);
/* The 64 bytes of a handle from another process; -1: they are not (`says`). */
int core_ipc_handle(PyObject *bytes, void *handle, const char *routine,
                    const char *says);
/* grid or block: an int, a tuple or a list of 1 to 3 ints. */
int core_dimensions(PyObject *object, const char *what, unsigned out[3]);
/* The same, where the next call is likely to bring the same tuple. */
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
/* The one argument `flags`, which stays as it is where none is given; format:
 * "|O:" and the name of the type. */
int core_flags_read(PyObject *args, PyObject *kwargs, const char *format,
                    unsigned *flags);
/* TypeError where the memory holds pointers to Python objects, which a copy
 * would break. */
int core_buffer_plain(PyObject *object);
/* A contiguous buffer (C or Fortran); release with PyBuffer_Release. */
int core_buffer(PyObject *object, bool writable, Py_buffer *view);
/* shape (int or iterable) into at most 32 lengths; returns ndim or -1. */
int core_shape(PyObject *shape, Py_intptr_t *lengths);

/* -- python/object.c: common ends of all objects */
PyObject *core_object_new(PyTypeObject *type, struct core_context *context);
int core_object_traverse(PyObject *self, visitproc visit, void *arg);
int core_object_clear(PyObject *self);
void core_object_begin_dealloc(PyObject *self);
void core_object_end_dealloc(PyObject *self);
PyObject *core_no_new(PyTypeObject *type, PyObject *args, PyObject *kwargs);
/* Whether tp_init reads the arguments of a class, as a subclass's own
 * __init__ passes them on: else tp_new, `make`, has read them. */
static inline bool
core_init_reads(const PyTypeObject *type, newfunc make, initproc init)
{
    return type->tp_init != init && type->tp_new == make;
}
int core_add_type(PyObject *module, PyTypeObject **field, PyType_Spec *spec,
                  PyTypeObject *base);
/* Makes a type of vectorcalls notice that its __call__ was replaced. */
int core_let_replace_call(PyTypeObject *type);
extern PyMemberDef core_object_members[];

/* -- python/check.c */
CUresult core_quiet(CUresult code); /* for destructors: ignores */
int core_open(void);                /* loads the driver library */
/* The same, and LogicError for `routine` before init(). */
int core_open_ready(const char *routine);

/* -- python/unlocked.c: a thread's first use of a context, and around calls
 * without the GIL */
void core_thread_uses_driver(void);
PyThreadState *core_unlock(void);
void core_lock(PyThreadState *thread);
void core_take_gil(PyThreadState *thread); /* after no such call */
void core_unlocked_forked(void);

/* -- context/context.c, context/stack.c */
struct core_context *core_current(void);   /* borrowed, or NULL + LogicError */
struct core_context *core_stack_top(void); /* borrowed, or NULL, no error */
int core_stack_push(struct core_context *context);
struct core_context *core_stack_pop(void); /* strong, or NULL, no error */
int core_stack_restore(void); /* makes the stack's top CUDA's current one */
/* What this thread has entered; NULL where there is none, with an exception
 * if it was to be made. */
struct core_entered *core_stack_entered(bool create);
PyObject *core_context_wrap(CUcontext handle, CUdevice device,
                            enum core_context_kind kind);
/* Around native calls on an object of `context` from wherever: false means
 * that the context is gone and there is nothing to release. */
struct core_scope {
    bool pushed;
};
bool core_enter(struct core_context *context, struct core_scope *scope);
void core_leave(struct core_scope *scope);
/* -1 with LogicError: the object's context was detached. */
int core_context_gone(const char *routine);
int core_context_add_stream(struct core_context *context, CUstream handle,
                            bool blocking);
void core_context_drop_stream(struct core_context *context, CUstream handle);

/* -- context/kept.c */
/* For each context: when it is made, when its memory goes. */
void core_kept_begin(struct core_context *context);
void core_kept_end(struct core_context *context);
struct core_context *core_contexts_first(void); /* by ->next: all */
/* Sets `guarded` of all contexts: one came, went, began or ended a capture. */
void core_contexts_guard(void);
int core_kept_traverse(struct core_context *context, visitproc visit,
                       void *arg);
/* The context goes. */
void core_kept_drop(struct core_context *context);

/* -- context/device.c */
PyObject *core_device_object(CUdevice device);
int core_device_ordinal(PyObject *device, CUdevice *ordinal);

/* -- python/enums.c */
/* A member of an enum class by value. */
PyObject *core_enum(const char *name, long value);
/* The enum's member of this name in any case, a str: new.  NULL without an
 * exception: it has none; with one: no memory. */
PyObject *core_enum_member(const char *name, PyObject *member);

/* -- memory/allocation.c, memory/pool.c */
PyObject *core_allocation_wrap(PyTypeObject *type,
                               struct core_context *context,
                               CUdeviceptr pointer, size_t bytes);
/* Whether a call that found no device memory is to be tried again: once, now
 * that garbage is collected and idle memory given back. */
bool core_made_room(CUresult code, bool *tried);
CUresult core_allocate_raw(CUdeviceptr *pointer, size_t bytes);
/* core_check of an allocation: the error says how much was asked for. */
int core_allocate_check(CUresult code, size_t bytes, const char *routine);
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

/* -- python/holder.c */
/* What as_buffer gives: a memoryview of the address, which keeps `owner`. */
PyObject *core_host_view(PyObject *owner, CUdeviceptr pointer, size_t bytes);

/* -- memory/order.c */
bool core_stream_known(const struct core_context *context, CUstream stream);

/* -- memory/allocation.c, pool.c */
PyObject *core_allocation_int(PyObject *allocation);
CUresult core_pool_take(struct core_context *context, size_t bytes,
                        CUstream stream, struct core_allocation *allocation);
/* Takes the block back; false: the caller frees it. */
bool core_pool_give(struct core_allocation *allocation);
/* The same for one that dies and is not tracked: takes its references and its
 * memory as well.  False: the caller ends both. */
bool core_pool_keep(struct core_allocation *dead);
void core_pool_trim(struct core_context *context);
/* What keeps memory from being used again too early; each rule can be turned
 * off, for tests that show what it is for. */
enum core_pool_rule {
    RULE_OTHER_STREAMS = 1, /* wait for an event of the last user's */
    RULE_ESCAPED = 2,       /* addresses that left are not kept */
    RULE_SCATTERED = 4,     /* nor what several streams used */
    RULE_ENDING_STREAMS = 8 /* are waited for */
};
bool core_pool_heeds(enum core_pool_rule rule);
void core_pool_stream_gone(struct core_context *context, CUstream stream);
void core_pool_destroy(struct core_context *context);
unsigned core_bin_number(size_t bytes); /* PyCUDA's size classes */
size_t core_bin_bytes(unsigned bin);

/* -- memory/scratch.c; core_scratch is in core.h */
/* The stream was waited for, or is not used any more. */
void core_scratch_stream_gone(struct core_context *context, CUstream stream);
int core_scratch_traverse(struct core_context *context, visitproc visit,
                          void *arg);
void core_scratch_drop(struct core_context *context);

/* -- memory/staging.c */
/* The ring for a plain copy of so much host memory, or NULL: the driver copies
 * by itself.  To be given back. */
struct core_staging *core_staging_take(const void *host, size_t bytes);
void core_staging_give(struct core_staging *ring);
void core_staging_drop(struct core_context *context);
/* Without the GIL; the copy is done when they return. */
CUresult core_staging_htod(struct core_staging *ring, CUdeviceptr target,
                           const void *source, size_t bytes, CUstream stream);
CUresult core_staging_dtoh(struct core_staging *ring, void *target,
                           CUdeviceptr source, size_t bytes, CUstream stream);

/* -- memory/flight.c */
/* Host memory at `address`, of a copy that was issued; never fails. */
void core_flight_keep(PyObject *host, const void *address, CUstream stream);
/* Drops what copies have done with. */
void core_flights_land(struct core_context *context);
void core_flights_of_stream(struct core_context *context,
                            CUstream stream); /* which is idle */
/* The context goes; waits for it if there are any. */
void core_flights_drop(struct core_context *context);

/* -- memory/asyncpool.c */
/* The captures have ended: what was dropped meanwhile goes back. */
void core_late_free(struct core_context *context);

/* -- code/layout.c, code/layout_cubin.c */
/* Does it begin as an image of the CPU device does? */
bool core_image_of_cpu(const void *image, size_t bytes);
/* Whether an image of the CPU device has all the bytes that it tells of: the
 * driver is given no length. */
bool core_image_whole(const void *image, size_t bytes);
void core_layouts_read(const void *image, size_t bytes,
                       struct core_layouts *layouts);
void core_layouts_free(struct core_layouts *layouts);
const struct core_layout *core_layouts_find(const struct core_layouts *table,
                                            const char *name);
/* What a module whose table is complete has instead of a name it lacks. */
void core_layouts_describe(const struct core_layouts *table, char *text,
                           size_t room);
void core_layouts_read_cubin(const unsigned char *image, size_t bytes,
                             struct core_layouts *layouts);
struct core_layout *core_layouts_add(struct core_layouts *layouts,
                                     const char *name, size_t length,
                                     uint32_t count);

/* -- code/cublas.c: frees the context's handle */
void core_cublas_drop(struct core_context *context);

/* -- code/nvrtc.c: tells the loader sys.path, for pip's wheels */
int core_library_dirs_tell(void);

/* -- code/program.c (Module), texture/texref.c */
PyObject *core_module_load(const void *image, size_t bytes);
PyObject *core_texref_for(struct core_module *module, PyObject *name,
                          CUdeviceptr variable);
PyObject *core_surfref_for(struct core_module *module, PyObject *name,
                           CUdeviceptr variable);
/* A new list of what is given as texrefs; TypeError for any other object than
 * a TextureReference among them. */
PyObject *core_texrefs_list(PyObject *texrefs);
/* For a launch that names them: LogicError too where a bound one's memory was
 * freed. */
int core_texrefs_check(PyObject *texrefs);
/* Writes changed bindings into the module, in stream order. */
int core_textures_update(struct core_module *module, CUstream stream);
void core_textures_free(struct core_module *module);

/* -- texture/texobj.c */
/* The object of a TextureObject or SurfaceObject that is about to be used on
 * `stream`. */
int core_texture_object(PyObject *object, CUstream stream,
                        unsigned long long *handle);
/* Four numbers. */
int core_border_color(PyObject *object, float color[4]);

/* -- texture/cuarray.c */
int core_array_handle(PyObject *object, CUarray *handle);
PyObject *core_array_wrap(CUarray handle, struct core_context *context,
                          PyObject *owner);
int core_descriptor_read(PyObject *object, CUDA_ARRAY_DESCRIPTOR *descriptor);
/* Either kind of descriptor. */
int core_descriptor3d_read(PyObject *object,
                           CUDA_ARRAY3D_DESCRIPTOR *descriptor);

/* -- texture/mipmap.c */
/* Of a MipmappedArray. */
int core_mipmap_handle(PyObject *object, CUmipmappedArray *handle);

/* -- code/function.c, launch/pack.c, launch/format.c, launch/launch.c,
 * launch/again.c */
PyObject *core_function_new(struct core_module *module, const char *name);
PyObject *core_function_vectorcall(PyObject *self, PyObject *const *args,
                                   size_t nargsf, PyObject *names);
PyObject *core_function_call(struct core_function *function,
                             PyObject *const *args, Py_ssize_t count,
                             PyObject *names);
PyObject *core_prepared_call(PyObject *self, CORE_ARGS);
PyObject *core_prepared_first(struct core_function *function, CORE_ARGS);
PyObject *core_prepared_async_call(PyObject *self, CORE_ARGS);
PyObject *core_prepared_timed_call(PyObject *self, CORE_ARGS);
extern PyType_Spec core_timer_spec;

enum {
    CORE_LOCAL_BYTES = 1024,
    CORE_LOCAL_POINTERS = 64,
    CORE_SMALL_BYTES = 256, /* of a `small` function's arguments */
    CORE_SMALL_COUNT = 16,
};

/* The packed arguments of one launch; lives on the stack, uninitialised but
 * for what pack_begin (hot.h) sets. */
struct core_pack {
    PyObject *stream_object; /* borrowed; NULL or None for the default */
    CUstream stream;
    void **pointers; /* one a parameter, into `buffer` */
    char *buffer;    /* `local`, or heap if larger */
    void *heap;      /* or NULL: pointers, then the buffer */
    size_t bytes;    /* packed, where as_buffer */
    size_t capacity, pointer_room;
    bool as_buffer; /* layout unknown: passed whole */
    bool handlers;  /* ArgumentHandlers are among the arguments */
    bool outputs;   /* one of them copies back */
    bool cooperative;
    unsigned cluster[3];   /* blocks; {0} for none */
    PyObject *const *args; /* borrowed, for messages */
    Py_ssize_t count;
    void *local_pointers[CORE_LOCAL_POINTERS];
    _Alignas(16) char local[CORE_LOCAL_BYTES];
};
int core_pack_reserve(struct core_pack *pack, size_t bytes, size_t pointers);
int core_pack_arguments(struct core_function *function, PyObject *const *args,
                        Py_ssize_t count, struct core_pack *pack);
/* Stores an integer into a parameter of any size that holds it. */
int core_pack_integer(struct core_function *function, Py_ssize_t index,
                      uint64_t bits, bool negative, char *target,
                      uint32_t bytes);
/* Address of anything that stands for device memory, used on the stream. */
int core_pack_pointer(PyObject *object, struct core_pack *pack,
                      CUdeviceptr *pointer);

/* A parsed argument format of prepare(). */
struct core_field {
    char code;
    char usual; /* the code, where the parameter has its size; or 0 */
    uint32_t bytes, offset; /* offset in PyCUDA's packing */
    uint32_t target;        /* offset of the parameter, by_layout */
};
struct core_format {
    unsigned users; /* the function, and calls that pack by it */
    size_t count;
    uint32_t bytes;
    bool by_layout; /* each field goes to its parameter's offset */
    struct core_field fields[];
};
struct core_format *core_format_parse(PyObject *text);
void core_format_release(struct core_format *format);
/* The format of a NumPy type, a dtype, or anything else (a pointer). */
PyObject *core_format_of_type(PyObject *type);
PyObject *core_launch_buffer(PyObject *self, CORE_ARGS);
/* Works out whether each field goes to its parameter, and where that is. */
void core_format_place(struct core_format *format,
                       const struct core_layout *layout);
/* Remembers the type of an argument of this parameter. */
void core_slot_learn(struct core_slot *slot, PyTypeObject *type);
int core_format_pack(struct core_function *function, PyObject *const *args,
                     Py_ssize_t count, struct core_pack *pack);
PyObject *core_struct_error(void); /* borrowed */
int core_launch_packed(struct core_function *function, const unsigned grid[3],
                       const unsigned block[3], unsigned shared,
                       struct core_pack *pack);
CUresult core_launch_counted(struct core_context *context, CUfunction function,
                             const unsigned grid[3], const unsigned block[3],
                             unsigned shared, CUstream stream,
                             void **arguments, void **extra);

/* Dynamic shared memory beyond 48 KiB, less what is static, has to be allowed
 * for a kernel. */
int core_shared_allow(struct core_function *function, size_t bytes);
/* -1 with LogicError where its context is gone, or none is current. */
int core_function_ready(struct core_function *function, const char *routine);

/* -- launch/queue.c */
bool core_queue_attend(struct core_context *context, CUstream stream);
/* Waits, without the GIL, for all that was issued in the context so far. */
CUresult core_queues_wait(struct core_context *context);
/* Before the stream ends. */
void core_queues_stream_gone(struct core_context *context, CUstream stream);
/* Nothing that was issued in the CUDA context may be waiting. */
bool core_queues_empty(const struct core_context *context);
void core_queues_drop(struct core_context *context);

/* Whether one more launch is surely taken at once, and needs no mark. */
static inline bool
core_queue_has_room(const struct core_queue *queue, CUstream stream)
{
    return queue->stream == stream && queue->count + 1 < queue->look;
}

/* Counts a launch, or what else is queued for the device; whether it may have
 * to wait for the device. */
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

/* The same in the current context; true if there is none. */
static inline bool
core_queue_add_here(CUstream stream)
{
    struct core_context *context = core_stack_top();
    return context == NULL || core_queue_add(context, stream);
}

/* -- launch/failure.c */
void core_launch_note(struct core_context *context, PyObject *name,
                      CUfunction function, const unsigned grid[3],
                      const unsigned block[3]);
void core_launches_forget(struct core_context *context);
/* A function goes: later the driver could not tell its name. */
void core_launches_name(struct core_context *context, CUfunction function,
                        PyObject *name);
/* Writes what is known about the kernel behind an error that stays; false
 * for any other error. */
bool core_sticky_detail(CUresult code, char *text, size_t room);
/* Raises; -1. */
int core_launch_fail(CUresult code, struct core_function *function,
                     const unsigned grid[3], const unsigned block[3],
                     unsigned shared, const struct core_pack *pack);

/* What to do where a thread has no context. */
#define CORE_NO_CONTEXT                                                       \
    "Import pycuda.autoinit, or make or push a context: each thread has its " \
    "own"

/* -- launch/limits.c: "; <what is beyond its limit>" for each such thing */
void core_launch_limits(const struct core_function *function,
                        const unsigned grid[3], const unsigned block[3],
                        unsigned shared, char *at, size_t room);
/* How many blocks of a cooperative launch run at a time; -1: unknown. */
int core_launch_blocks_at_once(const struct core_function *function,
                               const unsigned block[3], unsigned shared);

/* -- code/occupancy.c: methods of Function */
PyObject *core_occupancy_blocks(PyObject *function, CORE_ARGS);
PyObject *core_occupancy_best(PyObject *function, CORE_ARGS);

/* -- stream/capture.c, stream/callback.c: methods of Stream; what captures
 * keep alive */
PyObject *core_stream_capture(PyObject *self, CORE_ARGS);
PyObject *core_stream_is_capturing(PyObject *self, void *unused);
PyObject *core_stream_add_callback(PyObject *self, CORE_ARGS);
/* Keeps the object alive as long as graphs captured now; 0 without one. */
int core_capture_hold(struct core_context *context, PyObject *object);
int core_capture_hold_call(struct core_function *function,
                           PyObject *const *args, Py_ssize_t count);
/* The stream, of the context `to`, has waited for an event of `from`: where it
 * has joined a capture in this way, `to` counts as capturing until that ends.
 * -1: no memory. */
int core_capture_join(struct core_context *from, struct core_context *to,
                      CUstream stream);
/* The stream that this thread captures in the context, borrowed, and when
 * that began; NULL without one. */
struct core_stream_object *
core_capture_newest(const struct core_context *context, uint64_t *turn);

/* -- stream/current.c */
/* The Stream behind a stream= argument, borrowed: the one given or the current
 * one; NULL for the default stream. */
PyObject *core_stream_behind(PyObject *stream_or_none);
CUstream core_stream_default_find(void);
/* What the default stream stands for now: the stream that this thread entered
 * or captures in the current context, else NULL. */
static inline CUstream
core_stream_default(void)
{
    return USUAL(core.stream_defaults == 0) ? NULL
                                            : core_stream_default_find();
}
uint64_t core_stream_turn(void); /* for the next that is entered */
int core_stream_push(struct core_stream_object *stream);
int core_stream_pop(struct core_stream_object *stream);
void core_entered_clear(struct core_entered *entered);
PyObject *core_stream_use(PyObject *self, PyObject *unused);
bool core_stream_captures(CUstream stream);
/* Where a call that is done when it returns has to go: the stream given, or
 * for NULL the current one, NULL for the legacy stream.  LogicError in a
 * capture. */
int core_stream_plain(CUstream *stream, const char *routine);
/* Whether a call with this stream= is done when it returns: none was given,
 * and this thread does not capture. */
bool core_stream_waits(PyObject *stream_or_none);

/* -- launch/handler.c */
int core_handler_pointer(PyObject *handler, CUstream stream,
                         CUdeviceptr *pointer);
int core_handler_pre(PyObject *handler, PyObject *stream);
int core_handler_post(PyObject *handler, PyObject *stream);
bool core_handler_has_output(PyObject *handler);

/* -- one a file: registers its types or functions */
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
