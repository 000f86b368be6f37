/* xpose plugin ABI: the C structs and functions that pass between the xpose host and a plugin.
 *
 * A plugin is a shared library that exports one function, xpose_plugin_entry, which returns the
 * plugin's description. Nothing else crosses: no C++ type, no CUDA header, no allocation that the
 * other side must free, no exception. Authors in C++ include plugin.hpp, which fills these structs
 * from a plain class.
 *
 * Versions. The host refuses another major. A higher minor appends fields at the end of structs;
 * each struct begins with its own size, and the reader copies min(their size, its own size) bytes
 * into a zeroed struct of its own, so that a field the writer did not know reads as zero.
 *
 * Errors. A function returns an xpose_status and, unless it is XPOSE_OK, writes one line of text
 * without a newline into the caller's xpose_text.
 *
 * This header compiles as C11, as C++20 and under nvcc.
 */
#ifndef XPOSE_PLUGIN_H
#define XPOSE_PLUGIN_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define XPOSE_ABI_MAJOR 1u
#define XPOSE_ABI_MINOR 2u

#define XPOSE_MAX_BATCH_RANK 6u
#define XPOSE_MAX_AXES 8u
#define XPOSE_MAX_AXIS_VALUES 64u

/* The bit of a card's element_sizes that stands for fat elements: of every multiple of 16 bytes
 * from 32 to XPOSE_MAX_ELEMENT_BYTES. */
#define XPOSE_FAT_SIZES 32u
#define XPOSE_MAX_ELEMENT_BYTES 256u

/* The name of the one exported symbol. */
#define XPOSE_ENTRY_SYMBOL "xpose_plugin_entry"

typedef int32_t xpose_status;
enum {
  XPOSE_OK = 0,
  XPOSE_UNSUPPORTED = 1,  /* the strategy cannot serve this problem or config; the text says why */
  XPOSE_INVALID = 2,      /* the call itself is wrong */
  XPOSE_NO_MEMORY = 3,    /* host or device memory ran out */
  XPOSE_DEVICE_ERROR = 4, /* the device reported an error */
  XPOSE_FAILED = 5        /* anything else; the text says what */
};

/* Where a strategy runs and where its pointers live. */
enum { XPOSE_HOST = 1, XPOSE_CUDA = 2 };

/* What a strategy computes. A copy is never chosen: the fastest one is the roof. An experiment,
 * since minor 1, computes anything: it is explained, and never tried. A numeric transpose, since
 * minor 1, does arithmetic on its elements, so that payloads of NaN or the sign of zero may change:
 * its buffers hold normal numbers, it is verified and timed beside the others, and never chosen. */
enum { XPOSE_TRANSPOSE = 1, XPOSE_COPY = 2, XPOSE_EXPERIMENT = 3, XPOSE_NUMERIC = 4 };

/* Traits, a bit set. */
enum {
  XPOSE_TRAIT_IN_PLACE = 1u << 0,  /* serves problems whose output is their input */
  XPOSE_TRAIT_CAPTURABLE = 1u << 1 /* launch may be recorded into a CUDA graph */
};

/* A text buffer owned by the caller. The callee writes a NUL-terminated string of at most
 * capacity bytes including the NUL. */
typedef struct xpose_text {
  char* data;
  uint64_t capacity; /* bytes */
} xpose_text;

typedef struct xpose_batch_dim {
  int64_t extent;
  int64_t in_stride;  /* elements */
  int64_t out_stride; /* elements */
} xpose_batch_dim;

/* The normal form of a problem. For a transpose
 *     out[b.out_stride + c * out_ld + r] = in[b.in_stride + r * in_ld + c]
 * and for a copy, which is dense and has no batch,
 *     out[r * out_ld + c] = in[r * in_ld + c]
 * for r < rows, c < cols and every b over the batch dimensions. Strides and leading dimensions are
 * in elements. rows, cols and every extent are at least 1: the host never hands on an empty
 * problem. */
typedef struct xpose_problem {
  uint32_t size;          /* sizeof(xpose_problem) of the writer */
  uint32_t element_bytes; /* 1, 2, 4, 8, 16; or 32, 48, ... 256, where the card says so */
  int64_t rows;
  int64_t cols;
  int64_t in_ld;
  int64_t out_ld;
  uint32_t batch_rank; /* entries of batch in use, at most the card's max_batch_rank */
  uint32_t in_place;   /* 1: out is in; rows == cols >= 2 and both layouts are one */
  xpose_batch_dim batch[XPOSE_MAX_BATCH_RANK];
  uint32_t in_alignment;  /* bytes: the largest power of two, at most 256, that divides the */
  uint32_t out_alignment; /* address of every row (input) and of every column (output) */
  int32_t device_kind;    /* XPOSE_HOST or XPOSE_CUDA */
  int32_t device_ordinal;
  uint32_t compute_capability; /* CUDA: 10 * major + minor; host: 0 */
  uint32_t multiprocessors;    /* CUDA: multiprocessors; host: logical processors */
  uint64_t cache_bytes;        /* last-level cache of the device */
} xpose_problem;

