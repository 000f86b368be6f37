/* xpose for callers in C, and in every language that calls C: moves the axes of arrays into another
 * order, as fast as the memory of the machine allows.
 *
 *   const int64_t extents[] = {1000, 300};
 *   xpose_tensor_t a = {.size = sizeof a, .element_bits = 32, .rank = 2, .extents = extents};
 *   xpose_engine_t* engine;
 *   if (xpose_engine_create(NULL, &engine) != XPOSE_STATUS_OK) puts(xpose_last_error());
 *   xpose_transpose(engine, &a, in, NULL, out, XPOSE_POLICY_MEASURE, NULL);
 *
 * or, to pay for the choice ahead of time:
 *
 *   xpose_plan_t* plan;
 *   xpose_prepare(engine, &a, NULL, NULL, XPOSE_POLICY_MEASURE, NULL, &plan);
 *   xpose_execute(plan, in, out, NULL);
 *
 * Versions. A struct begins with its own size, which the caller sets to sizeof. A later version
 * appends fields at the end. The library copies min(the caller's size, its own size) bytes into a
 * zeroed struct, so that a field unknown to the caller reads as zero, which is its default. A field
 * unknown to the library must be zero; the call is refused otherwise.
 *
 * Errors. A function returns an xpose_status_t. Where that is not XPOSE_STATUS_OK, the text of
 * xpose_last_error() says what failed, on what, why and what to do; results are then null. The
 * library never prints, never aborts, and no C++ exception leaves it.
 *
 * Threads. Every function may be called by any thread, and several may use one engine or one plan
 * at once. The caller alone sees to it that nothing uses what a destroy function destroys.
 *
 * Memory. Every argument is copied, and needs to live only until the call returns.
 *
 * Units. Extents and strides are in elements, an element's size is in bits, all else is in bytes
 * or seconds.
 *
 * This header compiles as C11 and as C++, and needs no other header of xpose. Its types end with
 * _t, so that a source may include plugin.h as well.
 */
#ifndef XPOSE_XPOSE_H
#define XPOSE_XPOSE_H

#include <stdint.h>

#if defined(__GNUC__)
#define XPOSE_C_API __attribute__((visibility("default"))) /* exports a function */
#else
#define XPOSE_C_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ----------------------------------------------------------------------------- versions, errors */

/* The version of this header. A higher one has every function and field of a lower one. */
#define XPOSE_C_VERSION 1u

/* The XPOSE_C_VERSION that the loaded library was built with. */
XPOSE_C_API uint32_t xpose_c_version(void);

/* The release of the loaded library, such as "0.2.0". A static string. */
XPOSE_C_API const char* xpose_version(void);

/* How a call ended. */
typedef int32_t xpose_status_t;
enum {
  XPOSE_STATUS_OK = 0,
  XPOSE_STATUS_INVALID = 1,     /* the problem or the call is malformed */
  XPOSE_STATUS_NO_STRATEGY = 2, /* no strategy serves the problem */
  XPOSE_STATUS_DEVICE = 3,      /* a device is missing or reported an error */
  XPOSE_STATUS_NO_MEMORY = 4,   /* host or device memory ran out */
  XPOSE_STATUS_WRONG = 5,       /* every strategy for the problem failed verification */
  XPOSE_STATUS_FAILED = 6       /* any other failure: files, processes, threads */
};

/* The kind of a failure in a few words. A status that this version does not know has a text too. A
 * static string. */
XPOSE_C_API const char* xpose_status_text(xpose_status_t status);

/* One line about the last call of this thread that failed; empty where none has. A call that
 * succeeds leaves it as it is. Valid until the thread's next call that fails. */
XPOSE_C_API const char* xpose_last_error(void);

/* Frees a text that the library returned. Null is a no-op. */
XPOSE_C_API void xpose_text_free(char* text);

/* -------------------------------------------------------------------------------------- engines */

/* The plugins of some folders, a worker process to try them in, and the memory of choices. One a
 * process is the usual case: it is costly to make and cheap to use. */
typedef struct xpose_engine_t xpose_engine_t;

/* The plugins, processes and files of an engine. A zeroed field has its default. */
typedef struct xpose_engine_options_t {
  uint32_t size;    /* sizeof(xpose_engine_options_t) */
  uint32_t threads; /* for host strategies; 0: the processors that affinity and control groups let
                       this process use */
  /* Absolute folders whose plugins are loaded, in order; none: $XPOSE_PLUGIN_PATH, else those
   * that are installed beside the library. */
  const char* const* plugin_folders;
  uint64_t plugin_folder_count; /* entries of plugin_folders */
  /* The program that plugins are tried in. Null: $XPOSE_TRIAL, else that beside the library. */
  const char* worker;
  const char* cache;    /* the file of remembered choices; null: the user's own */
  uint32_t forget;      /* 1: choices live in memory, and no cache file is read or written */
  uint32_t in_process;  /* 1: this process tries plugins, without a worker; for debuggers */
  double stage_seconds; /* for one stage of a trial, before the worker is ended; 0: 10 */
  /* Told, in one line, of a fault that did not stop a call. Called in the thread of that call. May
   * be null. */
  void (*warn)(void* context, const char* text);
  void* context; /* the first argument of warn; must live as long as the engine and its plans */
} xpose_engine_options_t;

