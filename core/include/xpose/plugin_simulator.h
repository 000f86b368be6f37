/* The simulator's part of the plugin ABI, which plugin.h includes.
 *
 * The kernels of a CUDA strategy run on the host, one block after the other, and an observer is
 * told of every memory access. xpose_add_plugin builds the plugin's side; an author need not read
 * this.
 */
#ifndef XPOSE_PLUGIN_SIMULATOR_H
#define XPOSE_PLUGIN_SIMULATOR_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The memory space of an access, and its kind. */
enum { XPOSE_GLOBAL = 1, XPOSE_SHARED = 2 };
enum { XPOSE_LOAD = 1, XPOSE_STORE = 2 };

/* The reason why the simulator gave a launch up: the kernel is wrong. */
enum {
  XPOSE_OUT_OF_BOUNDS = 1,    /* an access to no memory region, behind the shared memory, or past
                                 the bounds of an array */
  XPOSE_DIVERGENT_BARRIER = 2 /* threads of a block reached different barriers, or had returned */
};

/* Global memory that a kernel may access: [begin, begin + bytes). */
typedef struct xpose_region {
  const void* begin; /* the first byte */
  uint64_t bytes;    /* of the region */
} xpose_region;

/* One kernel launch. A block is numbered x + grid[0] * (y + grid[1] * z), a thread likewise, and
 * warp w holds the threads 32 w to 32 w + 31 of its block. */
typedef struct xpose_kernel {
  uint32_t size;         /* sizeof(xpose_kernel) of the plugin */
  uint32_t reserved;     /* 0 */
  const char* name;      /* as given to launch_kernel */
  uint32_t grid[3];      /* blocks along x, y, z */
  uint32_t block[3];     /* threads along x, y, z */
  uint64_t shared_bytes; /* dynamic, of a block */
} xpose_kernel;

/* One memory instruction of one warp. A site is the address in the plugin's code just behind the
 * access, so that site - 1 has the access's line in the plugin's debug information. */
typedef struct xpose_access {
  uint32_t size;        /* sizeof(xpose_access) of the plugin */
  uint32_t space;       /* XPOSE_GLOBAL or XPOSE_SHARED */
  uint32_t kind;        /* XPOSE_LOAD or XPOSE_STORE */
  uint32_t lane_bytes;  /* 1, 2, 4, 8 or 16 */
  const void* site;     /* as described above */
  uint32_t warp;        /* of the block */
  uint32_t lanes;       /* bit set of the active ones; the others' addresses are unspecified */
  uint64_t address[32]; /* global: the address; shared: an offset whose bank is offset / 4 % 32 */
} xpose_access;

/* The end of a launch that the simulator gave up. */
typedef struct xpose_fault {
  uint32_t size;    /* sizeof(xpose_fault) of the plugin */
  uint32_t what;    /* XPOSE_OUT_OF_BOUNDS or XPOSE_DIVERGENT_BARRIER */
  const void* site; /* as in xpose_access; null: not known */
  uint64_t block;   /* numbered as in xpose_kernel */
  uint32_t thread;  /* of the block, likewise */
  uint32_t access; /* XPOSE_LOAD or XPOSE_STORE where one went outside; 0: not known, or none did */
  const char* text; /* one line, such as "12 of 32 threads reached the barrier" */
} xpose_fault;

/* The warp of a barrier that every thread of the block has passed. */
#define XPOSE_ALL_WARPS 0xffffffffu

/* The host's listener to a launch. The thread that called trace calls it, in the order of
 * execution: kernel, then for every block: block, then accesses and barriers. The accesses of a
 * warp between two barriers come in its program order, and those of different warps warp by warp.
 * No function may throw. */
typedef struct xpose_observer {
  uint32_t size;               /* sizeof(xpose_observer) of the host */
  uint32_t region_count;       /* of regions */
  const xpose_region* regions; /* the global memory that the launch may access */
  void* context;               /* the first argument of every function */
  void (*kernel)(void* context, const xpose_kernel* kernel); /* a kernel begins */
  void (*block)(void* context, uint64_t block);              /* a block of it begins */
  void (*access)(void* context, const xpose_access* access); /* a warp has accessed memory */
  /* Every thread of a warp, or of the block (XPOSE_ALL_WARPS), has passed a barrier. */
  void (*barrier)(void* context, const void* site, uint32_t warp);
  void (*fault)(void* context, const xpose_fault* fault); /* the launch is given up */
} xpose_observer;

#ifdef __cplusplus
}
#endif

#endif