/* A tunable axis: a name and the values it may take, at most XPOSE_MAX_AXIS_VALUES. A config is an
 * array of int64_t with one value for each axis, in the card's order. */
typedef struct xpose_axis {
  const char* name;
  const int64_t* values;
  uint64_t value_count;
} xpose_axis;

/* What a strategy says of itself. Pure data, valid for as long as the library is loaded. */
typedef struct xpose_card {
  uint32_t size;
  int32_t device_kind;             /* XPOSE_HOST or XPOSE_CUDA */
  const char* name;                /* [a-z][a-z0-9_]*, at most 128 bytes; unique */
  const char* summary;             /* one line, at most 512 bytes */
  int32_t role;                    /* XPOSE_TRANSPOSE, XPOSE_COPY, ... */
  uint32_t element_sizes;          /* bit set: the sum of the sizes served, e.g. 1|2|4|8|16 = 31,
                                      and XPOSE_FAT_SIZES for all above 16 */
  uint32_t min_alignment;          /* bytes; 0: the element size, of fat ones 16 */
  uint32_t min_compute_capability; /* CUDA: 10 * major + minor; 0: any */
  uint32_t max_batch_rank;         /* the host loops over further batch dimensions */
  uint32_t traits;                 /* XPOSE_TRAIT_* */
  int64_t max_extent;              /* the most rows or cols served; 0: no limit */
  int32_t prior_rank;  /* lower is expected to be faster; ties of a trial go to the lower */
  uint32_t axis_count; /* at most XPOSE_MAX_AXES */
  const xpose_axis* axes;
} xpose_card;

/* Traits of a quote, since minor 1, a bit set. */
enum {
  XPOSE_QUOTE_UNCACHED_STORES = 1u << 0 /* host: stores bypass the caches */
};

/* What one config would cost on one problem. */
typedef struct xpose_quote {
  uint32_t size;
  uint32_t reserved;
  uint64_t workspace_bytes; /* in the device's memory, 256-byte aligned, unspecified content */
  char launch[128];         /* short launch description, e.g. "grid 128x256 block 32x16" */

  /* Since minor 1: the launch in figures, from which the host predicts its time. Without the runs,
   * and on CUDA without blocks and threads, nothing is predicted. A plugin writes them where size
   * says that they are there. */
  uint64_t blocks;         /* CUDA: of the whole grid */
  uint32_t threads;        /* CUDA: of a block */
  uint32_t shared_bytes;   /* CUDA: of a block */
  uint64_t load_run;       /* bytes that a block (host: a tile) reads side by side */
  uint64_t store_run;      /* the same of what it writes */
  uint32_t slower_percent; /* how much longer it takes than these figures say, as measured */
  uint32_t traits;         /* XPOSE_QUOTE_* */
} xpose_quote;

/* A variant bound to a problem; defined by the plugin. */
typedef struct xpose_plan xpose_plan;

/* Threads that the host lends to a launch, since minor 2. */
typedef struct xpose_team {
  uint32_t size;
  uint32_t reserved;

  /* [the launch, while it lasts] Calls body(context, part) for every part below `parts`, on at most
   * the launch's threads, the calling one among them, and returns when all have returned. Every
   * part runs, however few threads there are to be had, so none may wait for another. Called from
   * within a part it runs its parts in the thread that calls. body does not throw. */
  void (*run)(const struct xpose_team* team, uint32_t parts,
              void (*body)(void* context, uint32_t part), void* context);
} xpose_team;

typedef struct xpose_launch {
  uint32_t size;
  uint32_t threads; /* host: the most threads to use, at least 1; CUDA: 0 */
  const void* in;   /* address of element 0 of the input */
  void* out;        /* address of element 0 of the output */
  void* workspace;  /* as quoted; null when none was */
  void* stream;     /* CUDA: a cudaStream_t of the problem's device; host: null */

  /* Since minor 2, where size says that it is there. Null: the calling thread works alone. */
  const xpose_team* team;
} xpose_launch;

/* The model, since minor 1: the kernels of a CUDA strategy run on the host, one block after the
 * other, and every memory access is told to an observer. The structs below pass between the two. */

/* Where an access goes, and what it does. */
enum { XPOSE_GLOBAL = 1, XPOSE_SHARED = 2 };
enum { XPOSE_LOAD = 1, XPOSE_STORE = 2 };

/* Why the model gave a launch up: the kernel is wrong. */
enum {
  XPOSE_OUT_OF_BOUNDS = 1,    /* an access to no memory region, behind the shared memory, or past
                                 the bounds of an array */
  XPOSE_DIVERGENT_BARRIER = 2 /* threads of a block reached different barriers, or had returned */
};

/* Global memory that a kernel may access: [begin, begin + bytes). */
typedef struct xpose_region {
  const void* begin;
  uint64_t bytes;
} xpose_region;

