// The functions of the simulator, which runs the kernels of a CUDA plugin on the host and tells an
// observer of every access. The second compilation of the plugin calls them, and xpose_add_plugin
// links them in. No author calls them. Except for observe(), they are called by the thread that
// runs a trace.
#pragma once

#include <xpose/plugin.h>

#include <cstddef>
#include <cstdint>

// Marks code on the way to a kernel that is no part of it: its accesses are not reported.
#define XPOSE_SIMULATOR_UNOBSERVED __attribute__((no_sanitize("thread")))

// In a build without the CUDA Toolkit the kernels are also compiled, but never run, where no
// simulator is linked: then these names stay unresolved.
#ifdef XPOSE_NO_CUDA
#define XPOSE_SIMULATOR_API __attribute__((weak))
#else
#define XPOSE_SIMULATOR_API
#endif

// The functions of a plugin's strategies, in their order; defined by XPOSE_PLUGIN in the simulator.
typedef xpose_status (*xpose_trace_fn)(const xpose_problem* problem, const int64_t* config,
                                       const xpose_launch* launch, const xpose_observer* observer,
                                       xpose_text error);

#pragma GCC visibility push(hidden)
namespace xpose::simulator {

// The most dynamic shared memory that a block can have, after an opt-in.
inline constexpr std::size_t kMaxSharedBytes = 227 * 1024;

// Where the dynamic shared memory of the block that runs begins; 1024-byte aligned.
XPOSE_SIMULATOR_API extern unsigned char* const dynamic_shared;

// Runs body(context), tells the observer of every kernel that is launched meanwhile, and returns
// the body's status. One at a time in a process's copy of the plugin; others wait. [any thread]
XPOSE_SIMULATOR_API xpose_status observe(const xpose_observer& observer,
                                         xpose_status (*body)(void* context), void* context);

// Runs thread(arguments) once for each thread of every block. `grid` is in blocks, `block` in
// threads, `shared_bytes` is the dynamic shared memory of a block, and `argument_bytes` the size of
// `arguments`. Throws std::runtime_error with one line where no device could launch the kernel, or
// after a fault, of which the observer has been told.
XPOSE_SIMULATOR_API void launch(const char* name, const uint32_t (&grid)[3],
                                const uint32_t (&block)[3], uint64_t shared_bytes,
                                void (*thread)(const void* arguments), const void* arguments,
                                std::size_t argument_bytes);

// Copies `rows` rows of `row_bytes` bytes from device memory to device memory, whose rows begin
// `in_pitch` and `out_pitch` bytes apart. Throws as launch does.
XPOSE_SIMULATOR_API void copy(void* out, std::size_t out_pitch, const void* in,
                              std::size_t in_pitch, std::size_t row_bytes, std::size_t rows);

// A collective of the lanes in `mask`. Each gives `bytes` bytes (at most 16) of `value` and gets
// those of the lane that it names, or its own where the mask lacks that lane. `what` is the word
// that the kernel used; `file` and `line` are its place in the source.
XPOSE_SIMULATOR_API void exchange(unsigned mask, void* value, std::size_t bytes, unsigned lane,
                                  const char* what, const char* file, unsigned line);

// The lanes in `mask` whose predicate is true, as a bit set. Parameters as in exchange().
XPOSE_SIMULATOR_API unsigned ballot(unsigned mask, bool predicate, const char* what,
                                    const char* file, unsigned line);

// The lane of the running thread, 0 to 31, and the bit set of the lanes of its warp that have not
// returned.
XPOSE_SIMULATOR_API unsigned lane();
XPOSE_SIMULATOR_API unsigned active_lanes();

}  // namespace xpose::simulator
#pragma GCC visibility pop
