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
 * Threads. A tag in brackets at a function says which threads call it, and whether several may at
 * once. Pointers that are passed to a function are valid until it returns, unless it says more.
 *
 * Units. Extents, leading dimensions and strides are in elements, everything else is in bytes.
 *
 * This header compiles as C11, as C++20 and under nvcc.
 */
#ifndef XPOSE_PLUGIN_H
#define XPOSE_PLUGIN_H

#include <stdint.h>
#include <xpose/plugin_simulator.h>

#ifdef __cplusplus
extern "C" {
#endif

#define XPOSE_ABI_MAJOR 2u /* the host refuses plugins of another major */
#define XPOSE_ABI_MINOR 0u /* a higher one appends fields */

#define XPOSE_MAX_BATCH_RANK 62u  /* batch dimensions of a problem */
#define XPOSE_MAX_AXES 8u         /* of a card */
#define XPOSE_MAX_AXIS_VALUES 64u /* of an axis */

/* The bit of a card's element_sizes that stands for fat elements: of every multiple of 16 bytes
 * from 32 to XPOSE_MAX_ELEMENT_BYTES. */
#define XPOSE_FAT_SIZES 32u
#define XPOSE_MAX_ELEMENT_BYTES 256u /* the largest element */

/* The name of the one exported symbol. */
#define XPOSE_ENTRY_SYMBOL "xpose_plugin_entry"

/* How a function of a plugin ended. */
typedef int32_t xpose_status;
enum {
  XPOSE_OK = 0,
  XPOSE_UNSUPPORTED = 1,  /* the strategy cannot serve this problem or config; the text says why */
  XPOSE_INVALID = 2,      /* the call itself is wrong */
  XPOSE_NO_MEMORY = 3,    /* host or device memory ran out */
  XPOSE_DEVICE_ERROR = 4, /* the device reported an error */
  XPOSE_FAILED = 5        /* any other failure, which the text names */
};

/* Where a strategy runs and where its pointers live. */
enum { XPOSE_HOST = 1, XPOSE_CUDA = 2 };

/* The role of a strategy. A transpose may be chosen. A copy is timed, and the fastest one is the
 * roof. An experiment computes anything; it is explained and never tried. A numeric transpose does
 * arithmetic on its elements, so payloads of NaN or the sign of zero may change. Its buffers hold
 * normal numbers; it is verified and timed, and never chosen. */
enum { XPOSE_TRANSPOSE = 1, XPOSE_COPY = 2, XPOSE_EXPERIMENT = 3, XPOSE_NUMERIC = 4 };

/* Traits, a bit set. */
enum {
  XPOSE_TRAIT_IN_PLACE = 1u << 0,   /* serves problems whose output is their input */
  XPOSE_TRAIT_CAPTURABLE = 1u << 1, /* launch may be recorded into a CUDA graph */
  XPOSE_TRAIT_PERMUTES = 1u << 2 /* serves permutations; without it, problems of matrices alone */
};

/* A text buffer owned by the caller. The callee writes a NUL-terminated string of at most
 * capacity bytes including the NUL. */
typedef struct xpose_text {
  char* data;        /* of the caller */
  uint64_t capacity; /* bytes */
} xpose_text;

/* A batch dimension: extent matrices, whose element 0 are the strides apart. */
typedef struct xpose_batch_dim {
  int64_t extent;     /* matrices, at least 1 */
  int64_t in_stride;  /* elements from one input matrix to the next; of a permutation any number */
  int64_t out_stride; /* elements from one output matrix to the next, at least 1 */
} xpose_batch_dim;

/* The normal form of a problem. For a transpose
 *     out[b.out_stride + c * out_ld + r] = in[b.in_stride + r * in_ld + c]
 * and for a copy, which is dense and has no batch,
 *     out[r * out_ld + c] = in[r * in_ld + c]
 * for r < rows, c < cols and every b over the batch dimensions. Strides and leading dimensions are
 * in elements. rows, cols and every extent are at least 1: the host never hands on an empty
 * problem. Output elements do not overlap, and the strides of the output are positive.
 *
 * A problem of matrices has in_ld >= cols, out_ld >= rows, and in_stride >= 0 in every batch
 * dimension. A permutation, for strategies with XPOSE_TRAIT_PERMUTES, may also have
 *   - a negative in_ld, and any in_stride: axes are read backwards, or repeat;
 *   - a run that stays together: rows = 1 and out_ld = 1, and cols is its length;
 *   - rows = cols = 1, where no axis has stride 1 on either side: all axes are batch dimensions. */
typedef struct xpose_problem {
  uint32_t size;               /* sizeof(xpose_problem) of the writer */
  uint32_t element_bytes;      /* 1, 2, 4, 8, 16; or 32, 48, ... 256, where the card says so */
  int64_t rows;                /* of the input, which are the columns of the output */
  int64_t cols;                /* of the input, which are the rows of the output */
  int64_t in_ld;               /* elements from one input row to the next */
  int64_t out_ld;              /* elements from one output row to the next */
  uint32_t batch_rank;         /* entries of batch in use, at most the card's max_batch_rank */
  uint32_t in_place;           /* 1: out is in; rows == cols >= 2 and both layouts are one */
  uint32_t in_alignment;       /* bytes: the largest power of two, at most 256, that divides the */
  uint32_t out_alignment;      /* address of every input row, and of every output row */
  int32_t device_kind;         /* XPOSE_HOST or XPOSE_CUDA */
  int32_t device_ordinal;      /* the CUDA runtime's number; host: 0 */
  uint32_t compute_capability; /* CUDA: 10 * major + minor; host: 0 */
  uint32_t multiprocessors;    /* CUDA: multiprocessors; host: logical processors */
  uint64_t cache_bytes;        /* last-level cache of the device */
  xpose_batch_dim batch[XPOSE_MAX_BATCH_RANK]; /* the longest first; unused entries are zero */
} xpose_problem;

/* A tunable axis: a name and its values. A config is an array of int64_t with one value for each
 * axis, in the card's order. A strategy has at most 4096 configs. */
typedef struct xpose_axis {
  const char* name;      /* [a-z][a-z0-9_]*, at most 128 bytes; unique on the card */
  const int64_t* values; /* the first is the author's default */
  uint64_t value_count;  /* 1 to XPOSE_MAX_AXIS_VALUES */
} xpose_axis;

/* A strategy's description of itself. Pure data, valid for as long as the library is loaded. */
typedef struct xpose_card {
  uint32_t size;                   /* sizeof(xpose_card) of the writer */
  int32_t device_kind;             /* XPOSE_HOST or XPOSE_CUDA */
  const char* name;                /* [a-z][a-z0-9_]*, at most 128 bytes; unique */
  const char* summary;             /* one line, at most 512 bytes */
  int32_t role;                    /* XPOSE_TRANSPOSE, XPOSE_COPY, ... */
  uint32_t element_sizes;          /* bit set: the sum of the sizes served, e.g. 1|2|4|8|16 = 31,
                                      and XPOSE_FAT_SIZES for all above 16 */
  uint32_t min_alignment;          /* bytes, at most 256; 0: the element size, of fat ones 16 */
  uint32_t min_compute_capability; /* CUDA: 10 * major + minor; 0: any */
  uint32_t max_batch_rank;         /* at most XPOSE_MAX_BATCH_RANK; the host loops over the rest */
  uint32_t traits;                 /* XPOSE_TRAIT_* */
  int64_t max_extent;              /* the most rows or cols served, not negative; 0: no limit */
  int32_t prior_rank;     /* lower is expected to be faster; ties of a trial go to the lower */
  uint32_t axis_count;    /* at most XPOSE_MAX_AXES */
  const xpose_axis* axes; /* null where there are none */
} xpose_card;

/* Traits of a quote, a bit set. */
enum {
  XPOSE_QUOTE_UNCACHED_STORES = 1u << 0 /* host: stores bypass the caches */
};

/* The cost of one config on one problem. */
typedef struct xpose_quote {
  uint32_t size;            /* sizeof(xpose_quote) of the host, which makes and zeroes it */
  uint32_t reserved;        /* 0 */
  uint64_t workspace_bytes; /* in the device's memory, 256-byte aligned, unspecified content */
  char launch[128];         /* short launch description, e.g. "grid 128x256 block 32x16" */

  /* The launch in figures, from which the host predicts its time. The host predicts nothing without
   * the runs, and on CUDA without blocks and threads. */
  uint64_t blocks;         /* CUDA: blocks of the whole grid */
  uint32_t threads;        /* CUDA: threads of a block */
  uint32_t shared_bytes;   /* CUDA: shared memory of a block */
  uint64_t load_run;       /* bytes that a block (host: a tile) reads side by side */
  uint64_t store_run;      /* bytes that a block (host: a tile) writes side by side */
  uint32_t slower_percent; /* measured: the time beyond that of these figures, per cent */
  uint32_t traits;         /* XPOSE_QUOTE_* */
} xpose_quote;

/* A variant bound to a problem; the plugin defines it. */
typedef struct xpose_plan xpose_plan;

/* Threads that the host lends to a launch. */
typedef struct xpose_team {
  uint32_t size;     /* sizeof(xpose_team) of the host */
  uint32_t reserved; /* 0 */

  /* [the launch, while it lasts] Calls body(context, part) for every part below `parts`, and
   * returns when all have returned. The parts run on at most the launch's threads, the calling one
   * among them, in any order. Every part runs, however few threads the system has, so no part may
   * wait for another. A call from within a part runs its parts in the calling thread. body does
   * not throw. */
  void (*run)(const struct xpose_team* team, uint32_t parts,
              void (*body)(void* context, uint32_t part), void* context);
} xpose_team;

/* The buffers of one launch, and the means. */
typedef struct xpose_launch {
  uint32_t size;    /* sizeof(xpose_launch) of the host */
  uint32_t threads; /* host: the most threads to use, at least 1; CUDA: 0 */
  const void* in;   /* address of element 0 of the input */
  void* out;        /* address of element 0 of the output */
  void* workspace;  /* as quoted; null when none was */
  void* stream;     /* CUDA: a cudaStream_t of the problem's device; host: null */

  /* Host: threads for this launch; null: the calling thread works alone.
   * CUDA: null. */
  const xpose_team* team;
} xpose_launch;

/* A strategy: its card and its functions. `config` is one value for each axis, in the card's
 * order, and one that the card lists. quote, create, launch and destroy are required. */
typedef struct xpose_strategy {
  uint32_t size;          /* sizeof(xpose_strategy) of the plugin */
  uint32_t reserved;      /* 0 */
  const xpose_card* card; /* valid for as long as the library is loaded */

  /* [any thread] States the cost of a config on a problem, in *quote. Pure, on the host alone, in
   * less than 100 microseconds. Returns XPOSE_UNSUPPORTED, with the reason, where the config cannot
   * serve the problem. The caller has zeroed *quote and set its size. */
  xpose_status (*quote)(const xpose_problem* problem, const int64_t* config, xpose_quote* quote,
                        xpose_text error);

  /* [any thread] Makes a plan of a pair that quote accepted. The host has made the problem's
   * device current. The plan must not keep the pointers problem or config. */
  xpose_status (*create)(const xpose_problem* problem, const int64_t* config, xpose_plan** plan,
                         xpose_text error);

  /* [any thread, several at once with different buffers] Transposes launch->in to launch->out.
   * Host: the work is done when it returns. CUDA: it enqueues on the stream, allocates nothing and
   * does not synchronise. It reads the input's elements and the workspace, and writes the output's
   * elements and the workspace, nothing else. */
  xpose_status (*launch)(const xpose_plan* plan, const xpose_launch* launch, xpose_text error);

  /* [any thread] Frees a plan, of which no launch is under way. Cannot fail. Null is a no-op. */
  void (*destroy)(xpose_plan* plan);

  /* [one thread at a time] Runs create and launch on the simulator, with the launch's buffers in
   * host memory, and tells the observer of every access. Null: the strategy has no simulator.
   * Returns XPOSE_UNSUPPORTED, with the reason, where the simulator cannot run it, and XPOSE_FAILED
   * after a fault. */
  xpose_status (*trace)(const xpose_problem* problem, const int64_t* config,
                        const xpose_launch* launch, const xpose_observer* observer,
                        xpose_text error);
} xpose_strategy;

/* A plugin's description. Pure data, valid for as long as the library is loaded. */
typedef struct xpose_plugin {
  uint32_t abi_major; /* these three fields never move: a host of any version reads them first */
  uint32_t abi_minor; /* XPOSE_ABI_MINOR of the plugin's plugin.h */
  uint32_t size;      /* sizeof(xpose_plugin) of the plugin */
  uint32_t strategy_count; /* 1 to 256 */
  const char* name;        /* [a-z][a-z0-9_]*, at most 128 bytes */
  const char* version;     /* the plugin's own, free form; cut after 512 bytes */
  const char* build;       /* compiler and options, free form; cut after 512 bytes */
  const xpose_strategy* const* strategies; /* strategy_count of them, none null */
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