/* Makes an engine. Null options: the default of each. A plugin that cannot be used is left out.
 * Returns INVALID, NO_MEMORY or FAILED where no engine was made. */
XPOSE_C_API xpose_status_t xpose_engine_create(const xpose_engine_options_t* options,
                                               xpose_engine_t** engine);

/* Ends an engine; its plans live on. Null is a no-op. */
XPOSE_C_API void xpose_engine_destroy(xpose_engine_t* engine);

/* -------------------------------------------------------------------------------------- tensors */

/* Where a tensor lies. */
enum { XPOSE_DEVICE_HOST = 1, XPOSE_DEVICE_CUDA = 2 };

/* The most axes of a tensor, as in NumPy. */
#define XPOSE_MOST_AXES 64

/* An array's layout; its address is given to the calls that move it. */
typedef struct xpose_tensor_t {
  uint32_t size;          /* sizeof(xpose_tensor_t) */
  uint32_t element_bits;  /* a multiple of 8, from 8 to 2048; elements are opaque */
  const int64_t* extents; /* `rank` of them; 0: the tensor is empty */
  /* `rank` of them, by which an index of the axis moves; null: dense, the last axis the fastest.
   * Those of an input may be 0, where the axis repeats, and of either side negative, where it lies
   * backwards; element 0 is that of index 0 on every axis still. */
  const int64_t* strides;
  uint32_t rank;          /* axes, up to XPOSE_MOST_AXES; 0: a single element */
  int32_t device_kind;    /* XPOSE_DEVICE_*; 0: the host */
  int32_t device_ordinal; /* the CUDA runtime's number; host: 0 */
  /* The power of two that addresses are expected to be multiples of. A hint: an address that is
   * aligned to less is served as well, see xpose_execute. 0: 16 on the host, 256 on CUDA. */
  uint32_t alignment;
  uint64_t byte_offset; /* from the address that a call is given to element 0 */
} xpose_tensor_t;

/* ---------------------------------------------------------------------------------------- plans */

/* The way a plan's variant is chosen. XPOSE_POLICY in the environment (measure, estimate or
 * cached_only) comes in its place; xpose.hpp has the rules at imposed_policy(). */
enum {
  XPOSE_POLICY_MEASURE = 1,    /* an earlier choice, else by trials within a budget */
  XPOSE_POLICY_ESTIMATE = 2,   /* an earlier choice, else by tables and the cost model */
  XPOSE_POLICY_CACHED_ONLY = 3 /* an earlier choice, else NO_STRATEGY */
};

/* The options of a plan. A zeroed field has its default. */
typedef struct xpose_plan_options_t {
  uint32_t size;         /* sizeof(xpose_plan_options_t) */
  uint32_t in_place;     /* 1: the output is the input */
  double budget_seconds; /* of XPOSE_POLICY_MEASURE; 0: 2 */
} xpose_plan_options_t;

/* A variant bound to a problem. It holds what it needs of its engine, and may outlive it. */
typedef struct xpose_plan_t xpose_plan_t;

/* Makes the plan that moves `in` to `out`, whose axis i is axis axes[i] of `in`.
 *
 * `axes`: one entry for each axis of `in`; null: their reverse.
 * `out`: its extents are those of `in` in the new order, its element size and device are equal.
 *   Null: dense, on the same device; in place: the layout of `in`.
 * `options`: null: the default of each.
 *
 * In place, square matrices and batches of them are served, with one layout for both sides, and
 * elements of 1, 2, 4, 8 or 16 bytes or of a multiple of 16 up to 256.
 * Returns INVALID for tensors that do not fit, output elements that overlap, and in place
 * other arrays than squares; NO_STRATEGY, DEVICE, NO_MEMORY, WRONG or FAILED. */
XPOSE_C_API xpose_status_t xpose_prepare(xpose_engine_t* engine, const xpose_tensor_t* in,
                                         const xpose_tensor_t* out, const int32_t* axes,
                                         int32_t policy, const xpose_plan_options_t* options,
                                         xpose_plan_t** plan);