/* One kernel launch. A block is numbered x + grid[0] * (y + grid[1] * z), a thread likewise, and
 * warp w holds the threads 32 w to 32 w + 31 of its block. */
typedef struct xpose_kernel {
  uint32_t size;
  uint32_t reserved;
  const char* name;
  uint32_t grid[3];
  uint32_t block[3];
  uint64_t shared_bytes; /* dynamic */
} xpose_kernel;

/* One memory instruction of one warp. A site is the address in the plugin's code just behind the
 * access, so that site - 1 has the access's line in the plugin's debug information. */
typedef struct xpose_access {
  uint32_t size;
  uint32_t space;      /* XPOSE_GLOBAL or XPOSE_SHARED */
  uint32_t kind;       /* XPOSE_LOAD or XPOSE_STORE */
  uint32_t lane_bytes; /* 1, 2, 4, 8 or 16 */
  const void* site;
  uint32_t warp;        /* of the block */
  uint32_t lanes;       /* bit set of the active ones; the others' addresses are unspecified */
  uint64_t address[32]; /* global: the address; shared: an offset whose bank is offset / 4 % 32 */
} xpose_access;

typedef struct xpose_fault {
  uint32_t size;
  uint32_t what; /* XPOSE_OUT_OF_BOUNDS or XPOSE_DIVERGENT_BARRIER */
  const void* site;
  uint64_t block;
  uint32_t thread;
  uint32_t access; /* XPOSE_LOAD or XPOSE_STORE where one went outside; 0: not known, or none did */
  const char* text; /* one line: what happened, e.g. "12 of 32 threads reached the barrier" */
} xpose_fault;

#define XPOSE_ALL_WARPS 0xffffffffu

/* Told of a launch by the thread that called trace, in the order of execution: kernel, then for
 * every block: block, then accesses and barriers. The accesses of a warp between two barriers come
 * in its program order; those of different warps, warp by warp. No function may throw. */
typedef struct xpose_observer {
  uint32_t size;
  uint32_t region_count;
  const xpose_region* regions;
  void* context;
  void (*kernel)(void* context, const xpose_kernel* kernel);
  void (*block)(void* context, uint64_t block);
  void (*access)(void* context, const xpose_access* access);
  /* Every thread of a warp, or of the block (XPOSE_ALL_WARPS), has passed a barrier. */
  void (*barrier)(void* context, const void* site, uint32_t warp);
  void (*fault)(void* context, const xpose_fault* fault);
} xpose_observer;

typedef struct xpose_strategy {
  uint32_t size;
  uint32_t reserved;
  const xpose_card* card;

  /* [any thread] Pure, host only, under 100 microseconds. XPOSE_UNSUPPORTED with a reason where
   * the config cannot serve the problem. *quote is zeroed and has its size set by the caller. */
  xpose_status (*quote)(const xpose_problem* problem, const int64_t* config, xpose_quote* quote,
                        xpose_text error);

  /* [any thread] Makes a plan of a pair that quote accepted. The host has made the problem's
   * device current. The plan must not keep the pointers problem or config. */
  xpose_status (*create)(const xpose_problem* problem, const int64_t* config, xpose_plan** plan,
                         xpose_text error);

  /* [any thread, several at once with different buffers] CUDA: enqueues on the stream, does not
   * allocate or synchronise. Host: has finished when it returns. Writes nothing but the problem's
   * output elements and the workspace. */
  xpose_status (*launch)(const xpose_plan* plan, const xpose_launch* launch, xpose_text error);

  /* [any thread] Cannot fail. Null is a no-op. */
  void (*destroy)(xpose_plan* plan);

  /* Since minor 1. [one thread at a time] Runs what create and launch would on the host, with the
   * launch's buffers in host memory, and tells the observer. Null: the strategy has no model.
   * XPOSE_UNSUPPORTED with the reason where the model cannot run it, XPOSE_FAILED after a fault. */
  xpose_status (*trace)(const xpose_problem* problem, const int64_t* config,
                        const xpose_launch* launch, const xpose_observer* observer,
                        xpose_text error);
} xpose_strategy;

typedef struct xpose_plugin {
  uint32_t abi_major; /* these three fields never move: a host of any version reads them first */
  uint32_t abi_minor;
  uint32_t size;
  uint32_t strategy_count; /* at most 256 */
  const char* name;        /* [a-z][a-z0-9_]* */
  const char* version;     /* the plugin's own, free form */
  const char* build;       /* compiler and options, free form */
  const xpose_strategy* const* strategies;
} xpose_plugin;

/* [any thread] The entry: returns a description that stays valid while the library is loaded. */
typedef const xpose_plugin* (*xpose_plugin_entry_fn)(void);

#if defined(_WIN32)
#define XPOSE_EXPORT __declspec(dllexport)
#else
#define XPOSE_EXPORT __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
}
#endif

#endif