/* Moves `in` to `out`: addresses in the memory of the tensors' device, from which byte_offset leads
 * to element 0. In place both lead to one address. A problem without elements touches neither.
 *
 * Host: the work is done when the call returns, and `stream` is ignored. CUDA: the call enqueues on
 * `stream` (a cudaStream_t of the device; null: the default stream) and returns. A plan whose
 * launch was recorded into a graph must outlive the graph.
 *
 * Addresses of any alignment are served. The first call for a pair that is aligned to less than
 * the tensors' hints chooses once more, as XPOSE_POLICY_ESTIMATE does. Later calls find the choice.
 *
 * Returns INVALID for a null address and for buffers that share bytes; DEVICE, NO_MEMORY or FAILED;
 * NO_STRATEGY where no strategy serves the alignment. */
XPOSE_C_API xpose_status_t xpose_execute(const xpose_plan_t* plan, const void* in, void* out,
                                         void* stream);

/* The variant, such as "smem{tile=64}"; empty where there is nothing to do. Valid as long as the
 * plan. */
XPOSE_C_API const char* xpose_plan_variant(const xpose_plan_t* plan);

/* The launch in short, such as "grid 128x256 block 32x8"; otherwise as xpose_plan_variant. */
XPOSE_C_API const char* xpose_plan_launch(const xpose_plan_t* plan);

/* 1: the cost model chose, and nothing was measured on the problem. Else 0. */
XPOSE_C_API int32_t xpose_plan_is_estimate(const xpose_plan_t* plan);

/* Frees a plan, of which no execution is under way. Null is a no-op. */
XPOSE_C_API void xpose_plan_destroy(xpose_plan_t* plan);

/* ------------------------------------------------------------------------------------- one call */

/* xpose_prepare and xpose_execute in one call, for the real alignment of both addresses. The choice
 * is remembered. Two addresses that lead to one are a problem in place. A problem that is new while
 * `stream` records a CUDA graph is estimated. Returns the errors of both functions. */
XPOSE_C_API xpose_status_t xpose_permute(xpose_engine_t* engine, const xpose_tensor_t* in_tensor,
                                         const void* in, const xpose_tensor_t* out_tensor,
                                         void* out, const int32_t* axes, int32_t policy,
                                         void* stream);

/* xpose_permute with the last two axes exchanged: transposes a matrix or a batch of matrices. */
XPOSE_C_API xpose_status_t xpose_transpose(xpose_engine_t* engine, const xpose_tensor_t* in_tensor,
                                           const void* in, const xpose_tensor_t* out_tensor,
                                           void* out, int32_t policy, void* stream);

/* --------------------------------------------------------------------------------------- tuning */

/* The extent of a tune: candidates, time and rounds. A zeroed field has its default. */
typedef struct xpose_tune_options_t {
  uint32_t size;         /* sizeof(xpose_tune_options_t) */
  uint32_t in_place;     /* 1: the output is the input */
  double budget_seconds; /* 0: 2 */
  uint32_t max_rounds;   /* of the race; 0: 15 */
  /* 1: one config of every strategy is tried, until the budget is spent. */
  uint32_t every_strategy;
  uint32_t warm;  /* 1: caches stay warm: every call uses the same buffers */
  uint32_t whole; /* 1: no stand-in: NO_MEMORY where the problem does not fit */
  /* The candidates: "smem", or "smem{tile_y=32}" for all its configs with that value. None: all. */
  const char* const* variants;
  uint64_t variant_count; /* entries of variants */
  /* Told of every step, in the calling thread: `stage` is "verify" while candidates are tried and
   * "measure" in the race, `done` of at most `total` steps are done. A tune within it, or within
   * `interrupted`, is INVALID, and a plan is not measured. May be null. */
  void (*progress)(void* context, const char* stage, uint64_t done, uint64_t total);
  /* Asked between two steps, in the calling thread. Not 0: the tune ends and reports. May be null.
   */
  int32_t (*interrupted)(void* context);
  void* context; /* the first argument of both */
} xpose_tune_options_t;

/* Tries the candidates of a problem, whose arguments are those of xpose_prepare, and remembers the
 * winner. `*json` becomes the report, the document "xpose.tune/1" that the command writes by
 * `xpose tune --json`: ASCII, for xpose_text_free(). A problem whose strategies all fail has a
 * report without a winner. Returns INVALID, NO_STRATEGY, DEVICE, NO_MEMORY or FAILED. */
XPOSE_C_API xpose_status_t xpose_tune(xpose_engine_t* engine, const xpose_tensor_t* in,
                                      const xpose_tensor_t* out, const int32_t* axes,
                                      const xpose_tune_options_t* options, char** json);

#ifdef __cplusplus
}
#endif

#endif
